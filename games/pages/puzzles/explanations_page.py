"""Explanations at a puzzle: why cards cannot move, and how the game goes on after a losing move."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only
from games.db.players import player_id
from games.puzzles import tries
from games.puzzles.losses import refutations
from games.puzzles.move_check import reasons_at
from games.puzzles.puzzle import Puzzle
from games.puzzles.selection import numbered


@require_safe
@never_cache
@json_only
def why(request: HttpRequest, number: int) -> HttpResponse:
    """Return the `reasons` why the top `cards` cards of `pile` cannot move to the pile `to`, or anywhere without it, at
    the player's turn; they are empty if the cards can move.
    """
    limits.spend(request, "replay")
    stored = numbered(number)
    progress = tries.open_puzzle(player_id(request), stored, timezone.now()).progress
    pile, to = request.GET.get("pile", ""), request.GET.get("to", "")
    reasons = reasons_at(Puzzle.from_json(stored.contents), progress.turn, pile, _number(request, "cards"), to)
    return JsonResponse({"reasons": reasons})


@require_safe
@never_cache
@json_only
def loss(request: HttpRequest, number: int) -> HttpResponse:
    """Return the `steps` of a losing move, `token` at `turn`, and of the game after it."""
    limits.spend(request, "replay")
    stored = numbered(number)
    turn, token = _number(request, "turn"), request.GET.get("token", "")
    return JsonResponse({"steps": refutations.refutation(player_id(request), stored, turn, token)})


def _number(request: HttpRequest, name: str) -> int:
    """Return a small number of the query.

    :raises Refusal: BAD_REQUEST without one.
    """
    text = request.GET.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= 3):
        raise Refusal(ErrorCode.BAD_REQUEST, f"{name} must be a number")
    return int(text)
