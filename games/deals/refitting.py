"""The weights of the score that fit best how often people have won the deals of past days.

Whether a result is a win is explained by a logistic model: a level of each variant, less the four terms of the deal's
figures, each times a weight that all variants share. docs/difficulty.md, "Grades from people", says why so many results
are asked for. Everything here follows from its input alone.
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
from games.deals.difficulty import WEIGHTS, Figures, Weights
from games.models import Attempt, Deal
from games.rules import CATALOGUE
from games.solver import Budget

#: Results that a deal needs: its share of wins is then known to 11 percentage points (one standard error at a half).
LEAST_RESULTS: Final = 20
#: Such deals that a variant needs to be counted: its own level is found as well as the weights.
LEAST_OF_VARIANT: Final = 10
#: Such deals in all: 25 for each of the four weights, which are learnt from differences between deals alone.
LEAST_DEALS: Final = 100
#: In how many parts the deals are split to try weights on deals that they were not fitted to.
_FOLDS: Final = 5
#: Points of the score that divide the odds of winning by e.
_POINTS: Final = 10
#: What the terms are divided by before they are fitted, so that one penalty suits them all.
_UNITS: Final = (1.0, 1.0, 1.0, 100.0)
_PENALTY: Final = 0.01
"""Keeps the fit finite where every result is a win; a few results outweigh it."""


class TooFewResultsError(Exception):
    """People have not played enough yet; the message says what there is and what is needed."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How people fared at a deal: results and, of these, wins."""

    deal: Deal
    results: int
    wins: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A deal as the fit sees it."""

    variant: str
    figures: Figures
    results: int
    wins: int


@dataclass(frozen=True, slots=True)
class Refit:
    """New weights, and how well they tell wins: the mean logarithmic loss of a result at deals left out (lower is
    better), beside that of the present weights.
    """

    weights: Weights
    deals: int
    results: int
    loss: float
    present_loss: float

    @property
    def is_better(self) -> bool:
        """Whether deals left out are told better than by the present weights."""
        return self.loss < self.present_loss


def tried_deals(now: datetime) -> list[Tried]:
    """The revealed daily deals with a known line, by day and variant, and the verified ranked results of each.

    Who left without a move has not tried.
    """
    played = Q(attempts__ranked=True, attempts__state=Attempt.State.VERIFIED, attempts__tokens__gt=0)
    deals = (
        Deal.objects.filter(day__isnull=False, proven=True, variant__in=CATALOGUE)
        .annotate(
            tries=Count("attempts", filter=played),
            wins=Count("attempts", filter=played & Q(attempts__end=Attempt.End.WON)),
        )
        .filter(tries__gt=0)
        .order_by("day", "variant")
    )
    return [Tried(deal, deal.tries, deal.wins) for deal in deals if deal.is_revealed(now)]


def enough(tried: Sequence[Tried]) -> list[Tried]:
    """The deals to fit to: those with enough results, of variants with enough such deals.

    :raises TooFewResultsError: when there are too few of them.
    """
    known = [one for one in tried if one.results >= LEAST_RESULTS]
    count = Counter(one.deal.variant for one in known)
    chosen = [one for one in known if count[one.deal.variant] >= LEAST_OF_VARIANT]
    if len(chosen) < LEAST_DEALS:
        each = ", ".join(f"{name} {count[name]}" for name in CATALOGUE)
        raise TooFewResultsError(
            f"Too few results: {len(chosen)} deals can be used of the {LEAST_DEALS} needed. A deal needs "
            f"{LEAST_RESULTS} verified results, and its variant {LEAST_OF_VARIANT} such deals; there are: {each}."
        )
    return chosen


def measured(tried: Iterable[Tried]) -> Iterator[Measured]:
    """The figures of each deal, found anew by its seed; a deal that the solver no longer wins is left out."""
    for one in tried:
        found = certify(one.deal.variant, bytes(one.deal.seed), budget=Budget(nodes=BUDGET.nodes))
        if found is not None and found.figures is not None:
            yield Measured(one.deal.variant, found.figures, one.results, one.wins)


def refit(deals: Sequence[Measured]) -> Refit:
    """The weights that fit these deals best; none is negative, as no figure makes a deal easier."""
    results = sum(deal.results for deal in deals)
    return Refit(
        weights=_weights(deals),
        deals=len(deals),
        results=results,
        loss=_loss_left_out(deals, _weights) / results,
        present_loss=_loss_left_out(deals, lambda _: WEIGHTS) / results,
    )


def _weights(deals: Sequence[Measured]) -> Weights:
    """A weight that would come out negative is left out, and the others are fitted again."""
    chosen = list(range(len(_UNITS)))
    while True:
        slopes = dict(zip(chosen, _fitted(deals, lambda deal: _terms(deal, chosen)).slopes, strict=True))
        worst = min(slopes, key=slopes.__getitem__, default=None)
        if worst is None or slopes[worst] >= 0:
            break
        chosen.remove(worst)
    return Weights(*(_POINTS * slopes.get(k, 0.0) / unit for k, unit in enumerate(_UNITS)))


def _terms(deal: Measured, chosen: Sequence[int]) -> list[float]:
    return [deal.figures.terms[k] / _UNITS[k] for k in chosen]


def _loss_left_out(deals: Sequence[Measured], weigh: Callable[[Sequence[Measured]], Weights]) -> float:
    """The logarithmic loss of all results, each deal's by a model fitted to the other parts of the deals.

    Only levels and the scale of the score are fitted when `weigh` gives fixed weights.
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
    """A logistic model: the level of each variant, and what a unit of each term takes from it."""

    levels: dict[str, float]
    slopes: list[float]

    def share(self, variant: str, terms: Sequence[float]) -> float:
        """The share of wins to expect; a variant that it knows nothing of has the mean level."""
        mean = sum(self.levels.values()) / max(1, len(self.levels))
        taken = sum(slope * term for slope, term in zip(self.slopes, terms, strict=True))
        return _logistic(self.levels.get(variant, mean) - taken)


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value)) if value > -500 else 0.0


