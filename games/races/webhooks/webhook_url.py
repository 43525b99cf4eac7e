"""Webhook URLs: the allowed ones, and a short form that does not give them away."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from games.core.errors import ErrorCode, Refusal

MAX_LENGTH: Final = 500
#: Number of characters shown to the host, and the least length of the whole URL for that.
_SHOWN: Final = 4
_LEAST_SECRET: Final = 60

_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# No user, no other port, no fragment, and no path segment such as `..` or `%2e`.
_URL: Final = re.compile(
    rf"https://{_LABEL}(?:\.{_LABEL})+(?::443)?(?P<path>(?:/[A-Za-z0-9_-][A-Za-z0-9._~-]*)+)(?:\?[A-Za-z0-9_=&-]+)?"
)
_NOT_HTTPS: Final = _("The URL of a webhook begins with https://.")
_OTHER_SERVICE: Final = _("This site doesn't post to that service.")


def check_url(text: str) -> str:
    """Return the URL in the text.

    :raises Refusal: bad_webhook if it is malformed, or not a webhook of an allowed service.
    """
    url = text.strip()
    if not url.startswith("https://"):
        raise Refusal(ErrorCode.BAD_WEBHOOK, _NOT_HTTPS)
    found = _URL.fullmatch(url) if len(url) <= MAX_LENGTH else None
    if found is None:
        raise Refusal(ErrorCode.BAD_WEBHOOK)
    prefixes = [path for host, path in _services() if host == host_of(url)]
    if not prefixes:
        raise Refusal(ErrorCode.BAD_WEBHOOK, _OTHER_SERVICE)
    if not any(found["path"].startswith(prefix) for prefix in prefixes):
        raise Refusal(ErrorCode.BAD_WEBHOOK)
    return url


def is_allowed(url: str) -> bool:
    """Return whether results may be posted to the URL."""
    try:
        return check_url(url) == url
    except Refusal:
        return False


def host_of(url: str) -> str:
    """Return the URL's host, the only part of it that may be logged or shown to staff."""
    return urlsplit(url).hostname or ""


def short_form(url: str) -> str:
    """Return what the host sees of the URL: its host, and the last characters if there are enough others."""
    return f"{host_of(url)}/…{url[-_SHOWN:] if len(url) >= _LEAST_SECRET else ''}"


def _services() -> list[tuple[str, str]]:
    """Return the allowed services as host and beginning of the path."""
    parts = [service.partition("/") for service in settings.WEBHOOK_SERVICES]
    return [(host, f"/{path.strip('/')}/" if path else "/") for host, _slash, path in parts]
