"""Guests: play without an account, sign-up, and merging into an account."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from accounts.profile.contents import plays_of, statistics_of
from accounts.sign_in.adapter import PlayerAdapter
from accounts.sign_in.guests import create_guest, merge_guest, player_for
from games.attempts.lifecycle import close_attempt
from games.core import limits
from games.models import Attempt
from games.puzzles.models import PuzzleTry
from leaderboards.boards import relisting
from leaderboards.models import Result
from leaderboards.verdicts import settlement
from tests.accounts.conftest import PASSWORD, MakeAttempt, SignIn
from tests.factories import make_deal
from tests.games.puzzles.puzzles import stored_puzzle

pytestmark = pytest.mark.django_db

FORM = {"username": "Ada Lovelace", "password1": PASSWORD}


def visitor() -> HttpRequest:
    request = RequestFactory().post("/")
    request.session = SessionStore()
    request.user = AnonymousUser()
    return request


def test_playing_renews_the_session(guest: User) -> None:
    request = visitor()
    request.user = guest
    assert not request.session.modified
    player_for(request)
    assert request.session.modified


@pytest.mark.usefixtures("stopped_windows")
def test_guests_per_address_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "guest", "3/10m")
    codes = [Client().post("/practice/start", {"name": "plot"}).status_code for _ in range(4)]
    assert codes == [302, 302, 302, 303]
    assert User.objects.count() == 3


def test_guests_cannot_be_signed_in_to(guest: User, client: Client) -> None:
    client.post(reverse("account_login"), {"login": guest.username, "password": ""})
    client.post(reverse("account_login"), {"login": guest.username, "password": "!"})
    assert "_auth_user_id" not in client.session


def test_signing_up_keeps_the_guests_row_and_attempts(guest: User, sign_in: SignIn, make_attempt: MakeAttempt) -> None:
    attempt = make_attempt(guest, make_deal())
    relisting.relist_player(guest)
    assert not Result.objects.filter(attempt=attempt, listed=True).exists()
    client = sign_in(guest)
    before = client.session.session_key
    assert client.post(reverse("account_signup"), FORM).status_code == 302
    user = User.objects.get()
    assert user.pk == guest.pk
    assert user.public_id == guest.public_id
    assert (user.is_guest, user.display_name) == (False, "Ada Lovelace")
    assert client.session.session_key != before
    assert client.get(reverse("players:me")).status_code == 302
    assert Result.objects.get(attempt=attempt).listed


def test_a_new_account_is_told_the_games_it_keeps(guest: User, sign_in: SignIn, make_attempt: MakeAttempt) -> None:
    make_attempt(guest, make_deal("plot"))
    make_attempt(guest, make_deal("braid"))
    page = sign_in(guest).post(reverse("account_signup"), FORM, follow=True)
    assert [str(message) for message in page.context["messages"]] == [
        "Welcome, Ada Lovelace! What you have played is saved in your account: Braid, The Plot."
    ]


def test_a_new_player_is_welcomed_once(client: Client) -> None:
    page = client.post(reverse("account_signup"), FORM, follow=True)
    assert [str(message) for message in page.context["messages"]] == ["Welcome, Ada Lovelace!"]
    client.post(reverse("account_logout"))
    again = client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD}, follow=True)
    assert "Welcome" not in again.content.decode()


def test_a_failed_sign_up_leaves_the_guest_unchanged(guest: User, user: User, sign_in: SignIn) -> None:
    client = sign_in(guest)
    assert client.post(reverse("account_signup"), FORM).status_code == 200
    guest.refresh_from_db()
    assert guest.is_guest
    assert client.get(reverse("players:me")).headers["Location"] == guest.get_absolute_url()


def test_signing_up_twice_makes_one_account(guest: User, sign_in: SignIn) -> None:
    here, there = sign_in(guest), sign_in(guest)
    here.post(reverse("account_signup"), FORM)
    # The new password has ended the guest's other session, so this is a new visitor.
    there.post(reverse("account_signup"), FORM | {"username": "Charles"})
    guest.refresh_from_db()
    assert guest.display_name == "Ada Lovelace"
    assert User.objects.get(username="Charles").pk != guest.pk


def test_signing_in_brings_the_guests_attempts_along(
    guest: User,
    user: User,
    sign_in: SignIn,
    make_attempt: MakeAttempt,
    django_capture_on_commit_callbacks: Any,
) -> None:
    ranked, practice = make_attempt(guest, make_deal()), make_attempt(guest, make_deal(practice=True))
    relisting.relist_player(guest)
    client = sign_in(guest)
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD}, follow=True)
    assert not User.objects.filter(pk=guest.pk).exists()
    assert set(Attempt.objects.filter(player=user, ranked=False)) == {ranked, practice}
    assert client.session["_auth_user_id"] == str(user.pk)
    assert not Result.objects.exists()
    assert relisting.relist_player(user) == 0
    assert "Daily games among them count as practice." in answer.content.decode()


def test_signing_in_does_not_mention_missing_ranked_games(guest: User, user: User, sign_in: SignIn) -> None:
    credentials = {"login": "Ada Lovelace", "password": PASSWORD}
    answer = sign_in(guest).post(reverse("account_login"), credentials, follow=True)
    assert "are practice" not in answer.content.decode()


def test_an_account_cannot_take_the_best_of_several_guests(user: User, client: Client) -> None:
    """Neither ranked, nor by starting the deal once more with its cards known."""
    deal = make_deal("plot")
    for _ in range(3):
        client.post(reverse("account_logout"))
        table = client.post(reverse("games:start", args=["plot"])).headers["Location"]
    client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD})
    (attempt,) = Attempt.objects.filter(player=user)
    assert (attempt.ranked, attempt.state) == (False, Attempt.State.PLAYING)
    page = client.get(table)
    assert "unranked" in page.content.decode()
    assert page.context["attempt"].ranked is False
    assert client.get(reverse("games:play", args=["plot"])).headers["Location"] == table
    assert client.post(reverse("games:start", args=["plot"])).headers["Location"] == table
    close_attempt(attempt.pk, "resigned")
    settlement.settle(attempt.pk)
    relisting.relist_player(user)
    assert not Result.objects.exists()
    assert statistics_of(user, plays_of(user)).overall.played == 0
    assert client.post(reverse("games:start", args=["plot"])).headers["Location"] == table
    assert Attempt.objects.filter(player=user, deal=deal).count() == 1


def test_a_deal_the_account_has_played_becomes_practice(guest: User, user: User, make_attempt: MakeAttempt) -> None:
    deal = make_deal()
    own, guests = make_attempt(user, deal, won=True), make_attempt(guest, deal)
    relisting.relist_player(user)
    relisting.relist_player(guest)
    merge_guest(guest, user)
    own.refresh_from_db()
    guests.refresh_from_db()
    assert (own.ranked, guests.ranked) == (True, False)
    assert guests.player == user
    assert [result.attempt for result in Result.objects.filter(deal=deal)] == [own]


def test_tries_at_puzzles_move_unless_the_account_has_its_own(guest: User, user: User) -> None:
    first, second, third = (date(2026, 11, day) for day in (24, 25, 26))
    both, guests_daily, own_daily, unlimited = (stored_puzzle() for _ in range(4))
    for puzzle, day in ((both, None), (own_daily, second)):
        PuzzleTry.objects.create(player=user, puzzle=puzzle, day=day)
    for puzzle, day in ((both, first), (guests_daily, second), (unlimited, None), (stored_puzzle(), third)):
        PuzzleTry.objects.create(player=guest, puzzle=puzzle, day=day, mistakes=1)
    merge_guest(guest, user)
    moved = PuzzleTry.objects.filter(mistakes=1)
    assert set(moved.values_list("player", "day")) == {(user.pk, None), (user.pk, third)}
    assert PuzzleTry.objects.count() == 4
    assert not moved.filter(puzzle__in=[both, guests_daily]).exists()


def test_merging_twice_changes_nothing(guest: User, user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(guest, make_deal())
    merge_guest(User.objects.get(pk=guest.pk), user)
    merge_guest(guest, user)
    assert Attempt.objects.filter(player=user).count() == 1


@pytest.mark.parametrize("guest_first", [True, False])
def test_rows_are_locked_in_the_order_of_their_ids(guest_first: bool) -> None:
    """Verdicts lock players in the same order; two orders could deadlock."""
    if guest_first:
        guest, user = create_guest(), User.objects.create_user("later")
    else:
        user, guest = User.objects.create_user("earlier"), create_guest()
    with CaptureQueriesContext(connection) as queries:
        merge_guest(guest, user)
    statements = [query["sql"] for query in queries if "accounts_user" in query["sql"]][:2]
    locked = [int(re.findall(r"\"id\" = (\d+)", sql)[0]) for sql in statements]
    assert locked == sorted((guest.pk, user.pk))


def test_accounts_are_not_merged(guest: User, user: User) -> None:
    for one, other in [(user, guest), (user, user), (guest, create_guest())]:
        with pytest.raises(ValueError, match="only a guest"):
            merge_guest(one, other)


def test_a_failed_sign_in_merges_nothing(guest: User, user: User, sign_in: SignIn) -> None:
    client = sign_in(guest)
    client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": "wrong"})
    assert client.get(reverse("players:me")).headers["Location"] == guest.get_absolute_url()


@pytest.mark.parametrize(
    "name",
    ["account_email", "account_change_password", "account_set_password", "mfa_index", "mfa_activate_totp",
     "mfa_add_webauthn", "usersessions_list", "account_reauthenticate", "socialaccount_connections"],
)  # fmt: skip
def test_guests_cannot_open_account_pages(guest: User, sign_in: SignIn, name: str) -> None:
    for answer in (sign_in(guest).get(reverse(name)), sign_in(guest).post(reverse(name), {"password1": "x"})):
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(reverse("account_login"))
    guest.refresh_from_db()
    assert not guest.has_usable_password()


def test_a_guest_sees_the_sign_in_and_sign_up_forms(guest: User, sign_in: SignIn) -> None:
    for name in ("account_login", "account_signup"):
        assert guest.display_name in sign_in(guest).get(reverse(name)).content.decode()


def test_signing_up_keeps_concurrently_changed_preferences(
    guest: User, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, check = sign_in(guest), PlayerAdapter.clean_username

    def check_late(self: PlayerAdapter, name: str, shallow: bool = False) -> str:
        sign_in(guest).post(reverse("players:preferences"), {"sound": True}, content_type="application/json")
        return check(self, name, shallow)

    monkeypatch.setattr(PlayerAdapter, "clean_username", check_late)
    client.post(reverse("account_signup"), FORM)
    guest.refresh_from_db()
    assert not guest.is_guest
    assert guest.preferences == {"sound": True}
