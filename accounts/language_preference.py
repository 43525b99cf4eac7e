"""Language preference, kept in a cookie, and in the account for other browsers."""

from __future__ import annotations

from typing import Final, Literal, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

_SAMESITE: Final = cast('Literal["Lax"]', settings.LANGUAGE_COOKIE_SAMESITE)


def remembered_language(request: HttpRequest) -> str:
    """Return the language in this browser's cookie, or ``"browser"`` if there is none."""
    choice = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return choice if choice in dict(settings.LANGUAGES) else "browser"


def remember_language(response: HttpResponseBase, choice: object) -> None:
    """Set the cookie to the language ``choice``, or delete it for ``"browser"``."""
    if choice == "browser":
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite=_SAMESITE)
    elif choice in dict(settings.LANGUAGES):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            str(choice),
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite=_SAMESITE,
        )
