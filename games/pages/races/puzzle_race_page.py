"""Racer's page of a puzzle race, and its requests: the puzzle to solve and the moves.

The page itself has no puzzle, because it is opened during the countdown.
"""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only
from games.db.players import player_id
from games.pages.puzzles.own_language import in_own_language
from games.pages.puzzles.run_json import puzzle_json, reply_json
from games.pages.puzzles.sent_move import move_of
from games.pages.races.table_opponents import RaceSeat
from games.races import storms
from games.races.finishing import ACTIVE
from games.races.models import Race


@require_safe
@never_cache
@ensure_csrf_cookie
def puzzle_race(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Show a racer the countdown and then their puzzles. Lead to the result or the room if they don't race any more."""
    race = _race(code, number)
    seat = storms.own_seat(race.pk, player_id(request))
    if seat.state not in ACTIVE:
        return redirect("games:race_result", code, number)
    return render(request, "races/puzzle_race.html", {"race": RaceSeat.of_entrant(seat, code)})


@require_POST
@never_cache
@json_only
@in_own_language
def current(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Return the `state` of the player's race, and the `puzzle` to solve, which is null once the time is up.

    Before the start, only the ms until then (`starts_in`) and the server's clock (`now`).
    """
    limits.spend(request, "puzzle")
    try:
        state, puzzle = storms.current(_race(code, number).pk, player_id(request))
    except Refusal as refusal:
        if refusal.code is not ErrorCode.NOT_BEGUN:
            raise
        return JsonResponse(refusal.data)
    return JsonResponse({"state": asdict(state), "puzzle": puzzle_json(puzzle)})


@require_POST
@never_cache
@json_only
@in_own_language
def move(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Play a move as in a storm (`storm_move`)."""
    limits.spend(request, "puzzle")
    (at, turn), token = move_of(request, "at", "turn")
    return JsonResponse(reply_json(storms.play(_race(code, number).pk, player_id(request), at, turn, token)))


def _race(code: str, number: int) -> Race:
    return get_object_or_404(Race.objects.only("pk"), room__code=code, number=number)
