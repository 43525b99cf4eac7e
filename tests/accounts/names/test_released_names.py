"""Held names: a name given up stays reserved until the deals played under it are revealed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.housekeeping import KINDS
from accounts.lifecycle.erasure import erase_player
from accounts.models import HeldName, User
from accounts.names.released import check_not_held
from accounts.names.renaming import neutralise_name, rename_player
from accounts.names.validation import name_key
from accounts.sign_in.adapter import PlayerAdapter
from games.core.retention import remove_aged
from games.models import GRACE, Attempt, Deal
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeUser, SignIn
from tests.factories import make_deal

pytestmark = pytest.mark.django_db

SAID = "This name was in use today."
FORM = {"username": "ada LOVELACE", "password1": PASSWORD}


@pytest.fixture
def deal() -> Deal:
    return make_deal()


@pytest.fixture
def ada(user: User, deal: Deal, make_attempt: MakeAttempt) -> User:
    make_attempt(user, deal)
    return user


def reveal(deal: Deal) -> None:
    """Reveal a deal whose last attempts have just ended."""
    HeldName.objects.update(until=timezone.now() - timedelta(seconds=1))
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now() - GRACE)


def test_a_deleted_account_allows_no_second_try(ada: User, deal: Deal, client: Client) -> None:
    erase_player(ada)
    client.post(reverse("games:start", args=["plot"]))
    answer = client.post(reverse("account_signup"), FORM)
    assert SAID in answer.content.decode()
    assert not User.objects.filter(name_key=name_key("Ada Lovelace")).exists()
    reveal(deal)
    assert client.post(reverse("account_signup"), FORM).status_code == 302
    assert User.objects.get(name_key=name_key("Ada Lovelace")).display_name == "ada LOVELACE"


def test_the_name_is_held_until_the_last_deal_is_revealed(ada: User, make_attempt: MakeAttempt) -> None:
    today = timezone.now().date()
    last = make_deal("tarot", day=today + timedelta(days=1))
    make_attempt(ada, last)
    make_attempt(ada, make_deal("plot", day=today - timedelta(days=9)))
    erase_player(ada)
    held = HeldName.objects.get()
    assert last.closes_at is not None
    assert (held.until, held.player) == (last.closes_at + GRACE, None)


def test_a_deleted_accounts_name_is_not_revealed(ada: User) -> None:
    erase_player(ada)
    held = HeldName.objects.get()
    assert name_key("Ada Lovelace") not in held.key
    assert len(held.key) == 64


@pytest.mark.parametrize("played", ["nothing", "practice", "an old deal"])
def test_a_name_without_secret_games_is_free_at_once(
    played: str, user: User, make_attempt: MakeAttempt, client: Client
) -> None:
    if played == "practice":
        make_attempt(user, make_deal(practice=True))
    if played == "an old deal":
        make_attempt(user, make_deal(day=timezone.now().date() - timedelta(days=9)))
    erase_player(user)
    assert not HeldName.objects.exists()
    assert client.post(reverse("account_signup"), FORM).status_code == 302


def test_a_changed_name_is_held_for_its_former_owner(ada: User, make_user: MakeUser, sign_in: SignIn) -> None:
    rename_player(ada, "Augusta King")
    other = make_user("Charles")
    answer = sign_in(other).post(reverse("players:rename"), {"name": "Ada  Lovelace"})
    assert (answer.status_code, SAID in answer.content.decode()) == (422, True)
    other.refresh_from_db()
    assert (other.display_name, other.name_key) == ("Charles", name_key("Charles"))
    rename_player(ada, "Ada Lovelace")
    ada.refresh_from_db()
    assert ada.display_name == "Ada Lovelace"


def test_names_changed_before_deletion_lose_their_owner(ada: User) -> None:
    rename_player(ada, "Augusta King")
    erase_player(ada)
    assert set(HeldName.objects.values_list("player", flat=True)) == {None}
    for name in ("Ada Lovelace", "Augusta King"):
        with pytest.raises(ValidationError):
            check_not_held(name)


def test_another_spelling_gives_up_nothing(ada: User) -> None:
    rename_player(ada, "ADA Lovelace")
    assert not HeldName.objects.exists()


def test_a_name_replaced_by_staff_is_held(ada: User) -> None:
    neutralise_name(ada)
    with pytest.raises(ValidationError):
        check_not_held("Ada Lovelace")


def test_a_name_given_up_during_a_sign_up_is_held(ada: User, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The form was valid, and the account was deleted before the new row was written."""
    monkeypatch.setattr(PlayerAdapter, "clean_username", lambda _self, name, shallow=False: name)
    erase_player(ada)
    answer = client.post(reverse("account_signup"), FORM, follow=True)
    assert SAID in answer.content.decode()
    assert not User.objects.filter(name_key=name_key("Ada Lovelace")).exists()


def test_names_are_held_no_longer_than_needed(ada: User) -> None:
    erase_player(ada)
    until = HeldName.objects.get().until
    remove_aged(KINDS, until - timedelta(seconds=1))
    assert HeldName.objects.exists()
    remove_aged(KINDS, until + timedelta(seconds=1))
    assert not HeldName.objects.exists()
    assert Attempt.objects.filter(player=ada).exists()
