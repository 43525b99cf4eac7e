"""API and pages for winnability questions and hints in a running game."""

from __future__ import annotations

import uuid

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.attempts.player_attempts import attempt_named
from games.core import limits
from games.core.addresses import network_of
from games.core.errors import ErrorCode, Refusal, json_only
from games.core.json_body import json_body
from games.core.player_networks import remember_network
from games.db.players import player_id
from games.deals.certification import MS_A_MOVE
from games.hints import questions
from games.hints.advice import advise
from games.models import Attempt
from games.presentation.view_models import ShownDeal
from games.replays.steps import steps_from
from games.rules import Table


@require_http_methods(["GET", "POST", "DELETE"])
@never_cache
@json_only
def can_win(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Ask if this game can still be won (POST), return the answer (GET), or withdraw the question (DELETE).

    POST takes {"n": number of moves}, or no body for the current position, and answers 202. GET answers {"state":
    "looking" or "answered", "n": …, "answer": "yes", "no" or "unknown", "moves": …}, with `?way=1` also {"way":
    tokens}, for a lost position {"back": number of moves to undo to reach a winning one}, if known, and 404 without a
    question.
    """
    found = attempt_named(attempt)
    player = player_id(request)
    if request.method == "DELETE":
        questions.withdraw(found, player)
        return HttpResponse(status=204)
    if request.method == "GET":
        reply = questions.status(found, player)
        if reply is None:
            raise Refusal(ErrorCode.NOT_FOUND, "no question was asked")
        return JsonResponse(reply.to_json(way=request.GET.get("way") == "1"))
    _spend_search(request)
    reply = questions.ask(found, player, _position(request))
    questions.mark_hinted(found)
    return JsonResponse(reply.to_json(way=False), status=202)


@require_POST
@never_cache
@json_only
def hint(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Return a good next move: {"state": "answered", "token": …, "why": "way", "back", "return" or "likely"}, or
    "looking" with 202.

    "back" and "return" come with "moves", the number of moves to undo, and "to", the number of moves left after that;
    "more": true means that the player has begun to undo. "provisional": true means that the search continues and a
    later answer may differ, "lost": true that the deal cannot be won at all.

    Clients repeat the request after "looking"; only the start of a search counts against the limit.
    """
    limits.spend(request, "hint")
    found = attempt_named(attempt)
    advice = advise(found, player_id(request), lambda: _spend_search(request))
    if advice is None:
        return JsonResponse({"state": "looking"}, status=202)
    questions.mark_hinted(found)
    return JsonResponse(advice.to_json())


def _spend_search(request: HttpRequest) -> None:
    """Count a search, and remember whose it is.

    :raises RateLimitedError: when there have been too many.
    """
    limits.spend(request, "ask")
    remember_network(player_id(request), network_of(request))


@require_safe
@never_cache
def way_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Show the winning line from the position asked about in the replay viewer."""
    found, _, _ = _winning_line(request, attempt)
    context = {
        "deal": ShownDeal.of(found.deal),
        "player": "Talon",
        "steps_url": reverse("games:way_steps", args=[attempt]),
    }
    return render(request, "games/replay.html", context)


@require_safe
@never_cache
def way_steps(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Return the view of the position asked about, and the changes of each move of the winning line."""
    limits.spend(request, "replay")
    _, table, way = _winning_line(request, attempt)
    clock = range(MS_A_MOVE, MS_A_MOVE * (len(way) + 1), MS_A_MOVE)
    return JsonResponse(steps_from(table, way, clock))


def _winning_line(request: HttpRequest, public_id: uuid.UUID) -> tuple[Attempt, Table, list[str]]:
    """Return the attempt, its table at the position asked about, and the winning line.

    :raises Http404: if no winning line was found.
    :raises Refusal: if the visitor may not ask.
    """
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=public_id)
    position_and_line = questions.way_of(found, player_id(request))
    if position_and_line is None:
        raise Http404
    return found, *position_and_line


def _position(request: HttpRequest) -> int | None:
    if request.content_type != "application/json":
        return None
    try:
        n = json_body(request)["n"]
    except (ValueError, KeyError, TypeError):
        n = ""
    if n is not None and type(n) is not int:
        raise Refusal(ErrorCode.BAD_REQUEST, 'send {"n": number of moves}, or no body for the current position')
    return n
