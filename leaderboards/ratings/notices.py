"""Tells players that a decision about somebody's record has moved their ratings."""

from __future__ import annotations

from collections.abc import Mapping

from django.urls import reverse

from games.ghosts import inbox
from games.ghosts.models import Notice
from games.races.models import Race

Moved = Mapping[int, tuple[int, int]]
"""By player: the shown rating before and after."""


def tell_moved(race_id: int, moved: Moved) -> None:
    """Put a notice into the inbox of each of those players, with the way to the race's result."""
    room, number = Race.objects.values_list("room__code", "number").get(pk=race_id)
    address = reverse("games:race_result", args=[room, number])
    for player, (before, after) in sorted(moved.items()):
        inbox.put(player, Notice.Kind.RATING_MOVED, {"address": address, "before": before, "after": after})
