"""Logistic regression that fits the weights of the difficulty score to people's results at past daily deals.

The log odds of a win are a level for each variant, less the four terms of the deal's figures, each times a weight that
all variants share. docs/difficulty.md, "Grades from people", explains why so many results are required. Everything
here is deterministic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, log
from typing import Final

from django.db.models import Count, Q

from games.deals.certification import BUDGET, certify
from games.deals.difficulty import WEIGHTS, DifficultyFigures, Weights
from games.models import Attempt, Deal
from games.rules import CATALOGUE
from games.solver import Budget

#: Minimum results per deal: the standard error of its win share is then at most 11 percentage points (at one half).
LEAST_RESULTS: Final = 20
#: Minimum of such deals per variant, since the fit also estimates the variant's level.
LEAST_OF_VARIANT: Final = 10
#: Minimum of such deals in total: 25 for each of the four weights, which only differences between deals determine.
LEAST_DEALS: Final = 100
#: Folds of the cross-validation.
_FOLDS: Final = 5
#: Points of the score that divide the odds of winning by e.
_POINTS: Final = 10
#: Divisors that scale the terms before the fit, so that one penalty suits them all.
_UNITS: Final = (1.0, 1.0, 1.0, 100.0)
_PENALTY: Final = 0.01
"""Ridge penalty, which keeps the fit finite if every result is a win; a few results outweigh it."""


class TooFewResultsError(Exception):
    """There are too few results to fit; the message gives the numbers available and required."""


@dataclass(frozen=True, slots=True)
class Tried:
    """People's record at a deal: the number of results and, among them, wins."""

    deal: Deal
    results: int
    wins: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A data point of the fit: a deal's figures and results."""

    variant: str
    figures: DifficultyFigures
    results: int
    wins: int


@dataclass(frozen=True, slots=True)
class Refit:
    """Fitted weights, with the cross-validated mean log loss per result (lower is better) and that of the present
    weights.
    """

    weights: Weights
    deals: int
    results: int
    loss: float
    present_loss: float

    @property
    def is_better(self) -> bool:
        """True if the fitted weights predict held-out deals better than the present ones."""
        return self.loss < self.present_loss


def deal_results(now: datetime) -> list[Tried]:
    """Return the revealed, proven daily deals by day and variant, each with its verified ranked results.

    Attempts without a move are not counted.
    """
    counted = Q(attempts__ranked=True, attempts__state=Attempt.State.VERIFIED, attempts__tokens__gt=0)
    deals = (
        Deal.objects.filter(day__isnull=False, proven=True, variant__in=CATALOGUE)
        .annotate(
            tries=Count("attempts", filter=counted),
            wins=Count("attempts", filter=counted & Q(attempts__end=Attempt.End.WON)),
        )
        .filter(tries__gt=0)
        .order_by("day", "variant")
    )
    return [Tried(deal, deal.tries, deal.wins) for deal in deals if deal.is_revealed(now)]


def usable_deals(rows: Sequence[Tried]) -> list[Tried]:
    """Return the deals to fit to: those with enough results, in variants with enough such deals.

    :raises TooFewResultsError: when there are too few such deals.
    """
    well_tested = [row for row in rows if row.results >= LEAST_RESULTS]
    count = Counter(row.deal.variant for row in well_tested)
    usable = [row for row in well_tested if count[row.deal.variant] >= LEAST_OF_VARIANT]
    if len(usable) < LEAST_DEALS:
        each = ", ".join(f"{name} {count[name]}" for name in CATALOGUE)
        raise TooFewResultsError(
            f"Too few results: {len(usable)} deals can be used of the {LEAST_DEALS} needed. A deal needs "
            f"{LEAST_RESULTS} verified results, and its variant {LEAST_OF_VARIANT} such deals; there are: {each}."
        )
    return usable


def measured(rows: Iterable[Tried]) -> Iterator[Measured]:
    """Yield each deal with figures measured again from its seed; skip deals that the solver no longer wins."""
    for row in rows:
        certificate = certify(row.deal.variant, bytes(row.deal.seed), budget=Budget(nodes=BUDGET.nodes))
        if certificate is not None and certificate.figures is not None:
            yield Measured(row.deal.variant, certificate.figures, row.results, row.wins)


