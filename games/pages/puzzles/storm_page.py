"""Puzzle storm: the boards of the day with the start, a run's table, and its result."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from games.core import limits
from games.core.errors import json_only
from games.db.players import check_may_start, has_account, player_for, player_id
from games.pages.puzzles.sent_move import move_of
from games.pages.puzzles.storm_json import puzzle_json, reply_json
from games.puzzles.models import StormRun
from games.puzzles.selection import new_left
from games.puzzles.storm import runs
from games.puzzles.storm.storm_board import board_of, own_storms, place_of


@require_safe
@never_cache
def storm(request: HttpRequest) -> HttpResponse:
    """Show the board of today, the player's own best storms, and the button that starts one."""
    today, me = timezone.now().date(), player_id(request)
    context = {
        "rows": board_of(today),
        "guests": board_of(today, guests=True),
        "day": today,
        "me": me,
        "own": me and own_storms(me),
        "left": new_left(me),
    }
    return render(request, "puzzles/storm.html", context)


@require_POST
@never_cache
def begin_storm(request: HttpRequest) -> HttpResponse:
    """Lead to the table of a run that has not started, creating one if there is none."""
    check_may_start(request)
    return redirect("games:storm_run", runs.begin(player_for(request).pk).public_id)


@require_safe
@never_cache
@ensure_csrf_cookie
def storm_run(request: HttpRequest, run: UUID) -> HttpResponse:
    """Show the table of a player's own run, without a puzzle, or its result once it is over."""
    row = runs.own_run(player_id(request), run)
    if runs.StormState.of(row, timezone.now()).is_over:
        return render(request, "puzzles/storm_result.html", _result(request, row))
    return render(request, "puzzles/storm_run.html", {"run": row})


@require_POST
@never_cache
@json_only
def storm_current(request: HttpRequest, run: UUID) -> HttpResponse:
    """Return the `state` of a run and the `puzzle` to solve; the first request starts the clock."""
    limits.spend(request, "puzzle")
    state, puzzle = runs.show(runs.own_run(player_id(request), run).pk)
    return JsonResponse({"state": asdict(state), "puzzle": puzzle_json(puzzle)})


def _result(request: HttpRequest, row: StormRun) -> dict[str, Any]:
    return {
        "run": row,
        "place": place_of(row, guests=not has_account(request)),
        "own": own_storms(row.player_id),
        "has_account": has_account(request),
        "share_text": _share_text(row),
    }


def _share_text(row: StormRun) -> str:
    """Return the result without anything of the puzzles: a green square for each solved, a red one for each missed."""
    title = f"Talon · {_('Puzzle storm')} {row.day}: {row.solved}"
    marks = "🟩" * row.solved + "🟥" * row.mistakes
    return f"{title}\n{marks}\n{settings.PUBLIC_URL}{reverse('games:storm')}"


@require_POST
@never_cache
@json_only
def storm_move(request: HttpRequest, run: UUID) -> HttpResponse:
    """Play a move at a turn of a puzzle of the run: {"at": 0, "turn": 0, "token": "t3-f"}.

    The answer has the run's `state`, whether the move was `right`, the `steps` that follow a right one, and the `next`
    puzzle once this one is over. The last move may be repeated.
    """
    limits.spend(request, "puzzle")
    (at, turn), token = move_of(request, "at", "turn")
    reply = runs.play(runs.own_run(player_id(request), run).pk, at, turn, token)
    return JsonResponse(reply_json(reply))
