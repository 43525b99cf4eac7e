"""Template tags of the account pages: social sign-in, push switches, and the browser of a session."""

from __future__ import annotations

from typing import Any, Final

from django import template
from django.utils.translation import gettext as _

from accounts.push import views
from accounts.sign_in.providers import configured, connections_of

register = template.Library()
register.simple_tag(configured, name="services")
register.simple_tag(connections_of, name="connections")

#: Marks in user agents and their names. The first match counts: most browsers also name others, and phones a desktop.
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iPadOS",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


@register.filter
def browser_name(user_agent: str) -> str:
    """Return text like "Firefox on Linux" for a user agent."""
    browser = next((name for mark, name in _BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in user_agent), "")
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("Unknown browser")


@register.simple_tag(takes_context=True)
def push_settings(context: dict[str, Any]) -> dict[str, object]:
    """Return the push settings in this browser; empty if there are none."""
    return views.shown(context["request"])
