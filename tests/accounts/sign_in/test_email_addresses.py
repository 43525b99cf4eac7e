"""Email addresses, and the messages sent to them."""

from __future__ import annotations

import re
import time
from collections import Counter
from functools import partial
from smtplib import SMTPServerDisconnected
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import get_hasher
from django.core import mail
from django.core.cache import cache
from django.core.checks import run_checks
from django.core.mail import EmailMessage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from prometheus_client import REGISTRY

from accounts import tasks
from accounts.models import User
from accounts.sign_in.email_addresses import MOST_CLAIMS
from accounts.sign_in.guests import create_guest
from games.core import limits
from tests.accounts.conftest import PASSWORD, MakeUser, SignIn

pytestmark = pytest.mark.django_db

SIGN_IN, SIGN_UP, RESET = reverse("account_login"), reverse("account_signup"), reverse("account_reset_password")
STRANGER = "stranger@example.org"
Tasks = list[tuple[str, tuple[Any, ...]]]


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
    claims = EmailAddress.objects.filter(email=STRANGER)
    newest = {f"Claimant {n}x" for n in range(MOST_CLAIMS, 2 * MOST_CLAIMS)}
    assert set(claims.values_list("user__username", flat=True)) == newest
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


@pytest.mark.usefixtures("worker")
def test_an_address_gets_few_messages_from_any_accounts() -> None:
    clients = [sign_up(n) for n in range(12)]
    for client in clients:
        change_password(client, PASSWORD, "eight of wands")
        client.post(reverse("account_email"), {"action_send": "", "email": STRANGER})
        client.post(RESET, {"email": STRANGER})
    assert all(message.to == [STRANGER] for message in mail.outbox)
    assert [message.subject for message in mail.outbox] == ["Talon: Please confirm your email address"]


def test_a_stranger_gets_three_confirmation_mails_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    clock = SimpleNamespace(time=lambda: now[0], monotonic=time.monotonic, sleep=time.sleep)
    monkeypatch.setattr("allauth.core.internal.ratelimit.time", clock)
    for n in range(10):
        now[0] += 200
        sign_up(n)
    assert len(mail.outbox) == 3


@pytest.mark.usefixtures("worker")
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


def test_a_reset_does_the_same_for_every_address(make_user: MakeUser, worker: Tasks) -> None:
    """Neither the answer nor the work of the request tells whether an address has an account."""
    claim(owner := make_user("Ada"), "owner@example.org", verified=True)
    claim(make_user("Bob"), "banned@example.org", verified=True)
    User.objects.filter(username="Bob").update(is_active=False)
    for n in range(MOST_CLAIMS):
        claim(make_user(f"Claimant {n}x"))
    answers, work = set(), set()
    for email in ("owner@example.org", "banned@example.org", STRANGER, "unknown@example.org"):
        worker.clear()
        with CaptureQueriesContext(connection) as queries, pytest.MonkeyPatch.context() as patch:
            patch.setattr(tasks.send_reset_mail, "run", lambda *_: None)
            answer = Client().post(RESET, {"email": email})
        answers.add((answer.status_code, answer.headers["Location"], answer.content))
        work.add((len(queries), *(name for name, _ in worker)))
        assert not mail.outbox
        for _, args in worker:
            tasks.send_reset_mail(*args)
        assert [message.to for message in mail.outbox] == [["owner@example.org"]] * (email == "owner@example.org")
        mail.outbox.clear()
    assert len(answers) == len(work) == 1
    assert User.objects.get(pk=owner.pk).check_password(PASSWORD)


