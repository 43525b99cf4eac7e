"""Simulated ratings: a month of honest players, and an account that others of the same owner lose to on purpose.

`python -m tests.leaderboards.ratings.simulation` prints the tables of docs/ratings.md, in a minute. No database.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Final, Literal

from leaderboards.ratings.formula import MU, SkillEstimate, chance
from leaderboards.ratings.rules import Fold, Raced, Racer, RatingState, is_settled

FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)
DAYS: Final = 30
PLAYERS: Final = 200
RACES_A_DAY: Final = 150
SIZES: Final = (2, 2, 2, 3, 4, 6, 8, 16)

Which = Literal["provisional", "shown"]


class Month:
    """A month of races between honest players, whose skill is 1500 ± 250. Regulars race twice as often as others.

    Predictions from provisional ratings show how a site without rules would do; `shown` predictions use the ratings
    that the site displays.
    """

    def __init__(self, seed: int, *, regulars: float, better: float = 0) -> None:
        choose = random.Random(seed)
        self.regular = [choose.random() < regulars for _ in range(PLAYERS)]
        self.skill = [choose.gauss(MU, 250) + better * regular for regular in self.regular]
        self.folds = {"provisional": Fold(provisional=True), "rating": Fold(provisional=False)}
        self.losses: dict[Which, list[float]] = {"provisional": [], "shown": []}
        eager = list(itertools.accumulate(choose.paretovariate(1.5) * (1 + regular) for regular in self.regular))
        for number in range(DAYS * RACES_A_DAY):
            players: set[int] = set()
            size = choose.choice(SIZES)
            while len(players) < size:
                players.update(choose.choices(range(PLAYERS), cum_weights=eager, k=size - len(players)))
            result = sorted(players, key=lambda player: choose.gauss(self.skill[player], 175), reverse=True)
            self._predict(result)
            race = raced(number, number / RACES_A_DAY, result, self.regular.__getitem__)
            for fold in self.folds.values():
                fold.add(race)

    def log_loss(self, which: Which) -> float:
        """Return the mean log loss of the predictions for each pair of a race. A coin has 0.693."""
        return fmean(self.losses[which])

    def rank_correlation(self, which: Which) -> float:
        """Return Spearman's correlation of ratings and skill."""
        orders = [sorted(range(PLAYERS), key=key) for key in (self.skill.__getitem__, lambda who: self._of(who, which))]
        places = [{player: place for place, player in enumerate(order)} for order in orders]
        distance = sum((places[0][player] - places[1][player]) ** 2 for player in range(PLAYERS))
        return 1 - 6 * distance / (PLAYERS**3 - PLAYERS)

    def _predict(self, result: Sequence[int]) -> None:
        for which, losses in self.losses.items():
            skills = [self._of(player, which) for player in result]
            losses.extend(-math.log(chance(*pair)) for pair in itertools.combinations(skills, 2))

    def _of(self, player: int, which: Which) -> SkillEstimate:
        rating = self.folds["rating"].standings.get(player, RatingState())
        is_shown = which == "shown" and is_settled(rating.sigma, rating.races)
        state = rating if is_shown else self.folds["provisional"].standings.get(player, RatingState())
        return SkillEstimate(*state[:2])


FED: Final = 1
OTHERS: Final = range(2, 14)
#: Regulars of the site, whose ratings are right. The accounts' owner plays as well as a new rating says.
OUTSIDERS: Final = {1000 + k: MU + 500 * (k / 19 - 0.5) for k in range(20)}

Schedule = Callable[[Sequence[int], random.Random], Iterator[Sequence[int]]]
"""Races of a day as players in the order of their results."""


def duels(losers: Sequence[int], _choose: random.Random) -> Iterator[Sequence[int]]:
    """Each loses five times."""
    yield from ((FED, loser) for loser in losers for _ in range(5))


def fields(losers: Sequence[int], choose: random.Random) -> Iterator[Sequence[int]]:
    """All race together, with the fed account first."""
    yield from ((FED, *choose.sample(losers, len(losers))) for _ in range(5))


def recovering(losers: Sequence[int], choose: random.Random) -> Iterator[Sequence[int]]:
    """Each really plays ten races against regulars before it loses five times."""
    yield from (_played(loser, choose) for loser in losers for _ in range(10))
    yield from duels(losers, choose)


def fed(*, by_regulars: bool, losers: int = 1, days: int = DAYS) -> float:
    """Return the most points that other accounts feed in a month, over the best rating without them."""
    return max(_gain(schedule, list(OTHERS[:losers]), days, by_regulars=by_regulars) for schedule in SCHEDULES)


SCHEDULES: Final[tuple[Schedule, ...]] = (duels, fields, recovering)


def _gain(schedule: Schedule, losers: Sequence[int], days: int, *, by_regulars: bool) -> float:
    choose, best, alone = random.Random(4), 0.0, MU
    start = {player: RatingState(mu, 80, 300, FIRST) for player, mu in OUTSIDERS.items()}
    fold, honest = Fold(False, dict(start)), Fold(False, dict(start))
    for day in range(days):
        races = [_played(FED, choose) for _ in range(5)] + list(schedule(losers, choose))
        for number, players in enumerate(races):
            race = raced(number, day + number / 1000, players, lambda who: by_regulars or who not in losers)
            fold.add(race)
            honest.add(race._replace(racers=[racer for racer in race.racers if racer.player not in losers]))
            alone = max(alone, honest.standings.get(FED, RatingState()).mu)
            best = max(best, fold.standings.get(FED, RatingState()).mu - alone)
    return best


def _played(player: int, choose: random.Random) -> Sequence[int]:
    """Return a duel with a regular that is really played."""
    rival = choose.choice(sorted(OUTSIDERS))
    return (player, rival) if choose.gauss(MU, 175) > choose.gauss(OUTSIDERS[rival], 175) else (rival, player)


def raced(number: int, day: float, result: Sequence[int], is_regular: Callable[[int], bool]) -> Raced:
    racers = [
        Racer(10_000 * number + player, player, rank, is_regular=is_regular(player))
        for rank, player in enumerate(result, 1)
    ]
    return Raced(number, FIRST + timedelta(days=day), sorted(racers))


def main() -> None:
    print("regulars,better by,log loss without the rule,with it,rank correlation without the rule,with it")
    for regulars, better in itertools.product((0.3, 0.5, 0.7), (0, 150)):
        months = [Month(seed, regulars=regulars, better=better) for seed in (1, 2, 3)]
        figures = [
            fmean(of(month, which) for month in months)
            for of in (Month.log_loss, Month.rank_correlation)
            for which in ("provisional", "shown")
        ]
        print(f"{regulars:.0%},{better}", *(f"{figure:.4f}" for figure in figures), sep=",")
    print("\nlosing accounts,not regulars,regulars")
    for losers in (1, 2, len(OTHERS)):
        print(losers, *(f"{fed(by_regulars=regulars, losers=losers):.0f}" for regulars in (False, True)), sep=",")


if __name__ == "__main__":
    main()
