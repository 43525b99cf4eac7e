"""Offline pages: identical for everyone and rendered without a request.

The service worker caches them (see `config.assets.service_worker`), so they contain no form, no name and nothing of the
day.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from games.pages.info.rules_page import rules_context
from games.pages.shared.titles import GAME_TITLES
from games.rules import GAMES


@require_safe
@cache_control(no_cache=True)
def page(request: HttpRequest, language: str, game: str = "") -> HttpResponse:  # noqa: ARG001 - the same for everybody
    """Return the offline page in a language; with a game, its rules and lesson."""
    if language not in dict(settings.LANGUAGES) or (game and game not in GAMES):
        raise Http404
    return HttpResponse(rendered(language, game), headers={"Content-Language": language})


@require_safe
@cache_control(no_cache=True)
def unsent(request: HttpRequest, language: str) -> HttpResponse:  # noqa: ARG001 - the same for everybody
    """Return the page shown in a language when a form was submitted without a connection."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    return HttpResponse(rendered_unsent(language), headers={"Content-Language": language})


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
            return render_to_string(f"games/rules/{game}.html", context | rules_context(game))
        return render_to_string("offline/home.html", context | {"games": GAME_TITLES})


def rendered_unsent(language: str) -> str:
    """Render the page for an unsent form as HTML."""
    with translation.override(language):
        return render_to_string("offline/unsent.html", _context(language))


def _context(language: str) -> dict[str, Any]:
    return {"LANGUAGE_CODE": language, "layout": "offline/base.html", "is_offline": True}
