"""Rules of each game, with a lesson."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.manifests import MANIFESTS
from games.presentation import titles
from games.presentation.anonymous_cache import cache_for_anonymous
from games.rules import CATALOGUE, GAMES


@require_safe
@cache_for_anonymous(60.0)
def index(request: HttpRequest) -> HttpResponse:
    """List the games with their variants and links to the rules."""
    variants: dict[str, list[str]] = {}
    for name, variant in CATALOGUE.items():
        variants.setdefault(variant.game, []).append(name)
    games = [
        {"name": name, "title": title, "variants": variants[name], "kindred": MANIFESTS[name].kindred}
        for name, title, _ in titles.games_and_options()
    ]
    return render(request, "games/rules/index.html", {"games": games})


@require_safe
@cache_for_anonymous(60.0)
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """Show the rules of a game, and its variants to practise."""
    if game not in GAMES:
        raise Http404
    return render(request, f"games/rules/{game}.html", titles.rules_context(game))
