"""The rules of each game, with a lesson."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.pages import titles
from games.rules import CATALOGUE, GAMES


@require_safe
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """The rules of a game, and its variants to practise."""
    if game not in GAMES:
        raise Http404
    variants = [
        {"name": name, "title": titles.VARIANT_TITLES[name]}
        for name, variant in CATALOGUE.items()
        if variant.game == game
    ]
    games = [{"name": name, "title": title} for name, title, _ in titles.games_and_options()]
    context = {"game": game, "title": titles.GAME_TITLES[game], "variants": variants, "games": games}
    return render(request, f"games/rules/{game}.html", context)