def test_a_reset_that_no_queue_takes_is_refused_and_may_be_repeated(
    make_user: MakeUser, worker: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(make_user("Ada"), "owner@example.org", verified=True)
    with monkeypatch.context() as down:
        down.setattr("accounts.forms.request_task", lambda *_: False)
        for email in ("owner@example.org", "unknown@example.org"):
            assert Client().post(RESET, {"email": email}).status_code == 503
    Client().post(RESET, {"email": "owner@example.org"})
    assert [message.to for message in mail.outbox] == [["owner@example.org"]]


def test_a_reset_mail_is_repeated_while_the_mail_server_refuses(
    make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(user := make_user("Ada"), "owner@example.org", verified=True)
    failures = [SMTPServerDisconnected("away"), TimeoutError()]
    send = EmailMessage.send

    def refuse(message: EmailMessage) -> int:
        if failures:
            raise failures.pop()
        return send(message)

    monkeypatch.setattr(EmailMessage, "send", refuse)
    tasks.send_reset_mail.apply(args=(user.pk, "de"))
    (message,) = mail.outbox
    assert "Passwort" in str(message.body)


def test_mails_to_strangers_have_daily_budgets(make_user: MakeUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "confirmation", "2/d")
    monkeypatch.setitem(limits.RATES, "confirmation_site", "3/d")
    claim(make_user("Ada"), "owner@example.org", verified=True)
    withheld = partial(REGISTRY.get_sample_value, "talon_mails_withheld_total")
    before = withheld({"budget": "confirmation_site"}) or 0.0

    def pages(network: str, *emails: str) -> list[str]:
        found = []
        for email in emails:
            client = Client(REMOTE_ADDR=network)
            form = {"username": f"Player {email.partition('@')[0]}", "email": email, "password1": PASSWORD}
            found.append(client.post(SIGN_UP, form, follow=True).content.decode())
        return found

    later = "any more confirmation mails today"
    one = pages("192.0.2.1", "a@x.test", "b@x.test", "c@x.test", "owner@example.org")
    assert [later in page for page in one] == [False, False, True, True], "an address in use gets the same answer"
    assert [f"Confirmation email sent to {name}@x.test." in page for page, name in zip(one, "abc", strict=False)] == [
        True, True, False,
    ]  # fmt: skip
    assert withheld({"budget": "confirmation_site"}) == before, "a network at its limit does not use the site's up"
    two = pages("192.0.2.2", "d@x.test", "e@x.test")
    assert [later in page for page in two] == [False, True]
    assert withheld({"budget": "confirmation_site"}) == before + 1
    assert [message.to for message in mail.outbox] == [["a@x.test"], ["b@x.test"], ["d@x.test"]]
    assert User.objects.filter(username__startswith="Player ").count() == 6, "the accounts work meanwhile"


def test_a_used_up_budget_withholds_no_mail_to_a_confirmed_address(
    make_user: MakeUser, sign_in: SignIn, worker: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    for budget in ("confirmation", "confirmation_site"):
        monkeypatch.setitem(limits.RATES, budget, "0/d")
    user = make_user("Ada")
    claim(user, "owner@example.org", verified=True)
    client = sign_in(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    change_password(client, PASSWORD, "eight of wands")
    Client().post(RESET, {"email": "owner@example.org"})
    assert [message.to for message in mail.outbox] == [["owner@example.org"]] * 2


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
    settings.PUBLIC_URL = "https://talon.test"
    settings.ALLOWED_HOSTS = ["talon.test"]


def browser() -> Client:
    return Client(headers={"host": "talon.test:4711"})


@pytest.mark.usefixtures("site", "worker")
def test_every_message_names_the_site_and_links_to_it() -> None:
    """The Host header of a request may name any port: no mail follows it."""
    user = get_user_model().objects.create_user("ada", password=PASSWORD, email="ada@ada.test", display_name="Ada")
    EmailAddress.objects.create(user=user, email="ada@ada.test", verified=True, primary=True)
    client = browser()
    client.post("/accounts/password/reset/", {"email": "ada@ada.test"})
    sign_up = {"username": "Bob", "email": "bob@ada.test", "password1": PASSWORD}
    client.post("/accounts/signup/", sign_up)
    browser().post("/accounts/signup/", sign_up | {"username": "Cleo", "email": "ada@ada.test"})
    other = browser()
    other.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    changed = {"oldpassword": PASSWORD, "password1": f"{PASSWORD} 2", "password2": f"{PASSWORD} 2"}
    other.post("/accounts/password/change/", changed)
    assert len(mail.outbox) == 4
    for message in mail.outbox:
        text = f"{message.subject}\n{message.body}"
        assert message.subject.startswith("Talon: ")
        assert "Talon" in str(message.body)
        assert "talon.test" in str(message.body)
        assert "example.com" not in text
        assert "4711" not in text
        assert all(link.startswith("https://talon.test/") for link in re.findall(r"https?://\S+", text))
    assert len([message for message in mail.outbox if "https://talon.test/" in str(message.body)]) == 3


@pytest.mark.parametrize("backend", ["console", "dummy"])
def test_discarding_mail_is_warned_of(backend: str, settings: Any) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    found = run_checks(include_deployment_checks=True)
    assert [check.id for check in found if check.id == "accounts.W001"] == ["accounts.W001"]


def test_sending_mail_is_not_warned_of(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert "accounts.W001" not in [check.id for check in run_checks(include_deployment_checks=True)]
