"""Pace line of a deal's leader: cards up over time, and nothing else.

An open deal keeps its secrets, so the line reveals neither moves nor undos: it has at most one step a second, and only
rises.
"""

from __future__ import annotations

from typing import Final, TypedDict

from games.attempts.lifecycle import record_of
from games.db.shared_cache import SharedCache
from games.models import Attempt, Deal
from games.rules import Record
from leaderboards.boards import deal_boards

_SECOND: Final = 1000

Point = tuple[int, int]


class PaceLine(TypedDict):
    """Name and pace line of a deal's leader; no points without a leader."""

    name: str
    points: list[Point]


#: Seconds for which a pace line is served, by the site and by browsers.
FRESH: Final = 30.0
pace_lines: Final = SharedCache("pace_lines", PaceLine, fresh=FRESH)


def pace_line(deal: Deal) -> PaceLine:
    """Return the pace of a deal's leader, cached for 30 seconds."""
    return pace_lines.get(str(deal.pk), lambda: _read(deal))


def points_of(record: Record) -> list[Point]:
    """Return `(ms, cards up)` for each second in which the maximum rose, starting at 0."""
    table = record.open_table()
    maximum, points = table.cards_up, [(0, table.cards_up)]
    for token, ms in zip(record.tokens, record.clock, strict=True):
        table.push(token)
        if table.cards_up <= maximum:
            continue
        maximum = table.cards_up
        at = -(-ms // _SECOND) * _SECOND
        if points[-1][0] == at:
            points[-1] = at, maximum
        else:
            points.append((at, maximum))
    return points


def _read(deal: Deal) -> PaceLine:
    for entry in deal_boards.page(deal, limit=1).entries:
        for attempt in Attempt.objects.filter(public_id=str(entry.attempt), state=Attempt.State.VERIFIED):
            return {"name": "" if entry.is_former else entry.name, "points": points_of(record_of(attempt))}
    return {"name": "", "points": []}
