"""Passkeys, with Chromium's virtual authenticator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site

PASSWORD = "seven of wands"
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def test_a_passkey_alone_signs_in(visit: Callable[..., Any], site: Site) -> None:
    """Created, stored and used through the pages; a passkey needs a host name, so not 127.0.0.1."""
    home = site.url.replace("127.0.0.1", "localhost")
    page = visit(f"{home}/accounts/signup/")
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    page.get_by_label("Name").fill("Pass Keyes")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    page.wait_for_url(f"{home}/")

    page.goto(f"{home}/players/me/settings/")
    page.get_by_role("link", name="Passkeys and second factor").click()
    page.locator("a[href$='webauthn/add/']").click()
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    with page.expect_navigation():  # before the page's scripts run, the button does nothing
        page.get_by_role("button", name="Confirm").click()
    assert page.get_by_label("Sign in with this passkey alone").is_checked()
    page.get_by_role("button", name="Add").click()
    page.wait_for_url("**/recovery-codes/")

    page.goto(f"{home}/players/me/settings/")
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{home}/accounts/login/?next=/players/me/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/players/*-*/")
    assert page.get_by_role("heading", level=1).inner_text().strip() == "Pass Keyes"
