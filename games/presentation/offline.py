"""Offline pages: identical for everyone and rendered without a request.

The service worker caches them (see `config.assets.service_worker`), so they contain no form, no name and nothing of the
day.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from games.presentation import titles
from games.rules import GAMES


def unsent_address(language: str) -> str:
    """Return the URL of the page for an unsent form."""
    return reverse("games:offline_unsent", args=[language])


def address_of(language: str, game: str = "") -> str:
    """Return the URL of an offline page."""
    return reverse("games:offline_lesson", args=[language, game]) if game else reverse("games:offline", args=[language])


def replacements(language: str) -> Iterator[tuple[str, str]]:
    """Yield the URL of each page with an offline replacement, and the replacement's URL."""
    return ((reverse("games:rules", args=[game]), address_of(language, game)) for game in GAMES)


def rendered(language: str, game: str = "") -> str:
    """Render the offline page as HTML."""
    context = _context(language)
    with translation.override(language):
        if game:
            return render_to_string(f"games/rules/{game}.html", context | titles.rules_context(game))
        return render_to_string("offline/home.html", context | {"games": titles.GAME_TITLES})


def rendered_unsent(language: str) -> str:
    """Render the page for an unsent form as HTML."""
    with translation.override(language):
        return render_to_string("offline/unsent.html", _context(language))


def _context(language: str) -> dict[str, Any]:
    return {"LANGUAGE_CODE": language, "layout": "offline/base.html", "is_offline": True}
