"""Notices to players whose ratings moved because of a decision about another player's record."""

from __future__ import annotations

from collections.abc import Mapping

from django.urls import reverse

from games.ghosts.models import Notice
from games.inbox import notices
from games.races.models import Race

Moved = Mapping[int, tuple[int, int]]
"""Displayed ratings before and after, by player."""


def notify_moved(race_id: int, moved: Moved) -> None:
    """Put a notice into each player's inbox, with a link to the race's result."""
    room, number = Race.objects.values_list("room__code", "number").get(pk=race_id)
    address = reverse("games:race_result", args=[room, number])
    for player, (before, after) in sorted(moved.items()):
        notices.put(player, Notice.Kind.RATING_MOVED, {"address": address, "before": before, "after": after})
