"""Replays of finished games, with their steps and records, and the check of a record that a visitor brings."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from games import limits
from games.attempts import record_of
from games.bodies import MAX_RECORD_BYTES, parse_json
from games.deals import publishing
from games.errors import ErrorCode
from games.models import Attempt
from games.pages.shown import ShownDeal, ShownPlayer
from games.players import player_id
from games.rules import Record, RecordError, RulesError, Table, replay


@require_safe
@never_cache
def replay_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """A finished game, step by step."""
    found = _finished(request, attempt)
    context = {
        "deal": ShownDeal.of(found.deal),
        "player": ShownPlayer.of(found.player),
        "steps_url": reverse("games:steps", args=[attempt]),
        "record_url": reverse("games:record", args=[attempt]),
    }
    return render(request, "games/replay.html", context)


@require_GET
def steps(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """The first view of a finished game and what each token changed, in the form of the game protocol's messages."""
    limits.spend(request, "replay")
    return JsonResponse(steps_of(record_of(_finished(request, attempt))))


@require_GET
def record(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """The record of a finished game, to keep or to check offline."""
    found = _finished(request, attempt)
    name = f"talon-{found.deal.label.replace(' ', '-')}-{found.public_id.hex[:8]}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(record_of(found).to_json(), headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
def verify(request: HttpRequest) -> HttpResponse:
    """Replay a pasted or uploaded record and report the result, as `python -m games.rules verify` does."""
    context: dict[str, Any] = {"result": None, "error": None, "text": ""}
    status = 200
    if request.method == "POST":
        limits.spend(request, "verify")
        try:
            text = _given(request)
            context["text"] = text
            context["result"] = replay(Record.from_json(parse_json(text))).to_json()
        except RulesError as error:
            context["error"], context["detail"], status = ErrorCode.of(error.code).sentence, str(error), 400
        except ValueError:
            context["error"], status = ErrorCode.BAD_JSON.sentence, 400
    if context["result"] and not context["result"]["ok"]:
        context["refusal"] = ErrorCode.of(context["result"]["failure"]["code"]).sentence
    return render(request, "games/verify.html", context, status=status)


def steps_of(record: Record) -> dict[str, Any]:
    """A record as the replay viewer reads it: the first view, what each token changes, and the end."""
    steps = steps_from(record.open_table(), record.tokens, record.clock)
    return steps | {"end": {"how": record.end.how, "ms": record.end.ms}}


def steps_from(table: Table, tokens: Sequence[str], clock: Sequence[int]) -> dict[str, Any]:
    """A table's view, and what each of these tokens changes in it; `clock` has a time in ms for each token."""
    view = table.view()
    moved: list[dict[str, Any]] = []
    for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), start=1):
        table.push(token)
        moved.append({"n": n, "token": token, "ms": ms, "changes": table.view_changes()})
    return {"view": view, "moved": moved}


def _finished(request: HttpRequest, public_id: uuid.UUID) -> Attempt:
    """An attempt whose record this visitor may see.

    :raises Http404: when there is none.
    :raises PermissionDenied: while it is being played, or its deal is still secret.
    """
    attempts = Attempt.objects.select_related("deal", "player")
    found = get_object_or_404(attempts, public_id=public_id)
    if not found.is_over or not publishing.may_see_seed(found.deal, player_id(request)):
        raise PermissionDenied
    return found


def _given(request: HttpRequest) -> str:
    upload = request.FILES.get("file")
    if upload is None:
        return request.POST.get("record", "")
    if upload.size is None or upload.size > MAX_RECORD_BYTES:
        raise RecordError("the file is too large for a record")
    content: bytes = upload.read()
    return content.decode()
