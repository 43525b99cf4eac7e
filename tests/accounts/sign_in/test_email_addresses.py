"""Email addresses, and the messages sent to them."""

from __future__ import annotations

import re
import time
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import get_hasher
from django.core import mail
from django.core.cache import cache
from django.core.checks import run_checks
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.sign_in.email_addresses import MOST_CLAIMS
from accounts.sign_in.guests import create_guest
from tests.accounts.conftest import PASSWORD, MakeUser, SignIn

pytestmark = pytest.mark.django_db

SIGN_IN, SIGN_UP, RESET = reverse("account_login"), reverse("account_signup"), reverse("account_reset_password")
STRANGER = "stranger@example.org"


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counted: Counter[str] = Counter()
    hasher = type(get_hasher())
    encode = hasher.encode

    def counting(self: object, password: str, *rest: object, **more: object) -> str:
        counted["hashes"] += 1
        return encode(self, password, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(hasher, "encode", counting)
    return counted


def claim(user: User, email: str = STRANGER, *, verified: bool = False) -> None:
    EmailAddress.objects.create(user=user, email=email, verified=verified, primary=True)
    User.objects.filter(pk=user.pk).update(email=email)


def sign_up(n: int, email: str = STRANGER) -> Client:
    client = Client()
    form = {"username": f"Claimant {n}x", "email": email, "password1": PASSWORD}
    assert client.post(SIGN_UP, form, REMOTE_ADDR=f"192.0.2.{n}").status_code == 302
    return client


def change_password(client: Client, old: str, new: str) -> None:
    client.post(
        reverse("account_change_password"),
        {"oldpassword": old, "password1": new, "password2": new},
    )


def test_an_unconfirmed_address_does_not_sign_in(make_user: MakeUser, client: Client) -> None:
    claim(make_user("Ada"))
    client.post(SIGN_IN, {"login": STRANGER, "password": PASSWORD})
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    "login",
    ["Ada", "ada", "Nobody", "owner@example.org", STRANGER, "unknown@example.org", "No password", "guest"],
)
@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
def test_each_attempt_hashes_one_password(
    make_user: MakeUser, client: Client, hashes: Counter[str], login: str, password: str
) -> None:
    claim(make_user("Ada"), "owner@example.org", verified=True)
    for n in range(8):
        claim(User.objects.create_user(f"Claimant {n}x", password=None), STRANGER)
    User.objects.create_user("No password")
    guest = create_guest()
    hashes.clear()
    client.post(SIGN_IN, {"login": guest.username if login == "guest" else login, "password": password})
    assert hashes["hashes"] == 1


def test_a_repeated_wrong_password_is_hashed_once(make_user: MakeUser, sign_in: SignIn, hashes: Counter[str]) -> None:
    user = make_user("Ada")
    claim(user, "owner@example.org", verified=True)
    client = sign_in(user)
    hashes.clear()
    client.post(reverse("account_reauthenticate"), {"password": "wrong"})
    assert hashes["hashes"] == 1


def test_few_accounts_share_an_unconfirmed_address() -> None:
    for n in range(2 * MOST_CLAIMS):
        sign_up(n)
    kept = EmailAddress.objects.filter(email=STRANGER)
    newest = {f"Claimant {n}x" for n in range(MOST_CLAIMS, 2 * MOST_CLAIMS)}
    assert set(kept.values_list("user__username", flat=True)) == newest
    assert set(User.objects.filter(email=STRANGER).values_list("username", flat=True)) == newest


def test_a_changed_address_counts_as_a_claim(make_user: MakeUser, sign_in: SignIn) -> None:
    for n in range(MOST_CLAIMS):
        sign_up(n)
    client = sign_in(make_user("Ada"))
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.post(reverse("account_email"), {"action_add": "", "email": STRANGER})
    assert EmailAddress.objects.filter(email=STRANGER).count() == MOST_CLAIMS
    assert EmailAddress.objects.filter(email=STRANGER, user__username="Ada").exists()


def test_claims_do_not_affect_a_confirmed_address(make_user: MakeUser) -> None:
    owner = make_user("Owner")
    claim(owner, verified=True)
    for n in range(2 * MOST_CLAIMS):
        sign_up(n)
    assert EmailAddress.objects.get(email=STRANGER, verified=True).user == owner


