"""Asking at a table whether the game can still be won: POST asks, GET looks for the answer, DELETE withdraws."""

from __future__ import annotations

import uuid
from typing import Final

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from games import limits
from games.bodies import json_body
from games.deals.certification import MS_A_MOVE
from games.errors import error_body, too_many
from games.hints import questions
from games.hints.questions import HintRefusedError
from games.limits import RateLimitedError
from games.models import Attempt
from games.pages import replays, titles
from games.players import player_id
from games.rules import Table

_STATUS: Final = {"not_yours": 403, "no_hints": 403, "bad_position": 400, "bad_request": 400}


@require_http_methods(["GET", "POST", "DELETE"])
@never_cache
def can_win(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Ask whether this game can still be won, look for the answer, or withdraw the question.

    POST takes {"n": number of moves} or nothing (the position now) and answers 202; GET answers
    {"state": "looking" or "answered", "n": …, "answer": "yes", "no" or "unknown", "moves": …}, with `?way=1` also
    {"way": tokens}; 404 when nothing was asked. Errors have the site's one shape.
    """
    found = Attempt.objects.select_related("deal").filter(public_id=attempt).first()
    if found is None:
        return _error(404, "not_found", "there is no such game")
    player = player_id(request)
    try:
        if request.method == "DELETE":
            questions.withdraw(found, player)
            return HttpResponse(status=204)
        if request.method == "GET":
            reply = questions.look(found, player)
            if reply is None:
                return _error(404, "not_found", "nothing was asked")
            return JsonResponse(reply.to_json(way=request.GET.get("way") == "1"))
        limits.spend(request, "ask")
        return JsonResponse(questions.ask(found, player, _position(request)).to_json(way=False), status=202)
    except HintRefusedError as error:
        return _error(_STATUS[error.code], error.code, str(error))
    except RateLimitedError as error:
        return too_many(error.retry_after, str(error))


@require_safe
@never_cache
def way_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """The way that was found to win from where the question was asked, in the replay viewer."""
    found, _, _ = _answered(request, attempt)
    context = {
        "attempt": None,
        "deal": found.deal,
        "title": titles.deal_title(found.deal),
        "player": "Talon",
        "mine": False,
        "steps_url": reverse("games:way_steps", args=[attempt]),
    }
    found.deal.seed, found.deal.solution = b"", None
    return render(request, "games/replay.html", context)


@require_safe
@never_cache
def way_steps(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """The view asked about, and what each move of the way changes."""
    limits.spend(request, "replay")
    _, table, way = _answered(request, attempt)
    clock = range(MS_A_MOVE, MS_A_MOVE * (len(way) + 1), MS_A_MOVE)
    return JsonResponse(replays.steps_from(table, way, clock))


def _answered(request: HttpRequest, public_id: uuid.UUID) -> tuple[Attempt, Table, list[str]]:
    """:raises Http404: without a way. :raises PermissionDenied: for a visitor who may not ask."""
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=public_id)
    try:
        answer = questions.way_of(found, player_id(request))
    except HintRefusedError:
        raise PermissionDenied from None
    if answer is None:
        raise Http404
    return found, *answer


def _position(request: HttpRequest) -> int | None:
    if request.content_type != "application/json":
        return None
    try:
        n = json_body(request)["n"]
    except (ValueError, KeyError, TypeError):
        n = ""
    if n is not None and type(n) is not int:
        raise HintRefusedError("bad_request", 'ask with {"n": number of moves}, or with nothing for the position now')
    return n


def _error(status: int, code: str, message: str) -> HttpResponse:
    return JsonResponse(error_body(code, message), status=status)
