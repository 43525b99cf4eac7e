"""API of game analyses for the replay page."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.analysis import analyses
from games.attempts.player_attempts import attempt_named
from games.core import limits
from games.core.addresses import network_of
from games.core.errors import json_only
from games.core.player_networks import remember_network
from games.db.players import player_id


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
