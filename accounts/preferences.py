"""Site and table preferences: a fixed list of settings, each with its choices and default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

Value = str | bool

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


def _is_choice(name: str, value: object) -> bool:
    # 0 and 1 equal False and True, but a client that sends them has mistaken the field.
    return any(value == choice and type(value) is type(choice) for choice in PREFERENCES[name])
