"""Rating formula: OpenSkill's Bradley-Terry model, comparing each racer with every other one.

See "A Bayesian Approximation Method for Online Ranking", Weng and Lin 2011, algorithm 1; `docs/ratings.md` explains the
choice of model and parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
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


def chance(one: SkillEstimate, other: SkillEstimate) -> float:
    """Return the probability that one racer finishes ahead of another."""
    spread = math.sqrt(one.sigma**2 + other.sigma**2 + 2 * (BETA**2 + TAU**2))
    return 1 / (1 + math.exp((other.mu - one.mu) / spread))


def whole_points(parts: Sequence[float], total: int) -> list[int]:
    """Round the parts to whole points that add up to `total`, which is about their sum."""
    ends = [*(round(end) for end in list(accumulate(parts))[:-1]), total]
    return [end - begin for begin, end in pairwise([0, *ends])] if parts else []
