"""Replays of finished games with their steps, records and follow-up actions, and verification of uploaded records."""

from __future__ import annotations

import uuid
from typing import Any

from csp.decorators import csp_replace
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from games.analysis import analyses
from games.appeals.reports import may_be_reported
from games.attempts.lifecycle import record_of
from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only
from games.core.json_body import MAX_RECORD_BYTES, parse_json
from games.db.players import check_may_start, has_account, player_for, player_id
from games.deals import publishing
from games.explorer.lookup import explorer_url
from games.ghosts.challenges import may_challenge
from games.models import Attempt
from games.pages.replays.par_comparison import compared
from games.presentation.view_models import ShownDeal, ShownPlayer
from games.races.models import Entrant
from games.races.results import download
from games.replays import continuations, permissions, pictures
from games.replays.steps import steps_of
from games.rules import Record, RecordError, RulesError, replay


@require_safe
@never_cache
def replay_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Show a finished game step by step."""
    found, viewer = permissions.watchable_attempt(attempt, player_id(request)), player_id(request)
    knows_seed, is_public = publishing.may_see_seed(found.deal, viewer), permissions.is_public(found)
    context = {
        "deal": ShownDeal.of(found.deal),
        "player": ShownPlayer.of(found.player),
        "steps_url": reverse("games:steps", args=[attempt]),
        "record_url": reverse("games:record", args=[attempt]) if knows_seed else "",
        "ghosts_url": reverse("games:ghosts", args=[found.deal_id]) if knows_seed else "",
        "embed_url": settings.PUBLIC_URL + reverse("games:embed", args=[attempt]) if is_public else "",
        "is_public": is_public,
        "may_be_shared": permissions.may_be_shared(found, viewer),
        "may_be_analysed": analyses.may_be_analysed(found, viewer),
        "attempt": attempt,
        "compared": compared(found, viewer),
        "may_challenge": may_challenge(found, viewer),
        "may_report": has_account(request) and may_be_reported(found, viewer),
        "explorer_url": explorer_url(found.deal),
    }
    return render(request, "games/replay.html", context)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]
def embed(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Show a public game on a page that other sites may frame. It is identical for every visitor."""
    found = get_object_or_404(Attempt.objects.select_related("deal", "player"), public_id=attempt)
    if not permissions.is_public(found):
        raise PermissionDenied
    context = {
        "deal": ShownDeal.of(found.deal),
        "player": ShownPlayer.of(found.player),
        "steps_url": reverse("games:steps", args=[attempt]),
        "replay_url": settings.PUBLIC_URL + reverse("games:replay", args=[attempt]),
    }
    return render(request, "games/embed.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@json_only
def picture(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Request the animated picture of a game (POST, 202 while it is drawn), or check for it (GET).

    The response is {"state": "drawing"} or {"state": "drawn", "url": …}.
    """
    found = _shareable(request, attempt)
    if request.method == "POST":
        limits.spend(request, "picture")
        is_drawn = pictures.ask(found)
    else:
        is_drawn = pictures.is_drawn(found)
    if is_drawn:
        return JsonResponse({"state": "drawn", "url": reverse("games:picture_gif", args=[attempt])})
    return JsonResponse({"state": "drawing"}, status=202)


@require_safe
def picture_gif(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Return the animated picture of a game, once it is drawn."""
    found = _shareable(request, attempt)
    image = pictures.image_of(found)
    if image is None:
        raise Http404
    cache_scope = "public" if permissions.is_public(found) else "private"
    return HttpResponse(image, content_type="image/gif", headers={"Cache-Control": f"{cache_scope}, max-age=3600"})


@require_POST
def play_on(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Continue a finished game as practice, after its first `n` moves."""
    found = permissions.watchable_attempt(attempt, player_id(request))
    text = request.POST.get("n", "")
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise Refusal(ErrorCode.BAD_REQUEST, "n must be the number of moves made")
    limits.spend(request, "play_on")
    check_may_start(request)
    continued = continuations.play_on(player_for(request), found, int(text))
    return redirect("games:table", attempt=continued.public_id)


@require_GET
def steps(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Return the first view of a finished game and the changes of each token, in the form of the game protocol's
    messages.
    """
    limits.spend(request, "replay")
    return JsonResponse(steps_of(record_of(permissions.watchable_attempt(attempt, player_id(request)))))


@require_GET
def record(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Return the record of a finished game, to keep or to check offline. It includes the seed.

    For a game in a race, the `Link` header refers to the race's file, which has all records and the commitment.
    """
    found = permissions.watchable_attempt(attempt, player_id(request))
    if not publishing.may_see_seed(found.deal, player_id(request)):
        raise PermissionDenied
    name = f"talon-{found.deal.label.replace(' ', '-')}-{found.public_id.hex[:8]}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if race := _race_file_address(found):
        headers["Link"] = f'<{race}>; rel="collection"'
    return JsonResponse(record_of(found).to_json(), headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
def verify(request: HttpRequest) -> HttpResponse:
    """Replay a pasted or uploaded record and show the result, as `python -m games.rules verify` does."""
    context: dict[str, Any] = {"result": None, "error": None, "text": ""}
    status = 200
    if request.method == "POST":
        limits.spend(request, "verify")
        try:
            text = _uploaded_text(request)
            context["text"] = text
            context["result"] = replay(Record.from_json(parse_json(text))).to_json()
        except RulesError as error:
            context["error"], context["detail"], status = ErrorCode.of(error.code).sentence, str(error), 400
        except ValueError:
            context["error"], status = ErrorCode.BAD_JSON.sentence, 400
    if context["result"] and not context["result"]["ok"]:
        context["refusal"] = ErrorCode.of(context["result"]["failure"]["code"]).sentence
    return render(request, "games/verify.html", context, status=status)


def _race_file_address(attempt: Attempt) -> str:
    """Return the URL of the file of the attempt's race; empty outside races, and while the file is secret."""
    entrant = Entrant.objects.select_related("race__room", "race__deal").filter(attempt=attempt).first()
    if entrant is None or not download.is_public(entrant.race):
        return ""
    return reverse("games:race_json", args=[entrant.race.room.code, entrant.race.number])


def _shareable(request: HttpRequest, public_id: uuid.UUID) -> Attempt:
    """Return an attempt whose picture this visitor may share.

    :raises Http404: if there is none.
    :raises Refusal: if the visitor may not watch the game, or its deal is still secret.
    """
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=public_id)
    if not permissions.may_be_shared(found, player_id(request)):
        raise Refusal(ErrorCode.NOT_REVEALED)
    return found


def _uploaded_text(request: HttpRequest) -> str:
    upload = request.FILES.get("file")
    if upload is None:
        return request.POST.get("record", "")
    if upload.size is None or upload.size > MAX_RECORD_BYTES:
        raise RecordError("the file is too large for a record")
    content: bytes = upload.read()
    return content.decode()
