"""URLs of the lanes that ghosts are raced on."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.urls import reverse

from games.bots.roster import BOTS
from games.ghosts import lanes
from games.ghosts.models import Answer
from games.models import Attempt, Deal

#: Name of the certified line where other ghosts have an attempt id.
LINE: Final = "line"


def ghost_beside(attempt: Attempt, requested: str) -> str:
    """Return the URL of the lane to race at an attempt's table; empty if there is none.

    It is the lane of the challenge that the attempt answers, or else the `requested` one. Ranked games have no ghost.
    """
    if attempt.ranked:
        return ""
    challenged = Answer.objects.filter(attempt=attempt).values_list("challenge__attempt__public_id", flat=True).first()
    if challenged is not None:
        return reverse("games:lane", args=[challenged])
    deal, player = attempt.deal, attempt.player_id
    computed = reverse("games:line", args=[attempt.public_id])
    if requested in BOTS:
        return f"{computed}?racer={requested}" if lanes.may_race_bot(deal, player) else ""
    if requested == LINE:
        return computed if deal.solution is not None and lanes.knows_deal(deal, player) else ""
    return lane_address(deal, requested, player)


def lane_address(deal: Deal, ghost: str, player: int | None) -> str:
    """Return the URL of the lane of a ghost on this deal; empty if there is none that the player may race."""
    if ghost == LINE:
        return LINE if deal.solution is not None else ""
    if ghost in BOTS:
        return ghost
    try:
        found = Attempt.objects.select_related("deal").filter(deal=deal, public_id=UUID(ghost)).first()
    except ValueError:
        return ""
    if found is None or not lanes.may_see(found, player):
        return ""
    return reverse("games:lane", args=[found.public_id])
