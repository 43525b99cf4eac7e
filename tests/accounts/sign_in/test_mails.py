"""Mail: speaks in the site's name, and a backend that discards it is warned of."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.core import mail
from django.core.checks import run_checks
from django.test import Client

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def site(settings: Any) -> None:
    settings.SITE_DOMAIN = "talon.test"
    settings.ALLOWED_HOSTS = ["elsewhere.test"]


def browser() -> Client:
    return Client(headers={"host": "elsewhere.test"})


def test_every_message_names_the_site() -> None:
    user = get_user_model().objects.create_user("ada", password=PASSWORD, email="ada@ada.test", display_name="Ada")
    EmailAddress.objects.create(user=user, email="ada@ada.test", verified=True, primary=True)
    client = browser()
    client.post("/accounts/password/reset/", {"email": "ada@ada.test"})
    client.post("/accounts/password/reset/", {"email": "nobody@ada.test"})
    sign_up = {"username": "Bob", "email": "bob@ada.test", "password1": PASSWORD, "password2": PASSWORD}
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
