"""Signing up and in by password, and the limits on attempts."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.names.validation import name_key
from accounts.sign_in.adapter import PlayerAdapter
from tests.accounts.conftest import PASSWORD, MakeUser, SignIn, player_in

pytestmark = pytest.mark.django_db

SIGN_UP = reverse("account_signup")
SIGN_IN = reverse("account_login")


def form(name: str = "Ada Lovelace", **fields: str) -> dict[str, str]:
    return {"username": name, "password1": PASSWORD} | fields


def test_a_name_and_a_password_make_an_account(client: Client) -> None:
    assert client.post(SIGN_UP, form()).status_code == 302
    user = player_in(client)
    assert user is not None
    assert (user.username, user.display_name) == ("Ada Lovelace", "Ada Lovelace")
    assert user.name_key == name_key("Ada Lovelace")
    assert not user.is_guest
    assert user.email == ""
    assert mail.outbox == []


def test_with_an_address_a_confirmation_is_sent(client: Client) -> None:
    client.post(SIGN_UP, form(email="ada@example.org"))
    assert [message.to for message in mail.outbox] == [["ada@example.org"]]
    assert not EmailAddress.objects.get(email="ada@example.org").verified


@pytest.mark.parametrize("taken", ["Ada Lovelace", "ada lovelace", "ADA_LOVELACE", "Ada L0velace"])
def test_similar_names_are_refused(client: Client, user: User, taken: str) -> None:
    response = client.post(SIGN_UP, form(taken))
    assert response.status_code == 200
    assert "very similar one" in response.content.decode()
    assert player_in(client) is None


def test_one_of_two_concurrent_sign_ups_gets_the_name(
    client: Client, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PlayerAdapter, "clean_username", lambda self, name, shallow=False: name)
    answer = client.post(SIGN_UP, form("ada lovelace"), follow=True)
    assert answer.redirect_chain == [(SIGN_UP, 302)]
    assert "very similar one" in answer.content.decode()
    assert User.objects.get() == user


@pytest.mark.parametrize("name", ["admin", "a", "<script>"])
def test_an_invalid_name_is_refused(client: Client, name: str) -> None:
    assert client.post(SIGN_UP, form(name)).context["form"].errors["username"]


@pytest.mark.parametrize("password", ["short", "12345678", "password", "adalovelace"])
def test_weak_passwords_are_refused(client: Client, password: str) -> None:
    response = client.post(SIGN_UP, form("Ada Lovelace", password1=password))
    assert response.context["form"].errors


def test_a_known_address_looks_like_an_unknown_one(client: Client, make_user: MakeUser) -> None:
    make_user("Owner", confirmed="ada@example.org")
    known = client.post(SIGN_UP, form("Ada", email="ada@example.org"))
    unknown = Client().post(SIGN_UP, form("Charles", email="charles@example.org"))
    assert known.status_code == unknown.status_code
    assert known.headers["Location"] == unknown.headers["Location"]


@pytest.mark.parametrize("typed", ["Ada Lovelace", "ada lovelace", "ＡＤＡ LOVELACE", "  Ada Lovelace "])
def test_signing_in_ignores_the_spelling_of_the_name(client: Client, user: User, typed: str) -> None:
    assert client.post(SIGN_IN, {"login": typed, "password": PASSWORD}).status_code == 302
    assert player_in(client) == user


def test_signing_in_by_address(client: Client, make_user: MakeUser) -> None:
    user = make_user("Ada", confirmed="ada@example.org")
    client.post(SIGN_IN, {"login": "Ada@Example.org", "password": PASSWORD})
    assert player_in(client) == user


def test_a_wrong_password_and_an_unknown_name_look_the_same(client: Client, user: User) -> None:
    wrong = client.post(SIGN_IN, {"login": "Ada Lovelace", "password": "wrong"}).context["form"].errors
    unknown = client.post(SIGN_IN, {"login": "Nobody Here", "password": "wrong"}).context["form"].errors
    assert wrong == unknown
    assert player_in(client) is None


def test_failed_attempts_are_limited_across_spellings(client: Client, user: User) -> None:
    for spelling in ["Ada Lovelace", "ada lovelace", "ADA LOVELACE", "Ada_Lovelace", "AdaLovelace"]:
        client.post(SIGN_IN, {"login": spelling, "password": "wrong"})
    response = client.post(SIGN_IN, {"login": "Ada Lovelace", "password": PASSWORD})
    assert "Too many failed" in str(response.context["form"].errors)
    assert player_in(client) is None


def test_signing_in_redirects_only_within_the_site(client: Client, user: User) -> None:
    credentials = {"login": "Ada Lovelace", "password": PASSWORD}
    assert client.post(SIGN_IN, credentials | {"next": "/players/me/"}).headers["Location"] == "/players/me/"
    response = Client().post(SIGN_IN, credentials | {"next": "https://evil.example/"})
    assert response.headers["Location"] == "/"


def test_signing_out_needs_a_post(user: User, mine: Client) -> None:
    assert mine.get(reverse("account_logout")).status_code == 200
    assert player_in(mine) == user
    mine.post(reverse("account_logout"))
    assert player_in(mine) is None


def test_a_changed_password_ends_other_sessions(user: User, sign_in: SignIn) -> None:
    here, other = sign_in(user), sign_in(user)
    here.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    new = "eight of wands"
    here.post(reverse("account_change_password"), {"oldpassword": PASSWORD, "password1": new, "password2": new})
    user.refresh_from_db()
    assert user.check_password(new)
    assert here.get(reverse("players:me")).headers["Location"] == user.get_absolute_url()
    assert other.get(reverse("players:me")).headers["Location"].startswith(SIGN_IN)


def test_an_address_changes_when_it_is_confirmed(make_user: MakeUser, sign_in: SignIn) -> None:
    user = make_user("Ada", confirmed="old@example.org")
    client = sign_in(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.post(reverse("account_email"), {"action_add": "", "email": "new@example.org"})
    user.refresh_from_db()
    assert user.email == "old@example.org"
    message = next(message for message in mail.outbox if message.to == ["new@example.org"])
    link = next(word for word in message.body.split() if "confirm-email" in word)
    client.post(link)
    user.refresh_from_db()
    assert user.email == "new@example.org"


def test_refused_sign_ins_get_the_sites_page(client: Client, settings: Any) -> None:
    with_limits(settings, login="3/m/ip")
    answers = [client.post(SIGN_IN, {"login": f"nobody {n}", "password": "wrong"}) for n in range(4)]
    assert answers[-1].status_code == 429
    assert answers[-1]["Retry-After"] == "60"
    assert "<h1>" in answers[-1].content.decode()


def guess(name: str, address: str, password: str = "wrong") -> Client:
    client = Client()
    client.post(SIGN_IN, {"login": name, "password": password}, REMOTE_ADDR=address)
    return client


def signs_in(user: User, address: str, name: str = "Ada Lovelace", password: str = PASSWORD) -> bool:
    return guess(name, address, password).session.get("_auth_user_id") == str(user.pk)


def with_limits(settings: Any, **limits: str) -> None:
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | limits


def test_a_rival_cannot_lock_another_player_out(user: User) -> None:
    for _ in range(20):
        guess("Ada Lovelace", "192.0.2.1")
    assert not signs_in(user, "192.0.2.1")
    assert signs_in(user, "192.0.2.2")


def test_a_rival_with_many_addresses_cannot_either(user: User) -> None:
    for n in range(55):  # more than `login_failed_name` in all
        guess("Ada Lovelace", f"192.0.2.{n}")
        guess("Ada Lovelace", f"2001:db8:{n:x}::1")
    assert signs_in(user, "198.51.100.1")
    assert signs_in(user, "2001:db8:ffff::1")


def test_a_name_under_attack_has_lower_limits_per_network(user: User, settings: Any) -> None:
    with_limits(settings, login_failed_name="7/10m/key")
    for n in range(7):
        guess("Ada Lovelace", f"192.0.2.{n}")
    for n in range(2):
        guess("Ada Lovelace", f"2001:db8:0:{n}::1")
    assert not signs_in(user, "2001:db8:0:9::1"), "a third guess from this /48"
    assert signs_in(user, "2001:db8:1::1")


def test_a_successful_sign_in_uses_up_no_guess(user: User, settings: Any) -> None:
    with_limits(settings, login_failed_name="1/10m/key", login_failed_rare="1/10m/key", login_failed_wide="1/m/key")
    assert all(signs_in(user, "192.0.2.1") for _ in range(9))


def test_an_ipv6_network_counts_as_one(user: User) -> None:
    for n in range(5):
        guess("Ada Lovelace", f"2001:db8::{n + 1}")
    assert not signs_in(user, "2001:db8::99")
    assert signs_in(user, "2001:db8:0:1::1")


def test_a_large_ipv6_network_has_its_own_limit(user: User, settings: Any) -> None:
    with_limits(settings, login_failed_wide="3/m/key")
    for n in range(3):
        guess(f"Somebody {n}", f"2001:db8:0:{n:x}::1")
    assert not signs_in(user, "2001:db8:0:ffff::1")
    assert signs_in(user, "2001:db8:1::1")


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("account_signup", {"username": "Ada", "password1": PASSWORD}),
        ("account_reset_password", {"email": "ada@example.org"}),
    ],
)
def test_a_large_ipv6_network_signs_up_and_resets_as_one(page: str, form: dict[str, str], settings: Any) -> None:
    with_limits(settings, signup_wide="2/m/key", reset_wide="2/m/key")

    def post(address: str) -> int:
        return Client().post(reverse(page), form, REMOTE_ADDR=address).status_code

    codes = [post(f"2001:db8:0:{n}::1") for n in range(4)]
    assert (codes[0], codes[2:]) == (302, [429, 429])
    assert post("2001:db8:1::1") != 429
    assert Client().get(reverse(page), REMOTE_ADDR="2001:db8:0:9::1").status_code == 200


def test_refusals_by_address_do_not_count_for_the_name(user: User, settings: Any) -> None:
    with_limits(settings, login_failed_name="6/10m/key", login_failed_rare="0/10m/key")
    for _ in range(20):
        guess("Ada Lovelace", "192.0.2.1")
    assert signs_in(user, "192.0.2.2")


@pytest.mark.parametrize("limit", ["login_failed", "login_failed_wide", "login_failed_name"])
def test_an_attempt_counts_when_it_begins(
    user: User, settings: Any, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Otherwise concurrent guesses would all pass before the first one failed."""
    with_limits(settings, login_failed_rare="0/10m/key", **{limit: "1/10m/key"})
    checked: list[str] = []

    def check(self: User, password: str) -> bool:
        checked.append(password)
        guess("Ada Lovelace", "192.0.2.1", "second")
        return False

    monkeypatch.setattr(User, "check_password", check)
    guess("Ada Lovelace", "192.0.2.1", "first")
    assert checked == ["first"]


@pytest.mark.usefixtures("worker")
def test_a_new_password_unblocks_its_network(make_user: MakeUser, settings: Any) -> None:
    with_limits(settings, login_failed_name="1/10m/key", login_failed="9/m/ip,5/5m/key")
    user = make_user("Ada", confirmed="ada@example.org")
    for _ in range(5):
        guess("ada@example.org", "127.0.0.1")
    assert not signs_in(user, "127.0.0.1", "ada@example.org")
    client = Client()
    client.post(reverse("account_reset_password"), {"email": "ada@example.org"})
    link = next(word for word in str(mail.outbox[0].body).split() if word.startswith("http"))
    page = client.get(link, follow=True)
    client.post(page.redirect_chain[-1][0], {"password1": "eight of wands", "password2": "eight of wands"})
    assert signs_in(user, "127.0.0.1", "ada@example.org", "eight of wands")
