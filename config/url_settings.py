"""Settings that hold URLs: a wrong one is refused by its name, before anything connects."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured


def checked_url(name: str, url: str, schemes: Iterable[str]) -> str:
    """Return the URL if it has one of the schemes and a valid port.

    :raises ImproperlyConfigured: with the setting's name, but without the URL, which may contain a password.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - parsed on access
    except ValueError:
        message = f"{name} is not a valid URL: special characters in its password must be percent-encoded"
        raise ImproperlyConfigured(message) from None
    if parts.scheme not in schemes:
        allowed = ", ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name} must begin with one of {allowed} and not with {parts.scheme!r}")
    return url
