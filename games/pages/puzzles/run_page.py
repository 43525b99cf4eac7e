"""Puzzle storm and streak: the boards with the start, a run's table, and its result."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final
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
from games.pages.puzzles.own_language import in_own_language
from games.pages.puzzles.run_json import puzzle_json, reply_json
from games.pages.puzzles.sent_move import move_of
from games.puzzles.models import PuzzleRun
from games.puzzles.runs import puzzle_runs
from games.puzzles.runs.run_board import best_of, board_of, own_runs, place_of
from games.puzzles.selection import new_left

#: Number of a player's own runs that are listed.
RECENT: Final = 10


@require_safe
@never_cache
def runs(request: HttpRequest, kind: str) -> HttpResponse:
    """Show the board of today's storms or the month's streaks, the player's own best ones, and the button to start."""
    today, me = timezone.now().date(), player_id(request)
    context = {
        "kind": kind,
        "rows": board_of(kind, today),
        "guests": board_of(kind, today, guests=True),
        "day": today,
        "me": me,
        "own": own_runs(me, kind)[:RECENT] if me else (),
        "best": best_of(me, kind) if me else None,
        "unfinished": me and puzzle_runs.unfinished_streak(me) if kind == PuzzleRun.Kind.STREAK else None,
        "left": new_left(me),
    }
    return render(request, "puzzles/runs.html", context)


@require_POST
@never_cache
def begin_run(request: HttpRequest, kind: str) -> HttpResponse:
    """Lead to the table of a run that has not started or of an unfinished streak, creating one if there is none."""
    check_may_start(request)
    return redirect("games:puzzle_run", kind, puzzle_runs.begin(player_for(request).pk, kind).public_id)


@require_safe
@never_cache
@ensure_csrf_cookie
def run(request: HttpRequest, kind: str, run: UUID) -> HttpResponse:
    """Show the table of a player's own run, without a puzzle, or its result once it is over."""
    row = puzzle_runs.own_run(player_id(request), kind, run)
    if puzzle_runs.RunState.of(row, timezone.now()).is_over:
        return render(request, "puzzles/run_result.html", _result(request, row))
    return render(request, "puzzles/run.html", {"run": row})


@require_POST
@never_cache
@json_only
@in_own_language
def run_current(request: HttpRequest, kind: str, run: UUID) -> HttpResponse:
    """Return the `state` of a run and the `puzzle` to solve; the first request starts the clock."""
    limits.spend(request, "puzzle")
    state, puzzle = puzzle_runs.show(puzzle_runs.own_run(player_id(request), kind, run).pk)
    return JsonResponse({"state": asdict(state), "puzzle": puzzle_json(puzzle)})


def _result(request: HttpRequest, row: PuzzleRun) -> dict[str, Any]:
    return {
        "run": row,
        "kind": row.kind,
        "place": place_of(row, guests=not has_account(request)),
        "best": best_of(row.player_id, row.kind),
        "has_account": has_account(request),
        "share_text": _share_text(row),
    }


def _share_text(row: PuzzleRun) -> str:
    """Return the result without anything of the puzzles: a green square for each solved, a red one for each missed."""
    name = _("Puzzle streak") if row.kind == PuzzleRun.Kind.STREAK else _("Puzzle storm")
    marks = "🟩" * row.solved + "🟥" * row.mistakes
    address = settings.PUBLIC_URL + reverse("games:puzzle_runs", args=[row.kind])
    return f"Talon · {name} {row.day}: {row.solved}\n{marks}\n{address}"


@require_POST
@never_cache
@json_only
@in_own_language
def run_move(request: HttpRequest, kind: str, run: UUID) -> HttpResponse:
    """Play a move at a turn of a puzzle of the run: {"at": 0, "turn": 0, "token": "t3-f"}.

    The answer has the run's `state`, whether the move was `right`, the `steps` that follow a right one, and the `next`
    puzzle once this one is over. The last move may be repeated. The token "skip" skips a puzzle of a streak.
    """
    limits.spend(request, "puzzle")
    (at, turn), token = move_of(request, "at", "turn")
    own = puzzle_runs.own_run(player_id(request), kind, run)
    return JsonResponse(reply_json(puzzle_runs.play(own.pk, at, turn, token)))
