"""Chart of a finished race: cards up over time for every racer, the changes of the lead, and the longest pauses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from games.pages.races.course import Lane, Lead, leads
from games.presentation.durations import duration

#: Size of the drawing area, in the units of the chart's view box.
WIDTH: Final = 640
HEIGHT: Final = 200
#: Maximum number of lines that are still easy to tell apart.
LINES: Final = 8
#: Maximum number of lead changes listed; the last ones matter most.
LISTED: Final = 6


@dataclass(frozen=True, slots=True)
class Line:
    """A racer's line: the SVG path, the name, and the longest pause as text."""

    name: str
    is_me: bool
    path: str
    pause: str
    pause_at: str


@dataclass(frozen=True, slots=True)
class LeadChange:
    """A change of the lead: its time as text, its place on the time axis, and the new leader's name."""

    time: str
    x: float
    name: str


@dataclass(frozen=True, slots=True)
class LeadChart:
    """The chart; ``decided`` is the change after which no one overtook the winner, None if there was none.

    ``top`` is the most cards up, at the upper edge.
    """

    lines: list[Line]
    changes: list[LeadChange]
    decided: LeadChange | None
    top: int
    time: str

    @classmethod
    def of(cls, lanes: Sequence[Lane], names: Mapping[int, str], *, me: int | None) -> Self | None:
        """Return the chart of lanes in the order of places, or None for fewer than two.

        `names` are the racers' names by entrant, `me` the viewer's entrant.
        """
        if len(lanes) < 2:
            return None
        top = max(up for lane in lanes for _ms, up in lane.points) or 1
        end = max(lane.points[-1][0] for lane in lanes) or 1
        found = leads(lanes)
        changes = [_change(lead, names, end) for lead in found]
        is_decided = bool(found) and found[-1].entrant == lanes[0].entrant
        lines = [
            Line(
                names[lane.entrant],
                lane.entrant == me,
                _path(lane, end, top),
                duration(lane.pause[1], 0),
                duration(lane.pause[0], 0),
            )
            for lane in lanes[:LINES]
        ]
        return cls(lines, changes[-LISTED:], changes[-1] if is_decided else None, top, duration(end, 0))


def _change(lead: Lead, names: Mapping[int, str], end: int) -> LeadChange:
    return LeadChange(duration(lead.ms, 0), round(WIDTH * lead.ms / end, 1), names[lead.entrant])


def _path(lane: Lane, end: int, top: int) -> str:
    """Return a stepped line: across to each change, then up or down to the new number of cards."""

    def y(up: int) -> float:
        return round(HEIGHT * (1 - up / top), 1)

    (_start, first), *rest = lane.points
    return f"M0 {y(first)}" + "".join(f"H{round(WIDTH * ms / end, 1)}V{y(up)}" for ms, up in rest)