def refit(deals: Sequence[Measured]) -> Refit:
    """Fit the weights to these deals; none is negative, since no figure makes a deal easier."""
    results = sum(deal.results for deal in deals)
    return Refit(
        weights=_weights(deals),
        deals=len(deals),
        results=results,
        loss=_loss_left_out(deals, _weights) / results,
        present_loss=_loss_left_out(deals, lambda _: WEIGHTS) / results,
    )


def _weights(deals: Sequence[Measured]) -> Weights:
    """Fit non-negative weights: drop the most negative one and fit the others again until none is negative."""
    indexes = list(range(len(_UNITS)))
    while True:
        model = _fitted(deals, lambda deal: [deal.figures.terms[k] / _UNITS[k] for k in indexes])
        slopes = dict(zip(indexes, model.slopes, strict=True))
        worst = min(slopes, key=slopes.__getitem__, default=None)
        if worst is None or slopes[worst] >= 0:
            break
        indexes.remove(worst)
    return Weights(*(_POINTS * slopes.get(k, 0.0) / unit for k, unit in enumerate(_UNITS)))


def _loss_left_out(deals: Sequence[Measured], weigh: Callable[[Sequence[Measured]], Weights]) -> float:
    """Return the cross-validated total log loss: each fold is predicted by a model fitted to the other folds.

    If `weigh` returns fixed weights, only the levels and the scale of the score are fitted.
    """
    lost = 0.0
    for fold in range(_FOLDS):
        weights = weigh([deal for k, deal in enumerate(deals) if k % _FOLDS != fold])

        def score(deal: Measured, weights: Weights = weights) -> list[float]:
            return [weights.score(deal.figures.terms) / _POINTS]

        model = _fitted([deal for k, deal in enumerate(deals) if k % _FOLDS != fold], score)
        for deal in deals[fold::_FOLDS]:
            share = min(max(model.share(deal.variant, score(deal)), 1e-9), 1 - 1e-9)
            lost -= deal.wins * log(share) + (deal.results - deal.wins) * log(1 - share)
    return lost


@dataclass(frozen=True, slots=True)
class _Model:
    """Logistic model: a level for each variant, and a slope for each term, which lowers the log odds."""

    levels: dict[str, float]
    slopes: list[float]

    def share(self, variant: str, terms: Sequence[float]) -> float:
        """Return the expected share of wins; an unknown variant gets the mean level."""
        mean = sum(self.levels.values()) / max(1, len(self.levels))
        drop = sum(slope * term for slope, term in zip(self.slopes, terms, strict=True))
        return _logistic(self.levels.get(variant, mean) - drop)


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value)) if value > -500 else 0.0


def _fitted(deals: Sequence[Measured], terms_of: Callable[[Measured], Sequence[float]]) -> _Model:
    """Fit a model by penalised maximum likelihood with Newton's method."""
    variants = sorted({deal.variant for deal in deals})
    rows = [
        ([float(deal.variant == name) for name in variants] + [-term for term in terms_of(deal)], deal)
        for deal in deals
    ]
    size = len(rows[0][0]) if rows else 0
    solution = [0.0] * size
    for _ in range(50):
        slope = [-_PENALTY * value for value in solution]
        curve = [[_PENALTY * (i == j) for j in range(size)] for i in range(size)]
        for inputs, deal in rows:
            share = _logistic(sum(a * b for a, b in zip(inputs, solution, strict=True)))
            spread = deal.results * share * (1 - share)
            for i, a in enumerate(inputs):
                slope[i] += a * (deal.wins - deal.results * share)
                for j, b in enumerate(inputs):
                    curve[i][j] += spread * a * b
        step = _solved(curve, slope)
        longest = max(map(abs, step), default=0.0)
        # Limit the step length: far from the maximum the quadratic approximation is poor.
        solution = [
            value + part * min(1.0, 4 / max(longest, 1e-12)) for value, part in zip(solution, step, strict=True)
        ]
        if longest < 1e-9:
            break
    return _Model(dict(zip(variants, solution, strict=False)), solution[len(variants) :])


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a linear system with a symmetric positive definite matrix by Gaussian elimination."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(size):
        for i in range(k + 1, size):
            times = rows[i][k] / rows[k][k]
            rows[i] = [a - times * b for a, b in zip(rows[i], rows[k], strict=True)]
    solution = [0.0] * size
    for k in reversed(range(size)):
        offset = sum(rows[k][j] * solution[j] for j in range(k + 1, size))
        solution[k] = (rows[k][size] - offset) / rows[k][k]
    return solution
