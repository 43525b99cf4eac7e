"""Rating formula: a Bradley-Terry model that compares each racer with every other one.

See "A Bayesian Approximation Method for Online Ranking", Weng and Lin 2011, algorithm 1; `docs/ratings.md` explains the
choice of model and parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

MU: Final = 1500.0
SIGMA: Final = 350.0
BETA: Final = 175.0
TAU: Final = 3.5
#: Smallest factor by which a race can shrink a variance.
KAPPA: Final = 0.0001
#: Decimals of stored ratings: rounding keeps floating-point differences between machines from accumulating.
DIGITS: Final = 6


class SkillEstimate(NamedTuple):
    """Skill estimate of a racer: the mean, and its standard deviation."""

    mu: float = MU
    sigma: float = SIGMA


def rate(before: Sequence[SkillEstimate], ranks: Sequence[int]) -> list[SkillEstimate]:
    """Return the racers' skills after a race, in the same order; the smallest rank did best."""
    after = []
    for k, own in enumerate(before):
        terms = _terms(before, ranks, k)
        shrinkage = sum(share for _, share in terms)
        sigma = math.sqrt(_variance(own) * max(1 - shrinkage, KAPPA))
        mu = own.mu + sum(points for points, _ in terms)
        after.append(SkillEstimate(round(mu, DIGITS), round(min(own.sigma, sigma), DIGITS)))
    return after


def shares(before: Sequence[SkillEstimate], ranks: Sequence[int], of: int) -> list[float]:
    """Return the contribution of each racer to the change of the racer at index `of`; the racer's own is 0.

    The change is the mean of one term for each rival, so the contributions add up to it.
    """
    return [points for points, _ in _terms(before, ranks, of)]


def _terms(before: Sequence[SkillEstimate], ranks: Sequence[int], of: int) -> list[tuple[float, float]]:
    """Return each rival's contribution to the change of mu, and to the share by which the variance shrinks."""
    own, rank, rivals = before[of], ranks[of], len(before) - 1
    variance = _variance(own)
    terms = []
    for rival, other_rank in zip(before, ranks, strict=True):
        spread = _spread(variance, _variance(rival))
        expected = 1 / (1 + math.exp((rival.mu - own.mu) / spread))
        outcome = 1.0 if other_rank > rank else 0.5 if other_rank == rank else 0.0
        points = variance / spread * (outcome - expected)
        shrinkage = variance**1.5 / spread**3 * expected * (1 - expected)
        terms.append((points / rivals, shrinkage / rivals))
    terms[of] = 0.0, 0.0
    return terms


def chance(one: SkillEstimate, other: SkillEstimate) -> float:
    """Return the probability that one racer finishes ahead of another."""
    return 1 / (1 + math.exp((other.mu - one.mu) / _spread(_variance(one), _variance(other))))


def _spread(variance: float, other: float) -> float:
    return math.sqrt(variance + other + 2 * BETA**2)


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
