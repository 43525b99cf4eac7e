"""Rating rules: which races and rivals change a rating, and by how much at most. Plain values, no database.

A race is rated among its racers with accounts who were present. Two racers do not move each other's ratings if they
were linked in this race (by device or network), or have met five times already on that day (UTC) in rated races. A
racer without a rival left is not rated.

A rival counts fully if the player was a regular at the start of the race (`games.races.results.entrant_facts`) and was
rated at most `GAP` points lower. All other rivals together raise a rating by at most `CAP` points above where the
full ones put it. So accounts made to lose raise no rating by more, and a regular who loses on purpose is soon rated too
low to raise any. Losses always count, or else a regular could lose to newcomers forever and give points each time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import combinations
from typing import Final, NamedTuple

from games.races.results.ratings_registry import Limit
from leaderboards.ratings.formula import DIGITS, MU, SIGMA, Rater, Share, SkillEstimate, shares

MEETINGS_A_DAY: Final = 5
#: Rank of disqualified racers: behind every place, and all tied.
LAST: Final = 99
#: Minimum number of rated races for a rating without a "?".
RACES: Final = 10
#: Most points by which limited rivals can raise a rating above where full ones put it.
CAP: Final = 100.0
#: A regular rated lower by more points is a limited rival.
GAP: Final = 200.0


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
    """State of a player's rating between two races.

    `limited` are the points from limited rivals that full ones have not corrected yet, between -`CAP` and `CAP`.
    """

    mu: float = MU
    sigma: float = SIGMA
    races: int = 0
    last_raced_at: datetime | None = None
    limited: float = 0.0


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
    limited: float


class Duel(NamedTuple):
    """Points from one rival, and the reason if they are limited."""

    rival: int
    points: float
    limit: Limit | None = None


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
        racers, states = raced.racers, self._states(raced)
        changes = []
        for k, among, rated in self._rate(racers, states):
            racer, old = racers[k], states[k]
            limited = _limited_rivals(racers, states, k)
            parts = _parts(racers, states, k, among) if limited or old.limited else {}
            skill, total = _capped(old, rated, parts, limited)
            after = RatingState(*skill, old.races + 1, raced.finished_at, total)
            self.standings[racer.player] = after
            changes.append(
                Change(
                    raced.race, raced.finished_at, racer.entrant, racer.player, racer.rank,
                    old.mu, old.sigma, after.mu, after.sigma, after.races, after.limited,
                )
            )  # fmt: skip
        self._meet([change.player for change in changes])
        return changes

    def duels(self, raced: Raced) -> dict[int, list[Duel]]:
        """Return the points from each rival in the next race by entrant, without rating the race."""
        self._begin(raced.finished_at.date())
        racers, states = raced.racers, self._states(raced)
        return {racer.entrant: self._duels(racers, states, k) for k, racer in enumerate(racers)}

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

    def _rate(
        self, racers: Sequence[Racer], states: Sequence[RatingState]
    ) -> Iterator[tuple[int, Sequence[int], SkillEstimate]]:
        """Yield, for each racer who is rated: the index, the indices of racer and counted rivals, and the new skill."""
        skills = [SkillEstimate(state.mu, state.sigma) for state in states]
        ranks = [racer.rank for racer in racers]
        whole: list[SkillEstimate] | None = None
        for k in range(len(racers)):
            among = self._among(racers, k)
            if len(among) < 2:
                continue
            if len(among) == len(racers):
                whole = whole or self.rater.rate(skills, ranks)
                yield k, among, whole[k]
            else:
                after = self.rater.rate([skills[q] for q in among], [ranks[q] for q in among])
                yield k, among, after[among.index(k)]

    def _among(self, racers: Sequence[Racer], k: int) -> Sequence[int]:
        """Return the indices of a racer and of the rivals who count for its rating."""
        if not self.spent and not racers[k].group:
            return range(len(racers))
        return [q for q in range(len(racers)) if q == k or self._limit(racers[k], racers[q]) is None]

    def _limit(self, one: Racer, other: Racer) -> Limit | None:
        if one.group and one.group == other.group:
            return Limit.LINKED
        return Limit.MET if self.spent and _pair(one, other) in self.spent else None

    def _states(self, raced: Raced) -> list[RatingState]:
        return [self.standings.get(racer.player, _NEW) for racer in raced.racers]

    def _duels(self, racers: Sequence[Racer], states: Sequence[RatingState], k: int) -> list[Duel]:
        limited = _limited_rivals(racers, states, k)
        parts = _parts(racers, states, k, self._among(racers, k))
        from_limited, total = _from_limited(states[k], parts, limited)
        excess = max(0.0, total - CAP)
        left = 1 - excess / from_limited if excess else 1.0
        found = []
        for q, rival in enumerate(racers):
            if q != k:
                limit = Limit.CAPPED if excess and q in limited else None
                points = parts[q].points * (left if limit else 1) if q in parts else 0.0
                found.append(Duel(rival.entrant, points, self._limit(racers[k], rival) or limit))
        return found


_NEW: Final = RatingState()


def _limited_rivals(racers: Sequence[Racer], states: Sequence[RatingState], k: int) -> set[int]:
    """Return the indices of the rivals who are not regulars, or rated far lower than the racer at index `k`."""
    lowest = states[k].mu - GAP
    return {
        q
        for q, (rival, state) in enumerate(zip(racers, states, strict=True))
        if q != k and not (rival.is_regular and state.mu >= lowest)
    }


def _parts(racers: Sequence[Racer], states: Sequence[RatingState], k: int, among: Sequence[int]) -> dict[int, Share]:
    """Return the share of each rival `among` the racers, by index, before the cap."""
    skills = [SkillEstimate(states[q].mu, states[q].sigma) for q in among]
    parts = shares(skills, [racers[q].rank for q in among], among.index(k))
    return {q: part for q, part in zip(among, parts, strict=True) if q != k}


def _from_limited(old: RatingState, parts: Mapping[int, Share], limited: Collection[int]) -> tuple[float, float]:
    """Return the points from limited rivals in a race, and the new sum before the cap.

    Full rivals gradually correct what limited ones gave or took in earlier races; the sum shrinks accordingly.
    """
    points = sum(part.points for q, part in parts.items() if q in limited)
    corrected = sum(part.correction for q, part in parts.items() if q not in limited)
    return points, old.limited * (1 - corrected) + points


def _capped(
    old: RatingState, skill: SkillEstimate, parts: Mapping[int, Share], limited: Collection[int]
) -> tuple[SkillEstimate, float]:
    """Return a rated skill without the points from limited rivals beyond the cap, and the new sum of their points.

    The uncertainty shrinks less in proportion: a result that does not count says nothing about the player.
    """
    _, total = _from_limited(old, parts, limited)
    if total > CAP:
        excess = total - CAP
        counted = max(0.0, 1 - excess / sum(abs(part.points) for part in parts.values()))
        sigma = math.sqrt(old.sigma**2 - (old.sigma**2 - skill.sigma**2) * counted)
        skill = SkillEstimate(round(skill.mu - excess, DIGITS), round(sigma, DIGITS))
    return skill, round(max(-CAP, min(CAP, total)), DIGITS)


def _pair(one: Racer, other: Racer) -> tuple[int, int]:
    return (one.player, other.player) if one.player < other.player else (other.player, one.player)
