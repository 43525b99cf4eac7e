"""API of game analyses for the replay page, and the comparison with par and the best record."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.analysis import analyses
from games.core import limits
from games.core.addresses import network_of
from games.core.errors import json_only
from games.core.player_networks import remember_network
from games.db.players import player_id
from games.ghosts import choice
from games.models import Attempt
from games.pages.shared.view_models import ShownAttempt, ShownPlayer, attempt_named
from games.replays import access


@require_http_methods(["GET", "POST", "DELETE"])
@never_cache
@json_only
def analysis(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Request an analysis of a game (POST, answers 202), return its state (GET), or withdraw the request (DELETE).

    The response is {"state": "none", "waiting", "working", "done" or "failed", "percent": …, "ahead": …}, plus
    {"verdicts": …, "turns": …} as soon as there are results (docs/analysis.md). DELETE withdraws only the visitor's own
    request.
    """
    found = attempt_named(attempt)
    player = player_id(request)
    if request.method == "DELETE":
        analyses.withdraw(found, player)
        return HttpResponse(status=204)
    if request.method == "POST":
        limits.spend(request, "analyse")
        remember_network(player, network_of(request))
        return JsonResponse(analyses.ask(found, player).to_json(), status=202)
    return JsonResponse(analyses.status(found, player).to_json())


@dataclass(frozen=True, slots=True)
class Compared:
    """A game beside par and the best record of its deal. Either may be missing, and the best may be this game."""

    own: ShownAttempt
    par: int | None
    best: ShownAttempt | None
    best_player: ShownPlayer | None

    @property
    def is_best(self) -> bool:
        """True if this game is the best record."""
        return self.best is not None and self.best.public_id == self.own.public_id

    @property
    def is_won(self) -> bool:
        """True if the game was won."""
        return self.own.end == Attempt.End.WON


def compared(attempt: Attempt, player_id: int | None) -> Compared | None:
    """Return the game's comparison; None before its verdict, or if the player may not see its analysis."""
    if attempt.tokens is None or not access.may_be_shared(attempt, player_id):
        return None
    best = choice.leader_of(attempt.deal, player_id)
    return Compared(
        ShownAttempt.of(attempt),
        attempt.deal.par if attempt.deal.proven else None,
        None if best is None else ShownAttempt.of(best),
        None if best is None else ShownPlayer.of(best.player),
    )
