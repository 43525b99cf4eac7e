"""Side-by-side replay on one time line: any games that the visitor may see, or all of a finished race."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.core.errors import ErrorCode, Refusal
from games.db.players import player_id
from games.models import Attempt
from games.presentation.view_models import ShownDeal, ShownPlayer
from games.races.models import Race
from games.replays.permissions import watchable_attempt
from games.replays.side_by_side import MAX_GAMES


@dataclass(frozen=True, slots=True)
class Board:
    """One of the games shown."""

    player: ShownPlayer
    own: bool
    steps_url: str
    replay_url: str

    @classmethod
    def of(cls, attempt: Attempt, viewer: int | None) -> Self:
        """Return the visible part of a finished game."""
        own = viewer is not None and attempt.player_id == viewer
        address = [attempt.public_id]
        return cls(
            ShownPlayer.of(attempt.player),
            own,
            reverse("games:steps", args=address),
            reverse("games:replay", args=address),
        )


@require_safe
@never_cache
def together(request: HttpRequest) -> HttpResponse:
    """Show finished games side by side: `?game=<attempt>&game=…`. The visitor must have access to each."""
    try:
        attempt_ids = dict.fromkeys(uuid.UUID(text) for text in request.GET.getlist("game")[: MAX_GAMES + 1])
    except ValueError:
        raise Http404 from None
    if not attempt_ids:
        raise Http404
    if len(attempt_ids) > MAX_GAMES:
        raise Refusal(ErrorCode.BAD_REQUEST)
    viewer = player_id(request)
    return _page(request, [watchable_attempt(public_id, viewer) for public_id in attempt_ids])


@require_safe
@never_cache
def race_replay(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Show all boards of a finished race side by side, in the order of places."""
    race = get_object_or_404(Race, room__code=code, number=number)
    if race.state != Race.State.FINISHED or race.deal is None or not race.deal.is_revealed(timezone.now()):
        raise Refusal(ErrorCode.NOT_REVEALED)
    ran = race.entrants.filter(attempt__state=Attempt.State.VERIFIED, place__isnull=False)
    attempts = [entrant.attempt for entrant in ran.select_related("attempt__deal", "attempt__player").order_by("place")]
    finished = [attempt for attempt in attempts if attempt is not None]
    if not finished:
        raise Http404
    return _page(request, finished[:MAX_GAMES], back=reverse("games:race_result", args=[code, number]))


def _page(request: HttpRequest, attempts: Sequence[Attempt], *, back: str = "") -> HttpResponse:
    context = {
        "deal": ShownDeal.of(attempts[0].deal),
        "boards": [Board.of(attempt, player_id(request)) for attempt in attempts],
        "back": back,
    }
    return render(request, "games/together.html", context)
