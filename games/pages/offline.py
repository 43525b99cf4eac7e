"""The pages for a browser without a connection: the same for everybody, made without the request that asks for them.

The service worker keeps them (see `config.worker`), so they have no form, no name and nothing of the day.
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

from games.pages.rules import rules_context
from games.pages.titles import GAME_TITLES
from games.rules import GAMES


@require_safe
@cache_control(no_cache=True)
def page(request: HttpRequest, language: str, game: str = "") -> HttpResponse:  # noqa: ARG001 - the same for everybody
    """What is shown without a connection, in a language; with a game, its rules and lesson."""
    if language not in dict(settings.LANGUAGES) or (game and game not in GAMES):
        raise Http404
    return HttpResponse(rendered(language, game), headers={"Content-Language": language})


@require_safe
@cache_control(no_cache=True)
def unsent(request: HttpRequest, language: str) -> HttpResponse:  # noqa: ARG001 - the same for everybody
    """What is shown instead of the answer to a form that was sent without a connection, in a language."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    return HttpResponse(rendered_unsent(language), headers={"Content-Language": language})


def unsent_address(language: str) -> str:
    """Where that page is."""
    return reverse("games:offline_unsent", args=[language])


def address_of(language: str, game: str = "") -> str:
    """Where such a page is."""
    return reverse("games:offline_lesson", args=[language, game]) if game else reverse("games:offline", args=[language])


def instead(language: str) -> Iterator[tuple[str, str]]:
    """The addresses of pages that have a page for want of a connection, each with the address of that."""
    return ((reverse("games:rules", args=[game]), address_of(language, game)) for game in GAMES)


def rendered(language: str, game: str = "") -> str:
    """The page as HTML."""
    context = _context(language)
    with translation.override(language):
        if game:
            return render_to_string(f"games/rules/{game}.html", context | rules_context(game))
        return render_to_string("offline/home.html", context | {"games": GAME_TITLES})


def rendered_unsent(language: str) -> str:
    """The page instead of the answer to a form, as HTML."""
    with translation.override(language):
        return render_to_string("offline/unsent.html", _context(language))


def _context(language: str) -> dict[str, Any]:
    return {"LANGUAGE_CODE": language, "layout": "offline/base.html", "is_offline": True}
