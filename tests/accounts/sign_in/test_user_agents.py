"""The list of sessions names browsers and systems."""

from __future__ import annotations

import pytest
from django.utils import translation

from accounts.templatetags.account_pages import browser_name

MAC, ANDROID = "Macintosh; Intel Mac OS X 10_15_7", "Linux; Android 10; K"
WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/140.0.0.0 Safari/537.36", "Chrome on Windows"),
        (f"Mozilla/5.0 ({MAC}) {WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0", "Edge on macOS"),
        (f"Mozilla/5.0 ({ANDROID}) {WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"),
        (f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) {WEBKIT} Version/18.5 Safari/604.1", "Safari on iOS"),
        ("curl/8.14.1", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_browser_and_system_are_named(user_agent: str, name: str) -> None:
    with translation.override("en-gb"):
        assert browser_name(user_agent) == name
