"""Rating formula: OpenSkill's Bradley-Terry model, comparing each racer with every other one.

See "A Bayesian Approximation Method for Online Ranking", Weng and Lin 2011, algorithm 1; `docs/ratings.md` explains the
choice of model and parameters.
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
#: At least the number of racers in a race, so that each is compared with every other.
WINDOW: Final = 16
#: Decimals of stored ratings: rounding keeps floating-point differences between machines from accumulating.
DIGITS: Final = 6

# The limit belongs to the model: passed to `rate()` it would stay set for later callers.
_MODEL: Final = BradleyTerryPart(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU, window_size=WINDOW, limit_sigma=True)


class SkillEstimate(NamedTuple):
    """Skill estimate of a racer: the mean, and its standard deviation."""

    mu: float = MU
    sigma: float = SIGMA


class Rater:
    """Rater that reuses the model's objects, because creating them takes as long as rating a race."""

    def __init__(self) -> None:
        self._teams = _Teams()
        self._copies: list[list[BradleyTerryPartRating]] = []

    def rate(self, before: Sequence[SkillEstimate], ranks: Sequence[int]) -> list[SkillEstimate]:
        """Return the racers' skills after a race with these ranks, smallest best; equal ranks are a tie.

        Racers must be sorted by entrant id: sums over tied racers depend on the order in the last bits.
        """
        while len(self._copies) < len(before):
            self._copies.append([_MODEL.rating()])
        while len(self._teams) < len(before):
            self._teams.append([_MODEL.rating()])
        teams = _Teams(self._teams[: len(before)])
        teams.copied = self._copies[: len(before)]
        for (rating,), (copied,), (mu, sigma) in zip(teams, teams.copied, before, strict=True):
            rating.mu = copied.mu = mu
            rating.sigma = copied.sigma = sigma
        rated = _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])  # works on the copies
        return [SkillEstimate(round(rating.mu, DIGITS), round(rating.sigma, DIGITS)) for (rating,) in rated]


class _Teams(list[list[BradleyTerryPartRating]]):
    """Model input with preallocated copies: letting the model deepcopy takes half of the time of rating."""

    copied: list[list[BradleyTerryPartRating]]

    def __deepcopy__(self, memo: object) -> list[list[BradleyTerryPartRating]]:
        return self.copied


class Share(NamedTuple):
    """Share of a rival in the change of a racer's mean: points, and the part of an error of the mean it removes."""

    points: float = 0.0
    correction: float = 0.0


def shares(before: Sequence[SkillEstimate], ranks: Sequence[int], of: int) -> list[Share]:
    """Return the share of each racer in the change of the racer at index `of`; the racer's own is 0.

    The model's change is the mean of one term for each rival, so the points add up to it. The correction is the term's
    derivative by the racer's mean, with the opposite sign.
    """
    own = _variance(before[of])
    found = []
    for q, rival in enumerate(before):
        spread = math.sqrt(own + _variance(rival) + 2 * BETA**2)
        expected = 1 / (1 + math.exp((rival.mu - before[of].mu) / spread))
        outcome = 1.0 if ranks[q] > ranks[of] else 0.5 if ranks[q] == ranks[of] else 0.0
        weight = own / spread / max(1, len(before) - 1)
        share = Share(weight * (outcome - expected), weight / spread * expected * (1 - expected))
        found.append(Share() if q == of else share)
    return found


def chance(one: SkillEstimate, other: SkillEstimate) -> float:
    """Return the probability that one racer finishes ahead of another."""
    spread = math.sqrt(_variance(one) + _variance(other) + 2 * BETA**2)
    return 1 / (1 + math.exp((other.mu - one.mu) / spread))


def whole_points(parts: Sequence[float], total: int) -> list[int]:
    """Round the parts to whole points that add up to `total`, by the largest-remainder method.

    `total` is about the sum of the parts; any further rounding difference is distributed in the same order.
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


def _variance(skill: SkillEstimate) -> float:
    return skill.sigma**2 + TAU**2