def _fitted(deals: Sequence[Measured], terms_of: Callable[[Measured], Sequence[float]]) -> _Model:
    """The penalised maximum of likelihood, by Newton's method."""
    variants = sorted({deal.variant for deal in deals})
    rows = [
        ([float(deal.variant == name) for name in variants] + [-term for term in terms_of(deal)], deal)
        for deal in deals
    ]
    size = len(rows[0][0]) if rows else 0
    found = [0.0] * size
    for _ in range(50):
        slope = [-_PENALTY * value for value in found]
        curve = [[_PENALTY * (i == j) for j in range(size)] for i in range(size)]
        for inputs, deal in rows:
            share = _logistic(sum(a * b for a, b in zip(inputs, found, strict=True)))
            spread = deal.results * share * (1 - share)
            for i, a in enumerate(inputs):
                slope[i] += a * (deal.wins - deal.results * share)
                for j, b in enumerate(inputs):
                    curve[i][j] += spread * a * b
        step = _solved(curve, slope)
        longest = max(map(abs, step), default=0.0)
        # A step may not leap: far from the maximum the curve says little.
        found = [value + part * min(1.0, 4 / max(longest, 1e-12)) for value, part in zip(found, step, strict=True)]
        if longest < 1e-9:
            break
    return _Model(dict(zip(variants, found, strict=False)), found[len(variants) :])


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a system of linear equations whose matrix is symmetric and positive definite, by elimination."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(size):
        for i in range(k + 1, size):
            times = rows[i][k] / rows[k][k]
            rows[i] = [a - times * b for a, b in zip(rows[i], rows[k], strict=True)]
    answer = [0.0] * size
    for k in reversed(range(size)):
        known = sum(rows[k][j] * answer[j] for j in range(k + 1, size))
        answer[k] = (rows[k][size] - known) / rows[k][k]
    return answer
