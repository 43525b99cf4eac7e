"""Ghost selection: board attempts worth racing against."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from games.core.ladders import Ladder
from games.models import Attempt
from leaderboards.boards.listings import deal_listing
from leaderboards.boards.rank_keys import DEAL, BoardScore

_ORDER = ("race_key", "finished_at", "id")


def leader(deal_id: int) -> int | None:
    """Return the attempt that leads the board: established, or a newcomer's if no established player is listed."""
    for ladder in Ladder:
        listed = deal_listing(deal_id, "race", ladder).listed().order_by(*_ORDER)
        for attempt in listed.values_list("attempt", flat=True)[:1]:
            return int(attempt)
    return None


def next_better(own: Attempt) -> int | None:
    """Return the board attempt just better than one with a score, on either ladder, by any other player."""
    score = BoardScore.of(own)
    if score is None:
        return None
    nearest: list[tuple[Any, ...]] = []
    for ladder in Ladder:
        listed = deal_listing(own.deal_id, "race", ladder).listed()
        better = listed.filter(race_key__lt=DEAL["race"].pack(score)).exclude(player=own.player_id)
        worst_first = better.order_by(*(f"-{column}" for column in _ORDER))
        nearest += worst_first.values_list(*_ORDER, "attempt")[:1]
    return int(max(nearest)[-1]) if nearest else None


def among(deal_id: int, players: Collection[int]) -> list[int]:
    """Return the attempts of these players on the board, best first, across ladders."""
    listed = deal_listing(deal_id, "race", None).listed().filter(player__in=players)
    return list(listed.order_by(*_ORDER).values_list("attempt", flat=True))