def test_an_address_gets_few_messages_from_any_accounts() -> None:
    clients = [sign_up(n) for n in range(12)]
    for client in clients:
        change_password(client, PASSWORD, "eight of wands")
        client.post(reverse("account_email"), {"action_send": "", "email": STRANGER})
        client.post(RESET, {"email": STRANGER})
    assert all(message.to == [STRANGER] for message in mail.outbox)
    assert [message.subject for message in mail.outbox] == [
        "Talon: Please confirm your email address",
        "Talon: Unknown account",
    ]


def test_a_stranger_gets_three_confirmation_mails_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    clock = SimpleNamespace(time=lambda: now[0], monotonic=time.monotonic, sleep=time.sleep)
    monkeypatch.setattr("allauth.core.internal.ratelimit.time", clock)
    for n in range(10):
        now[0] += 200
        sign_up(n)
    assert len(mail.outbox) == 3


def test_a_forgotten_password_sends_one_message_an_hour(make_user: MakeUser) -> None:
    user = make_user("Ada")
    claim(user, "owner@example.org", verified=True)
    for n in range(4):
        answer = Client().post(RESET, {"email": "Owner@example.org"}, REMOTE_ADDR=f"192.0.2.{n}")
        assert answer.headers["Location"] == reverse("account_reset_password_done")
    (message,) = mail.outbox
    assert message.to == ["owner@example.org"]
    assert "Ada" in str(message.body), "it names the account"
    cache.clear()  # as after an hour
    Client().post(RESET, {"email": "owner@example.org"})
    assert len(mail.outbox) == 2


def test_only_a_confirmed_address_resets_a_password(make_user: MakeUser) -> None:
    for n in range(5):
        claim(make_user(f"Claimant {n}x"))
    Client().post(RESET, {"email": STRANGER})
    (message,) = mail.outbox
    assert "/password/reset/key/" not in str(message.body)
    assert "was never confirmed" in str(message.body)


def test_notices_go_only_to_a_confirmed_address(make_user: MakeUser, sign_in: SignIn) -> None:
    for name, email, verified in (("Ada", "owner@example.org", True), ("Bob", STRANGER, False)):
        user = make_user(name)
        claim(user, email, verified=verified)
        client = sign_in(user)
        client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
        change_password(client, PASSWORD, "eight of wands")
    assert [message.to for message in mail.outbox] == [["owner@example.org"]]


@pytest.fixture
def site(settings: Any) -> None:
    settings.SITE_DOMAIN = "talon.test"
    settings.ALLOWED_HOSTS = ["elsewhere.test"]


def browser() -> Client:
    return Client(headers={"host": "elsewhere.test"})


def test_every_message_names_the_site(site: None) -> None:
    user = get_user_model().objects.create_user("ada", password=PASSWORD, email="ada@ada.test", display_name="Ada")
    EmailAddress.objects.create(user=user, email="ada@ada.test", verified=True, primary=True)
    client = browser()
    client.post("/accounts/password/reset/", {"email": "ada@ada.test"})
    client.post("/accounts/password/reset/", {"email": "nobody@ada.test"})
    sign_up = {"username": "Bob", "email": "bob@ada.test", "password1": PASSWORD}
    client.post("/accounts/signup/", sign_up)
    browser().post("/accounts/signup/", sign_up | {"username": "Cleo", "email": "ada@ada.test"})
    other = browser()
    other.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    changed = {"oldpassword": PASSWORD, "password1": f"{PASSWORD} 2", "password2": f"{PASSWORD} 2"}
    other.post("/accounts/password/change/", changed)
    assert len(mail.outbox) >= 5
    for message in mail.outbox:
        text = f"{message.subject}\n{message.body}"
        assert message.subject.startswith("Talon: ")
        assert "Talon" in str(message.body)
        assert "talon.test" in str(message.body)
        assert "example.com" not in text
        # Links lead to the visitor's own host; no sentence uses that name.
        assert "elsewhere.test" not in re.sub(r"https?://\S+", "", text)


@pytest.mark.parametrize("backend", ["console", "dummy"])
def test_discarding_mail_is_warned_of(backend: str, settings: Any) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    found = run_checks(include_deployment_checks=True)
    assert [check.id for check in found if check.id == "accounts.W001"] == ["accounts.W001"]


def test_sending_mail_is_not_warned_of(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert "accounts.W001" not in [check.id for check in run_checks(include_deployment_checks=True)]
