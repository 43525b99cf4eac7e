"""Ghost pages: choose a ghost, start a game beside it, and fetch its lane."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Final, Self

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from games.attempts.lifecycle import start_attempt
from games.bots.roster import BOTS, Bot
from games.core import limits
from games.core.errors import ErrorCode, Refusal, json_only
from games.db.players import check_may_start, player_for, player_id
from games.deals import publishing
from games.ghosts import choice, lanes
from games.ghosts.choice import Ghost, Whose
from games.ghosts.lane_addresses import LINE, lane_address
from games.models import Attempt, Deal
from games.presentation.view_models import ShownDeal, ShownPlayer, shown_part
from games.replays.side_by_side import together_url

_GHOST_TITLES: Final = {
    Whose.OWN: gettext_lazy("Your best"),
    Whose.NEXT: gettext_lazy("Next above you"),
    Whose.FRIEND: gettext_lazy("Someone you follow"),
    Whose.LEADER: gettext_lazy("The leader"),
    Whose.LINE: gettext_lazy("The solution"),
    Whose.BOT: gettext_lazy("A bot"),
}


@dataclass(frozen=True, slots=True)
class ShownGhost:
    """A ghost to choose; `ghost` is the form's value, and `attempt` is None for the certified line and for bots."""

    label: str
    ghost: str
    player: ShownPlayer | None
    attempt: uuid.UUID | None
    cards_up: int | None
    elapsed_ms: int | None
    hinted: bool = False
    racer: Bot | None = None

    @classmethod
    def of(cls, ghost: Ghost) -> Self:
        """Return the visible part of `ghost`."""
        label, attempt = str(_GHOST_TITLES[ghost.whose]), ghost.attempt
        if attempt is None:
            name = ghost.bot.slug if ghost.bot else LINE
            return cls(label, name, None, None, None, ghost.elapsed_ms, racer=ghost.bot)
        player = None if ghost.whose == Whose.OWN else ShownPlayer.of(attempt.player)
        return shown_part(
            cls,
            attempt,
            label=label,
            ghost=str(attempt.public_id),
            player=player,
            attempt=attempt.public_id,
            racer=None,
        )


@require_safe
@never_cache
def latest(request: HttpRequest) -> HttpResponse:
    """List ghosts on different deals that the visitor can race at once."""
    found = choice.latest_ghosts(player_id(request))
    offers = [(ShownDeal.of(deal), ShownGhost.of(ghost)) for deal, ghost in found]
    return render(request, "games/latest_ghosts.html", {"offers": offers})


@require_safe
@never_cache
def choose(request: HttpRequest, deal: int) -> HttpResponse:
    """List the ghosts of a deal that the visitor may know."""
    found = get_object_or_404(Deal, pk=deal)
    ghosts = [ShownGhost.of(ghost) for ghost in choice.ghosts_of(found, player_id(request))]
    games = [ghost.attempt for ghost in ghosts if ghost.attempt is not None]
    context = {
        "deal": ShownDeal.of(found),
        "ghosts": ghosts,
        "together": together_url(games) if publishing.may_see_seed(found, player_id(request)) else "",
    }
    return render(request, "games/ghosts.html", context)


@require_POST
def race(request: HttpRequest, deal: int) -> HttpResponse:
    """Start a practice game of a deal beside the ghost named by `ghost`."""
    found = get_object_or_404(Deal, pk=deal)
    if not lanes.knows_deal(found, player_id(request)):
        raise Refusal(ErrorCode.NOT_REVEALED)
    ghost = request.POST.get("ghost", "")
    if not lane_address(found, ghost, player_id(request)):
        raise Refusal(ErrorCode.NOT_FOUND)
    check_may_start(request)
    attempt = start_attempt(player_for(request), publishing.practice_deal("", of=found))
    return redirect(f"{reverse('games:table', args=[attempt.public_id])}?ghost={ghost}")


@require_GET
@never_cache
@json_only
def lane(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Return the lane of a verified game: the number of cards up over time."""
    limits.spend(request, "replay")
    found = get_object_or_404(Attempt.objects.select_related("deal", "player"), public_id=attempt)
    viewer = player_id(request)
    if not lanes.may_see(found, viewer):
        raise Refusal(ErrorCode.NOT_REVEALED)
    own = found.player_id == viewer
    name = _("personal best") if own else _("Former player") if found.player.is_former else str(found.player)
    return JsonResponse(lanes.lane_of(found, name).to_json() | {"own": own})


@require_GET
@never_cache
@json_only
def line(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Return the lane of the certified line of an attempt's deal, or of the bot `racer`, to the attempt's player."""
    limits.spend(request, "replay")
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=attempt)
    if found.player_id != player_id(request):
        raise Refusal(ErrorCode.NOT_YOURS)
    racer = BOTS.get(request.GET.get("racer", ""))
    may_race = lanes.may_race_bot if racer else lanes.knows_deal
    if not may_race(found.deal, found.player_id):
        raise Refusal(ErrorCode.NOT_REVEALED)
    lane = lanes.bot_lane(found.deal, racer) if racer else lanes.line_of(found.deal, _("The solution"))
    if lane is None:
        raise Refusal(ErrorCode.NOT_FOUND)
    return JsonResponse(lane.to_json() | {"own": False})
