"""Estimate of a waiting client's time in the queue, as a text for its page."""

from __future__ import annotations

from django.utils import translation
from django.utils.translation import gettext, ngettext

from games.core.errors import A_MINUTE


def wait_text(place: int, per_second: float, language: str, *, is_full: bool) -> str:
    """Return the expected wait at a place in the queue; there is no estimate while all tables are full."""
    with translation.override(language):
        if is_full:
            return gettext("All tables are full right now.")
        minutes = round(place / per_second / A_MINUTE)
        if not minutes:
            return gettext("Less than a minute left.")
        text = ngettext("About %(minutes)d minute left.", "About %(minutes)d minutes left.", minutes)
        return text % {"minutes": minutes}
