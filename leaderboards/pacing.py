"""The pace of a deal's leader: how many cards were up after so many seconds, and nothing else.

A deal that is open keeps its secrets, so the line says neither moves nor what was taken back: it has one step a second
at most, and only rises.
"""

from __future__ import annotations

from typing import Final, TypedDict

from games.attempts import record_of
from games.models import Attempt, Deal
from games.readings import SharedCache
from games.rules import Record
from leaderboards import boards

_SECOND: Final = 1000

Point = tuple[int, int]


class PaceLine(TypedDict):
    """The leader of a deal, and the leader's line, without points while nobody leads."""

    name: str
    points: list[Point]


pace_lines: Final = SharedCache("pace_lines", PaceLine, fresh=30.0)


def pace_line(deal: Deal) -> PaceLine:
    """The pace of a deal's leader, worked out every 30 seconds at most."""
    return pace_lines.get(str(deal.pk), lambda: _read(deal))


def points_of(record: Record) -> list[Point]:
    """How many cards were up by the end of each second in which a new one went up: `(ms, cards up)`, from 0 on."""
    table = record.open_table()
    most, points = table.cards_up, [(0, table.cards_up)]
    for token, ms in zip(record.tokens, record.clock, strict=True):
        table.push(token)
        if table.cards_up <= most:
            continue
        most = table.cards_up
        at = -(-ms // _SECOND) * _SECOND
        if points[-1][0] == at:
            points[-1] = at, most
        else:
            points.append((at, most))
    return points


def _read(deal: Deal) -> PaceLine:
    for entry in boards.page(deal, limit=1).entries:
        for attempt in Attempt.objects.filter(public_id=str(entry.attempt), state=Attempt.State.VERIFIED):
            return {"name": "" if entry.is_former else entry.name, "points": points_of(record_of(attempt))}
    return {"name": "", "points": []}
