"""Second factors: authenticator apps, recovery codes and passkeys."""

from __future__ import annotations

import json
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from cryptography.fernet import InvalidToken
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.sign_in.second_factors import SecretsAdapter
from config.doctor.templatetags import site_health
from games.models import Attempt
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeUser, SignIn
from tests.factories import make_deal

pytestmark = pytest.mark.django_db

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def code(secret: str = SECRET) -> str:
    counter = next(iter(yield_hotp_counters_from_time()))
    return str(format_hotp_value(hotp_value(secret, counter)))


@pytest.fixture
def protected(user: User) -> User:
    """An account with an authenticator app and recovery codes."""
    TOTP.activate(user, SECRET)
    RecoveryCodes.activate(user)
    return user


def give_password(client: Client) -> Any:
    return client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD})


def test_an_app_is_set_up(user: User, trusted: Client) -> None:
    page = trusted.get(reverse("mfa_activate_totp"))
    secret = page.context["form"].secret
    assert "otpauth" not in page.content.decode()  # only in the picture
    trusted.post(reverse("mfa_activate_totp"), {"code": code(secret)})
    stored = Authenticator.objects.get(user=user, type="totp")
    assert secret not in json.dumps(stored.data)
    assert TOTP(stored).validate_code(code(secret)) is not None


def test_setting_up_asks_for_the_password(mine: Client) -> None:
    for name in ("mfa_activate_totp", "mfa_add_webauthn"):
        answer = mine.get(reverse(name))
        assert answer.headers["Location"].startswith(reverse("account_reauthenticate"))


def test_the_password_alone_does_not_sign_in(protected: User, client: Client) -> None:
    assert give_password(client).headers["Location"] == reverse("mfa_authenticate")
    assert "_auth_user_id" not in client.session
    client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert "_auth_user_id" not in client.session
    client.post(reverse("mfa_authenticate"), {"code": code()})
    assert client.session["_auth_user_id"] == str(protected.pk)


def test_a_guest_keeps_attempts_after_the_second_factor(
    protected: User, guest: User, sign_in: SignIn, make_attempt: MakeAttempt
) -> None:
    attempt = make_attempt(guest, make_deal())
    client = sign_in(guest)
    assert give_password(client).headers["Location"] == reverse("mfa_authenticate")
    assert client.get(reverse("mfa_authenticate")).status_code == 200
    assert Attempt.objects.get().player == guest  # not before the second factor
    client.post(reverse("mfa_authenticate"), {"code": code()})
    attempt.refresh_from_db()
    assert attempt.player == protected
    assert client.session["_auth_user_id"] == str(protected.pk)


def test_staff_need_their_second_factor_for_the_admin(protected: User, client: Client) -> None:
    User.objects.filter(pk=protected.pk).update(is_staff=True)
    client.post(reverse("admin:login"), {"username": "Ada Lovelace", "password": PASSWORD})
    assert "_auth_user_id" not in client.session


@pytest.fixture
def staff(user: User, settings: Any, monkeypatch: pytest.MonkeyPatch) -> User:
    settings.STAFF_SECOND_FACTOR = True
    monkeypatch.setattr(site_health, "findings", list)  # the checks would go on after the test
    User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    return user


PAGES = ["admin:index", "admin:accounts_user_changelist", "admin:accounts_ban", "admin:desk_queue"]


@pytest.mark.parametrize("page", PAGES)
def test_staff_without_a_second_factor_must_add_one(staff: User, sign_in: SignIn, page: str) -> None:
    client = sign_in(staff)
    answer = client.get(reverse(page), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("mfa_index")
    assert "Staff need a second factor" in answer.content.decode()
    assert client.post(reverse(page), {"action": "ban"}).status_code == 302


@pytest.mark.parametrize("page", PAGES)
def test_staff_show_their_second_factor_in_each_session(staff: User, sign_in: SignIn, page: str) -> None:
    """A session from before the factor was added has not shown it."""
    TOTP.activate(staff, SECRET)
    client, address = sign_in(staff), reverse(page)
    answer = client.get(address, follow=True)
    prompt = answer.redirect_chain[-1][0]
    assert prompt.startswith(reverse("mfa_reauthenticate"))
    client.post(prompt, {"code": "000000"})
    assert client.get(address).status_code == 302
    assert client.post(prompt, {"code": code(), "next": address}).headers["Location"] == address
    assert client.get(address).status_code != 302


def test_staff_with_a_second_factor_enter_the_admin(staff: User, client: Client) -> None:
    TOTP.activate(staff, SECRET)
    give_password(client)
    client.post(reverse("mfa_authenticate"), {"code": code()})
    assert client.get(reverse("admin:index")).status_code == 200
    assert client.get(reverse("admin:desk_queue")).status_code == 200


def test_a_site_can_do_without_second_factors(staff: User, sign_in: SignIn, settings: Any) -> None:
    settings.STAFF_SECOND_FACTOR = False
    assert sign_in(staff).get(reverse("admin:index")).status_code == 200


def test_players_are_not_asked_for_a_second_factor(staff: User, sign_in: SignIn, make_user: MakeUser) -> None:
    assert sign_in(make_user("Charles")).get(reverse("admin:index"), follow=True).status_code == 403
    assert Client().get(reverse("admin:index"), follow=True).redirect_chain[-1][0].startswith(reverse("account_login"))


def test_the_sign_in_page_offers_passkeys(client: Client) -> None:
    page = client.get(reverse("account_login")).content.decode()
    assert 'id="passkey_login"' in page
    assert 'form="mfa_login"' in page
    assert "mfa/js/webauthn.js" in page
    options = client.get(reverse("mfa_login_webauthn"), headers={"accept": "application/json"}).json()
    assert options["request_options"]["publicKey"]["challenge"]


def test_an_invalid_passkey_does_not_sign_in(client: Client) -> None:
    client.get(reverse("mfa_login_webauthn"), headers={"accept": "application/json"})
    client.post(reverse("mfa_login_webauthn"), {"credential": "{}"})
    assert "_auth_user_id" not in client.session


def test_an_unconfirmed_address_allows_no_second_factor(user: User, mine: Client) -> None:
    """Otherwise a stranger could sign up with another person's address and lock them out."""
    EmailAddress.objects.create(user=user, email="ada@example.org", primary=True)
    mine.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    for name in ("mfa_activate_totp", "mfa_add_webauthn"):
        assert mine.get(reverse(name)).headers["Location"] == reverse("mfa_index")
        assert mine.post(reverse(name), {"code": "000000"}).headers["Location"] == reverse("mfa_index")


def test_secrets_survive_a_change_of_the_key(settings: Any) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "old", []
    stored = SecretsAdapter().encrypt("secret")
    assert "secret" not in stored
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new", ["old"]
    assert SecretsAdapter().decrypt(stored) == "secret"
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(InvalidToken):
        SecretsAdapter().decrypt(stored)
