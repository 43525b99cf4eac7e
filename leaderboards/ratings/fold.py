"""Rating fold: races go in, in order, and rating changes come out. Plain values, no database.

A race is rated among its racers with accounts who were present. Of two players, at most five meetings a day (UTC)
count: going through the racers by entrant id, a racer is left out after meeting one of those kept five times on that
day in rated races. If fewer than two racers remain, the race rates no one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import combinations
from typing import Final, NamedTuple

from leaderboards.ratings.formula import MU, SIGMA, Rater, SkillEstimate

MEETINGS_A_DAY: Final = 5
#: Rank of disqualified racers: behind every place, and all tied.
LAST: Final = 99


class Racer(NamedTuple):
    """Racer to be rated in a race; the smallest rank did best."""

    entrant: int
    player: int
    rank: int


class Raced(NamedTuple):
    """Finished race with its ratable entrants, sorted by entrant."""

    race: int
    finished_at: datetime
    racers: Sequence[Racer]


class RatingState(NamedTuple):
    """State of a player's rating between two races."""

    mu: float = MU
    sigma: float = SIGMA
    races: int = 0
    last_raced_at: datetime | None = None


class Change(NamedTuple):
    """Rating change of a player in a race."""

    race: int
    finished_at: datetime
    entrant: int
    player: int
    rank: int
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float
    races: int


@dataclass(slots=True)
class Fold:
    """State of all ratings after the races so far."""

    standings: dict[int, RatingState] = field(default_factory=dict)
    day: date | None = None
    #: Number of races of each player on the day, and number of meetings of each pair.
    raced: Counter[int] = field(default_factory=Counter)
    met: Counter[tuple[int, int]] = field(default_factory=Counter)
    #: Pairs that have reached the daily limit of meetings.
    spent: set[tuple[int, int]] = field(default_factory=set)
    rater: Rater = field(default_factory=Rater)

    def fold(self, races: Iterable[Raced]) -> Iterator[list[Change]]:
        """Rate the races, which must come in order."""
        for raced in races:
            yield self.add(raced)

    def add(self, raced: Raced) -> list[Change]:
        """Rate the next race."""
        self._begin(raced.finished_at.date())
        racers = self._included(raced.racers)
        if len(racers) < 2:
            return []
        self._meet([racer.player for racer in racers])
        before = [self.standings.get(racer.player, _NEW) for racer in racers]
        after = self.rater.rate(
            [SkillEstimate(state.mu, state.sigma) for state in before], [racer.rank for racer in racers]
        )
        changes = []
        for racer, old, (mu, sigma) in zip(racers, before, after, strict=True):
            self.standings[racer.player] = RatingState(mu, sigma, old.races + 1, raced.finished_at)
            changes.append(Change(raced.race, raced.finished_at, *racer, old.mu, old.sigma, mu, sigma, old.races + 1))
        return changes

    def resume(self, day: date, races: Iterable[Sequence[int]]) -> None:
        """Restore the day's meetings from the players of each race already rated on it."""
        self._begin(day)
        for players in races:
            self._meet(players)

    def _begin(self, day: date) -> None:
        if day != self.day:
            self.day = day
            self.raced.clear()
            self.met.clear()
            self.spent.clear()

    def _meet(self, players: Iterable[int]) -> None:
        ordered = sorted(players)
        self.raced.update(ordered)
        self.met.update(combinations(ordered, 2))
        # A pair can reach the limit only if both players have raced that often.
        often = [player for player in ordered if self.raced[player] >= MEETINGS_A_DAY]
        self.spent.update(pair for pair in combinations(often, 2) if self.met[pair] >= MEETINGS_A_DAY)

    def _included(self, racers: Sequence[Racer]) -> Sequence[Racer]:
        if not self.spent:
            return racers
        included: list[Racer] = []
        for racer in racers:
            if not any(_pair(racer, other) in self.spent for other in included):
                included.append(racer)
        return included


_NEW: Final = RatingState()


def _pair(one: Racer, other: Racer) -> tuple[int, int]:
    return (one.player, other.player) if one.player < other.player else (other.player, one.player)
