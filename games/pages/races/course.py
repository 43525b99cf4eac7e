"""Course of a finished race: who led from when, where each racer lost time, and the score of a series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from games.attempts.lifecycle import record_of
from games.ghosts import lanes as ghost_lanes
from games.models import Attempt
from games.races.models import Entrant, Race


@dataclass(frozen=True, slots=True)
class Lane:
    """A racer's course: the points at which the cards up changed, the end, and the longest pause between two moves."""

    entrant: int
    points: tuple[ghost_lanes.Point, ...]
    pause: tuple[int, int]
    """Start and length of the longest pause, in ms."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A change of the lead: from this time on, in ms, the entrant has more cards up than anyone else had."""

    ms: int
    entrant: int


def lane_of(entrant: int, attempt: Attempt) -> Lane:
    """Return the course of a racer's finished game."""
    record = record_of(attempt)
    waits = [(before, after - before) for before, after in pairwise((0, *record.clock, record.end.ms))]
    return Lane(entrant, ghost_lanes.lane_of(attempt, "").points, max(waits, key=lambda wait: wait[1]))


def leads(lanes: Sequence[Lane]) -> list[Lead]:
    """Return the changes of the lead. An equal number of cards up does not take it; the last change decided the race.

    Nobody leads while all have the cards up that the deal starts with.
    """
    start = {up for lane in lanes for _ms, up in lane.points[:1]}
    current = {lane.entrant: min(start) for lane in lanes}
    steps = sorted((ms, lane.entrant, up) for lane in lanes for ms, up in lane.points[1:])
    found: list[Lead] = []
    for ms, entrant, up in steps:
        current[entrant] = up
        best = max(current.values())
        leader = found[-1].entrant if found else None
        if leader is not None and current[leader] == best:
            continue
        ahead = [key for key, value in current.items() if value == best]
        if len(ahead) == 1 and best > min(start):
            found.append(Lead(ms, ahead[0]))
    return found


def series_score(race: Race) -> Counter[int | None]:
    """Return the races won so far by each player of the room; empty unless this race is a rematch."""
    if race.number == 1:
        return Counter()
    won = Entrant.objects.filter(
        race__room=race.room_id, race__number__lte=race.number, race__state=Race.State.FINISHED, place=1
    ).exclude(state=Entrant.State.DISQUALIFIED)
    return Counter(won.values_list("player", flat=True))
