"""Pages of allauth: in the site's design, accessible, and usable without scripts."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client
from django.urls import get_resolver, reverse

from accounts.models import User

pytestmark = pytest.mark.django_db

ENTRANCE = [
    "account_login", "account_signup", "account_reset_password", "account_reset_password_done", "account_inactive",
    "account_email_verification_sent", "account_reset_password_from_key_done",
]  # fmt: skip
MANAGE = [
    "account_logout", "account_email", "account_change_password", "account_reauthenticate", "mfa_index",
    "mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes",
    "mfa_list_webauthn", "mfa_add_webauthn", "mfa_reauthenticate", "usersessions_list",
]  # fmt: skip
#: Without their own page: redirects, downloads, answers to scripts, and steps that need an earlier one.
OTHERS = {
    "account_set_password", "account_confirm_email", "account_reset_password_from_key", "account_confirm_login_code",
    "mfa_authenticate", "mfa_download_recovery_codes", "mfa_remove_webauthn", "mfa_edit_webauthn", "mfa_login_webauthn",
    "mfa_reauthenticate_webauthn",
}  # fmt: skip


class Page(HTMLParser):
    """What screen readers need: one heading, labelled fields, named buttons."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings = 0
        self.fields: list[str | None] = []
        self.labels: set[str | None] = set()
        self.inline_code: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.headings += tag == "h1"
        if tag == "label":
            self.labels.add(given.get("for"))
        hidden = given.get("type") in {"hidden", "submit", "button"}
        if tag in {"input", "select", "textarea"} and not hidden and "aria-label" not in given:
            self.fields.append(given.get("id"))
        self.inline_code += [name for name in given if name.startswith("on") or name == "style"]
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.inline_code.append("script")


@pytest.mark.parametrize("name", [*ENTRANCE, *MANAGE])
def test_pages_have_the_sites_design_and_are_accessible(name: str, trusted: Client, user: User) -> None:
    if name in {"mfa_deactivate_totp", "mfa_view_recovery_codes", "mfa_generate_recovery_codes", "mfa_reauthenticate"}:
        TOTP.activate(user, "JBSWY3DPEHPK3PXP")
    if name == "mfa_view_recovery_codes":
        RecoveryCodes.activate(user)
    answer = (Client() if name in ENTRANCE else trusted).get(reverse(name))
    assert answer.status_code == 200
    assert "base.html" in {template.name for template in answer.templates}
    page = Page(answer.content.decode())
    assert page.headings == 1
    assert not set(page.fields) - page.labels, "fields without a label"
    assert page.inline_code == []


def test_all_pages_are_covered() -> None:
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    ours = {name for name in names if name.startswith(("account_", "mfa_", "usersessions_"))}
    assert ours == {*ENTRANCE, *MANAGE, *OTHERS}
