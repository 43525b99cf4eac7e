"""What one race does to the ratings of its racers: OpenSkill's Bradley-Terry model, each racer beside each other one.

See "A Bayesian Approximation Method for Online Ranking", Weng and Lin 2011, algorithm 1; `docs/ratings.md` says why
this model, and why these numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from openskill.models import BradleyTerryPart, BradleyTerryPartRating

MU: Final = 1500.0
SIGMA: Final = 350.0
BETA: Final = 175.0
TAU: Final = 3.5
#: At least as many as a race has racers, so that each is compared with every other.
WINDOW: Final = 16
#: Ratings are kept to a millionth, so that the last bit of another machine's arithmetic does not grow over the years.
DIGITS: Final = 6

# The limit belongs to the model: given to `rate()` it would stay set for whoever calls next.
_MODEL: Final = BradleyTerryPart(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU, window_size=WINDOW, limit_sigma=True)


class Skill(NamedTuple):
    """What is believed of a racer: the strength, and how unsure that is."""

    mu: float = MU
    sigma: float = SIGMA


class Rater:
    """Rates races. It keeps the model's objects, which take as long to make as a race takes to rate."""

    def __init__(self) -> None:
        self._given = _Teams()
        self._worked_on: list[list[BradleyTerryPartRating]] = []

    def rate(self, before: Sequence[Skill], ranks: Sequence[int]) -> list[Skill]:
        """The racers' skills after a race in which they had these ranks, the smallest the best; equal ranks are a tie.

        Racers come sorted by their entrants' ids: the sums of tied ones depend on the order by a hair.
        """
        while len(self._worked_on) < len(before):
            self._worked_on.append([_MODEL.rating()])
        while len(self._given) < len(before):
            self._given.append([_MODEL.rating()])
        teams = _Teams(self._given[: len(before)])
        teams.copied = self._worked_on[: len(before)]
        for (one,), (copied,), (mu, sigma) in zip(teams, teams.copied, before, strict=True):
            one.mu = copied.mu = mu
            one.sigma = copied.sigma = sigma
        rated = _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])  # which works on copies
        return [Skill(round(one.mu, DIGITS), round(one.sigma, DIGITS)) for (one,) in rated]


class _Teams(list[list[BradleyTerryPartRating]]):
    """The model's input, with the copies that the model asks for: making them anew takes half of the time of rating."""

    copied: list[list[BradleyTerryPartRating]]

    def __deepcopy__(self, memo: object) -> list[list[BradleyTerryPartRating]]:
        return self.copied


def shares(before: Sequence[Skill], ranks: Sequence[int], of: int) -> list[float]:
    """What each racer added to the strength of the racer at the index `of`; the own share is 0.

    The model's change is the mean of one term for each rival, so the shares add up to it.
    """
    own = _variance(before[of])
    found = []
    for q, rival in enumerate(before):
        spread = math.sqrt(own + _variance(rival) + 2 * BETA**2)
        expected = 1 / (1 + math.exp((rival.mu - before[of].mu) / spread))
        outcome = 1.0 if ranks[q] > ranks[of] else 0.5 if ranks[q] == ranks[of] else 0.0
        found.append(0.0 if q == of else own / spread * (outcome - expected) / (len(before) - 1))
    return found


def chance(one: Skill, other: Skill) -> float:
    """How likely one racer comes before another."""
    spread = math.sqrt(_variance(one) + _variance(other) + 2 * BETA**2)
    return 1 / (1 + math.exp((other.mu - one.mu) / spread))


def whole_points(parts: Sequence[float], total: int) -> list[int]:
    """The parts in whole points that add up to `total`: each rounded down, then the largest remainders raised.

    `total` is about the sum of the parts; what rounding it took or gave beyond that falls to them in the same order.
    """
    points = [math.floor(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda k: (points[k] - parts[k], k))
    missing = total - sum(points)
    for k in range(abs(missing)):
        if missing > 0:
            points[order[k % len(order)]] += 1
        else:
            points[order[-1 - k % len(order)]] -= 1
    return points


def _variance(skill: Skill) -> float:
    return skill.sigma**2 + TAU**2
