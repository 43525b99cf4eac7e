"""Site and table preferences: a fixed list of settings, each with its choices and default.

The language is also kept in a cookie, for visitors without an account.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext_lazy as _

Value = str | bool

_SAMESITE: Final = cast('Literal["Lax"]', settings.LANGUAGE_COOKIE_SAMESITE)

#: Choices of every preference; the first is the default.
PREFERENCES: Final[Mapping[str, tuple[Value, ...]]] = {
    "language": ("browser", *dict(settings.LANGUAGES)),
    "theme": ("system", "light", "dark"),
    "table": ("green", "blue", "red", "slate"),
    "back": ("lattice", "waves", "plain"),
    "motion": ("system", "full", "reduced"),
    "card_face": ("classic", "large", "colours"),
    "left_handed": (False, True),
    "one_tap": (True, False),
    "letter_keys": (True, False),
    "auto_up": ("off", "safe", "all"),
    "hide_clock": (False, True),
    "hide_others": (False, True),
    "sound": (False, True),
    "hide_presence": (False, True),
    "puzzles_from_practice": (False, True),
}


def preferences_of(stored: Mapping[str, object]) -> dict[str, Value]:
    """Return all preferences, chosen or default. Stored settings that are not on the list are left out."""
    chosen: Mapping[str, Any] = {name: stored.get(name) for name in PREFERENCES}
    return {
        name: chosen[name] if _is_choice(name, chosen[name]) else choices[0] for name, choices in PREFERENCES.items()
    }


def clean_preferences(changes: object) -> dict[str, Value]:
    """Check the preferences that a client wants to change.

    :raises ValidationError: if ``changes`` is not an object, or names an unknown preference or choice.
    """
    if not isinstance(changes, Mapping):
        raise ValidationError(_("Preferences must be an object."), code="preferences")
    for name, value in changes.items():
        if name not in PREFERENCES:
            raise ValidationError(_("There is no preference “%(name)s”."), code="preferences", params={"name": name})
        if not _is_choice(name, value):
            raise ValidationError(_("“%(name)s” cannot be set to that."), code="preferences", params={"name": name})
    return dict(changes)


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


def _is_choice(name: str, value: object) -> bool:
    # 0 and 1 equal False and True, but a client that sends them has mistaken the field.
    return any(value == choice and type(value) is type(choice) for choice in PREFERENCES[name])
