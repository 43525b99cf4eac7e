"""Account pages: permissions and design."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.profile import invitations
from accounts.urls import urlpatterns
from tests.accounts.conftest import MakeUser, SignIn

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Rule:
    """Statuses of GET and POST (empty form) for a visitor, a guest and an account; 0 is not tested here."""

    get: tuple[int, int, int]
    post: tuple[int, int, int]


NOT_ALLOWED = (405, 405, 405)
RULES = {
    "language": Rule(NOT_ALLOWED, (302, 302, 302)),
    "deals": Rule(NOT_ALLOWED, (302, 302, 302)),
    "avatar": Rule((200, 200, 200), NOT_ALLOWED),
    "search": Rule((200, 200, 200), NOT_ALLOWED),
    "compare": Rule((200, 200, 200), NOT_ALLOWED),
    "invite": Rule((302, 302, 200), NOT_ALLOWED),
    "join": Rule((200, 200, 200), NOT_ALLOWED),
    "accept": Rule(NOT_ALLOWED, (302, 302, 302)),
    "calendar": Rule(NOT_ALLOWED, (302, 302, 400)),
    "push": Rule(NOT_ALLOWED, (401, 403, 404)),
    "push_race": Rule(NOT_ALLOWED, (401, 403, 404)),
    "calendar_feed": Rule((404, 404, 404), NOT_ALLOWED),
    "me": Rule((302, 302, 302), NOT_ALLOWED),
    "following": Rule((302, 302, 200), NOT_ALLOWED),
    "settings": Rule((302, 200, 200), (302, 422, 422)),
    "rename": Rule(NOT_ALLOWED, (302, 302, 422)),
    "preferences": Rule((302, 200, 200), (302, 400, 400)),
    "download": Rule((302, 0, 302), NOT_ALLOWED),
    "delete": Rule((302, 200, 302), (302, 200, 302)),
    "push_renewed": Rule(NOT_ALLOWED, (404, 404, 404)),
    "sign_in_again": Rule((302, 302, 302), NOT_ALLOWED),
    "profile": Rule((200, 200, 200), NOT_ALLOWED),
    "history": Rule((200, 200, 200), NOT_ALLOWED),
    "ratings": Rule((200, 200, 200), NOT_ALLOWED),
    "puzzle_ratings": Rule((200, 200, 200), NOT_ALLOWED),
    "this_year": Rule((200, 200, 200), NOT_ALLOWED),
    "year": Rule((200, 200, 200), NOT_ALLOWED),
    "follow": Rule(NOT_ALLOWED, (302, 302, 302)),
    "unfollow": Rule(NOT_ALLOWED, (302, 302, 302)),
}
WITH_PLAYER = {"profile", "history", "ratings", "puzzle_ratings", "this_year", "follow", "unfollow"}


def address(name: str, player: User) -> str:
    arguments: dict[str, list[Any]] = {
        "calendar_feed": ["never-given"],
        "avatar": ["guest"],
        "push_race": [19],
        "year": [player.public_id, 2026],
        "compare": [player.public_id, User.objects.get_or_create(username="Another")[0].public_id],
        "join": [invitations.token_of(player)],
        "accept": [invitations.token_of(player)],
        **{shown: [player.public_id] for shown in WITH_PLAYER},
    }
    return reverse(f"players:{name}", args=arguments.get(name, []))


def test_every_address_has_a_rule() -> None:
    assert {pattern.name for pattern in urlpatterns} == set(RULES)


@pytest.mark.parametrize("name", RULES)
def test_each_address_follows_its_rule(
    name: str, user: User, guest: User, make_user: MakeUser, sign_in: SignIn
) -> None:
    shown = make_user()
    browsers = (Client(), sign_in(guest), sign_in(user))
    for method, wanted in (("get", RULES[name].get), ("post", RULES[name].post)):
        for browser, status in zip(browsers, wanted, strict=True):
            if status:
                assert getattr(browser, method)(address(name, shown)).status_code == status, (method, status)


@pytest.mark.parametrize("name", ["following", "settings", "rename", "preferences", "follow", "unfollow"])
def test_scripts_get_an_expired_session_as_json(name: str, make_user: MakeUser) -> None:
    method = "get" if RULES[name].post == NOT_ALLOWED else "post"
    answer = getattr(Client(), method)(address(name, make_user()), headers={"accept": "application/json"})
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "session_expired"


@pytest.mark.parametrize("name", ["rename", "follow"])
def test_scripts_get_the_need_for_an_account_as_json(
    name: str, guest: User, make_user: MakeUser, sign_in: SignIn
) -> None:
    answer = sign_in(guest).post(address(name, make_user()), headers={"accept": "application/json"})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "account_required"


def test_after_an_expired_session_sign_in_leads_to_a_viewable_page(make_user: MakeUser) -> None:
    shown = make_user()
    for name, page in (("rename", reverse("players:settings")), ("follow", shown.get_absolute_url())):
        answer = Client().post(address(name, shown))
        assert answer.headers["Location"] == f"{reverse('account_login')}?next={page}"
        assert Client().get(page).status_code in {200, 302}


@pytest.mark.parametrize("name", sorted(WITH_PLAYER))
def test_unknown_players_are_not_found(name: str, mine: Client) -> None:
    method = "get" if RULES[name].post == NOT_ALLOWED else "post"
    answer = getattr(mine, method)(address(name, User(public_id=uuid.uuid4())))
    assert answer.status_code == 404


ENTRANCE = [
    "account_login", "account_signup", "account_reset_password", "account_reset_password_done", "account_inactive",
    "account_email_verification_sent", "account_reset_password_from_key_done",
]  # fmt: skip
MANAGE = [
    "account_logout", "account_email", "account_change_password", "account_reauthenticate", "mfa_index",
    "mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes",
    "mfa_list_webauthn", "mfa_add_webauthn", "mfa_reauthenticate", "usersessions_list",
]  # fmt: skip


@pytest.mark.parametrize("name", [*ENTRANCE, *MANAGE])
def test_pages_have_the_sites_design(name: str, trusted: Client, user: User) -> None:
    if name in {"mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes", "mfa_reauthenticate"}:
        TOTP.activate(user, "JBSWY3DPEHPK3PXP")
    if name == "mfa_view_recovery_codes":
        RecoveryCodes.activate(user)
    answer = (Client() if name in ENTRANCE else trusted).get(reverse(name))
    assert answer.status_code == 200
    assert "base.html" in {template.name for template in answer.templates}


def test_a_changed_password_leads_to_the_sign_in(client: Client) -> None:
    page = client.get(reverse("account_reset_password_from_key_done")).content.decode()
    assert f'<a class="button" href="{reverse("account_login")}">Sign in</a>' in page
