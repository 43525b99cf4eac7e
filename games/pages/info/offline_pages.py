"""Offline pages (`games.presentation.offline`), which the service worker fetches."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from games.presentation import offline
from games.rules import GAMES


@require_safe
@cache_control(no_cache=True)
def page(request: HttpRequest, language: str, game: str = "") -> HttpResponse:  # noqa: ARG001 - the same for everybody
    """Return the offline page in a language; with a game, its rules and lesson."""
    if language not in dict(settings.LANGUAGES) or (game and game not in GAMES):
        raise Http404
    return HttpResponse(offline.rendered(language, game), headers={"Content-Language": language})


@require_safe
@cache_control(no_cache=True)
def unsent(request: HttpRequest, language: str) -> HttpResponse:  # noqa: ARG001 - the same for everybody
    """Return the page shown in a language when a form was submitted without a connection."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    return HttpResponse(offline.rendered_unsent(language), headers={"Content-Language": language})
