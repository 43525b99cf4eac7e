"""Rating rules: the rivals that count in a race. Plain values, no database.

A racer needs an account, and must have been present, to be rated. Two racers do not count for each other if they were
linked in this race (by device or network), or have already met in five rated races that day (UTC). A racer without any
rival is not rated.

The same fold runs twice. In provisional ratings, every rival counts. In ratings, only rivals who were regulars at the
start of the race count (`games.races.results.entrant_facts`), for regulars and others alike. Wins and losses count
equally in both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import combinations
from typing import Final, NamedTuple

from games.races.results.ratings_registry import Duel, Limit
from leaderboards.ratings.formula import MU, SIGMA, Rater, SkillEstimate

#: Version of these rules and the formula. Races rated by an older version are rated again.
VERSION: Final = 1
MEETINGS_A_DAY: Final = 5
#: Rank of disqualified racers: behind every place, and all tied.
LAST: Final = 99
#: Minimum number of races against regulars, and maximum sigma, of a settled rating.
SETTLED_RACES: Final = 10
SETTLED_SIGMA: Final = 250.0


class Racer(NamedTuple):
    """Racer to be rated in a race; the smallest rank did best. Linked racers share a `group` other than 0."""

    entrant: int
    player: int
    rank: int
    group: int = 0
    is_regular: bool = True


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


def is_settled(sigma: float, races: int) -> bool:
    """Return whether a rating from races against regulars is shown without a "?"."""
    return races >= SETTLED_RACES and sigma <= SETTLED_SIGMA


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
    """State of all ratings after the races so far: provisional ones, or those from races against regulars."""

    provisional: bool
    standings: dict[int, RatingState] = field(default_factory=dict)
    day: date | None = None
    #: Number of meetings of each pair on the day.
    met: Counter[tuple[int, int]] = field(default_factory=Counter)
    rater: Rater = field(default_factory=Rater)

    def add(self, raced: Raced) -> list[Change]:
        """Rate the next race."""
        self._begin(raced.finished_at.date())
        changes = []
        for k, after in self._rate(raced.racers).items():
            racer, old = raced.racers[k], self._state(raced.racers[k])
            changes.append(Change(raced.race, raced.finished_at, *racer[:3], old.mu, old.sigma, *after, old.races + 1))
        for change in changes:
            self.standings[change.player] = RatingState(
                change.mu_after, change.sigma_after, change.races, change.finished_at
            )
        self._meet(raced.racers)
        return changes

    def duels(self, raced: Raced) -> dict[int, list[Duel]]:
        """Return the points from each rival in the next race by entrant, without rating the race."""
        self._begin(raced.finished_at.date())
        return {racer.entrant: self._duels(raced.racers, k) for k, racer in enumerate(raced.racers)}

    def resume(self, day: date, races: Iterable[Sequence[Racer]]) -> None:
        """Restore the day's meetings from the racers of each race already rated on it."""
        self._begin(day)
        for racers in races:
            self._meet(racers)

    def _begin(self, day: date) -> None:
        if day != self.day:
            self.day = day
            self.met.clear()

    def _meet(self, racers: Sequence[Racer]) -> None:
        pairs = combinations(racers, 2)
        self.met.update(_pair(one, other) for one, other in pairs if not _are_linked(one, other))

    def _rate(self, racers: Sequence[Racer]) -> dict[int, SkillEstimate]:
        """Return the new skill of each rated racer, by index."""
        rated: dict[tuple[int, ...], list[SkillEstimate]] = {}
        found = {}
        for k in range(len(racers)):
            among = self._among(racers, k)
            if len(among) > 1:
                if among not in rated:
                    skills = [self._skill(racers[q]) for q in among]
                    rated[among] = self.rater.rate(skills, [racers[q].rank for q in among])
                found[k] = rated[among][among.index(k)]
        return found

    def _duels(self, racers: Sequence[Racer], k: int) -> list[Duel]:
        """Return the points from each rival: a change is the mean of those in a race of two with each of them."""
        one, rivals = racers[k], len(self._among(racers, k)) - 1
        duels = []
        for other in (*racers[:k], *racers[k + 1 :]):
            limit, points = self._limit(one, other), 0.0
            if limit is None:
                own = self._skill(one)
                points = (self.rater.rate([own, self._skill(other)], [one.rank, other.rank])[0].mu - own.mu) / rivals
            duels.append(Duel(other.entrant, points, limit))
        return duels

    def _among(self, racers: Sequence[Racer], k: int) -> tuple[int, ...]:
        """Return the indices of a racer and of the rivals who count for its rating."""
        one = racers[k]
        return tuple(q for q, other in enumerate(racers) if q == k or self._limit(one, other) is None)

    def _limit(self, one: Racer, other: Racer) -> Limit | None:
        """Return the reason why `other` does not count for the rating of `one`, if there is one."""
        if _are_linked(one, other):
            return Limit.LINKED
        if not (self.provisional or other.is_regular):
            return Limit.NOT_REGULAR
        return Limit.MET if self.met[_pair(one, other)] >= MEETINGS_A_DAY else None

    def _state(self, racer: Racer) -> RatingState:
        return self.standings.get(racer.player, _NEW)

    def _skill(self, racer: Racer) -> SkillEstimate:
        return SkillEstimate(*self._state(racer)[:2])


_NEW: Final = RatingState()


def _are_linked(one: Racer, other: Racer) -> bool:
    return one.group != 0 and one.group == other.group


def _pair(one: Racer, other: Racer) -> tuple[int, int]:
    return (one.player, other.player) if one.player < other.player else (other.player, one.player)
