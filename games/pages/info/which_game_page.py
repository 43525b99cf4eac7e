"""Which game suits me? Three questions that lead to a game."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from games.deals import first_game
from games.manifests import MANIFESTS
from games.presentation.anonymous_cache import cache_for_anonymous
from games.presentation.titles import GAME_TITLES
from games.rules import CATALOGUE, GAMES

#: Questions by the name of their field, each with its answers.
_QUESTIONS: Final[dict[str, tuple[Promise, dict[str, Promise]]]] = {
    "known": (
        _("Which of these do you know best?"),
        {name: manifest.kindred.title for name, manifest in MANIFESTS.items()} | {"none": _("None of them")},
    ),
    "length": (
        _("How long should a game take?"),
        {"short": _("A few minutes"), "long": _("A quarter of an hour or more")},
    ),
    "appeal": (
        _("What do you enjoy most?"),
        {"winning": _("Winning often"), "planning": _("Planning far ahead"), "simplicity": _("Simple rules")},
    ),
}


@require_safe
@cache_for_anonymous(60.0)
def which_game(request: HttpRequest) -> HttpResponse:
    """Ask the questions and, if any is answered, suggest a game."""
    answers = {name: request.GET.get(name, "") for name in _QUESTIONS}
    game = max(GAMES, key=lambda name: (_points(name, answers), name == CATALOGUE[first_game.EASIEST].game))
    context = {
        "questions": [
            {
                "name": name,
                "title": title,
                "answers": [(key, text, key == answers[name]) for key, text in choices.items()],
            }
            for name, (title, choices) in _QUESTIONS.items()
        ],
        "game": game if any(answers.values()) else "",
        "title": GAME_TITLES[game],
        "kindred": MANIFESTS[game].kindred,
    }
    return render(request, "games/rules/which.html", context)


def _points(game: str, answers: dict[str, str]) -> int:
    """Return how well a game fits the answers; a game like one already known comes first."""
    manifest = MANIFESTS[game]
    fits_length = answers["length"] == ("short" if manifest.is_short else "long")
    return 3 * (answers["known"] == game) + fits_length + (answers["appeal"] == manifest.appeal)
