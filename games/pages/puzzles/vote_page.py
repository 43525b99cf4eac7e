"""Votes on puzzles."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only
from games.core.json_body import json_body
from games.puzzles.models import PuzzleVote, StoredPuzzle
from games.puzzles.votes import cast_vote


@require_POST
@never_cache
@json_only
def vote(request: HttpRequest, number: int) -> HttpResponse:
    """Vote on a puzzle once the try is over: {"vote": "good"}, "bad" or "wrong". Guests may not vote."""
    limits.spend(request, "puzzle")
    stored = get_object_or_404(StoredPuzzle, pk=number)
    if not request.user.is_authenticated:
        raise Refusal(ErrorCode.ACCOUNT_REQUIRED)
    choice = _vote(request)
    cast_vote(request.user, stored, choice)
    return JsonResponse({"vote": choice})


def _vote(request: HttpRequest) -> PuzzleVote.Vote:
    try:
        body: Any = json_body(request)
        return PuzzleVote.Vote(body["vote"])
    except (ValueError, KeyError, TypeError):
        raise Refusal(ErrorCode.BAD_REQUEST, 'send {"vote": "good"}, "bad" or "wrong"') from None
