"""Limits on failed sign-ins: guessing is bounded, and no player can lock out another."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.accounts.conftest import PASSWORD, MakeUser

pytestmark = pytest.mark.django_db

SIGN_IN = reverse("account_login")


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


def test_a_large_ipv6_network_has_its_own_limit(user: User) -> None:
    for n in range(30):
        guess(f"Somebody {n}", f"2001:db8:0:{n:x}::1")
    assert not signs_in(user, "2001:db8:0:ffff::1")
    assert signs_in(user, "2001:db8:1::1")


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("account_signup", {"username": "Ada", "password1": PASSWORD, "password2": PASSWORD}),
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
