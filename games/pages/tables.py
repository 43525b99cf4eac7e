"""Tables: the page of a deal before its cards are seen, the first card, and the table itself."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from games.attempts import start_attempt
from games.deals import publishing
from games.deals.publishing import DealAwaitedError, DealClosedError
from games.errors import wants_json
from games.hints import questions
from games.live.opening import opening_view
from games.models import Attempt, Deal
from games.pages import titles
from games.pages.shown import ShownAttempt, ShownDeal, ranked_at
from games.players import check_may_begin, player_for, player_id
from games.rules import CATALOGUE


@require_safe
@never_cache
def play(request: HttpRequest, variant: str) -> HttpResponse:
    """Today's deal of a variant before its first card is seen; a player who has begun is sent to the table."""
    try:
        deal = _todays(variant)
    except DealAwaitedError:
        return _preparing(request, variant)
    attempt = ranked_at(player_id(request), [deal]).get(deal.pk)
    if attempt is not None:
        return redirect("games:table", attempt=attempt.public_id)
    return render(request, "games/play.html", {"deal": ShownDeal.of(deal)})


@require_POST
def start(request: HttpRequest, variant: str) -> HttpResponse:
    """Begin, or go on with, today's deal of a variant; a visitor without an account becomes a guest."""
    check_may_begin(request)
    try:
        deal = _todays(variant)
        attempt = start_attempt(player_for(request), deal)
    except DealClosedError as refusal:
        # The day ended between the click and the first card: the new day's deal is shown.
        if wants_json(request):
            raise
        messages.error(request, refusal.sentence)
        return redirect("games:play", variant=variant)
    except (DealAwaitedError, IntegrityError):
        # It is not there yet; or a guest idle for long was removed at this moment, and may begin again as another.
        return redirect("games:play", variant=variant)
    return redirect("games:table", attempt=attempt.public_id)


@require_safe
@never_cache
@ensure_csrf_cookie
def table(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """The table of the player's own attempt as it stands; all that follows comes over the WebSocket."""
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=attempt)
    if found.player_id != player_id(request):
        if found.is_over and publishing.may_see_seed(found.deal, player_id(request)):
            return redirect("games:replay", attempt=attempt)
        raise PermissionDenied
    context = {
        "deal": ShownDeal.of(found.deal),
        "attempt": ShownAttempt.of(found),
        "opening": opening_view(found),
        "socket": f"/ws/play/{found.public_id}/",
        "may_ask": questions.may_ask(found, player_id(request), timezone.now()),
    }
    return render(request, "games/table.html", context)


def _preparing(request: HttpRequest, variant: str) -> HttpResponse:
    """The page of a deal that is still being certified; it reloads itself."""
    context = {"title": titles.VARIANT_TITLES[variant], "variant": CATALOGUE[variant]}
    response = render(request, "games/preparing.html", context, status=503)
    response["Retry-After"] = "3"
    return response


def _todays(variant: str) -> Deal:
    try:
        return publishing.todays_deal(variant)
    except Deal.DoesNotExist:
        raise Http404 from None
