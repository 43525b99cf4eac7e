"""Refitting of the grade weights from players' results: recovers known weights, and refuses too little data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from io import StringIO
from math import exp
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from games.deals import grade_fitting
from games.deals.certification import Certificate
from games.deals.difficulty import WEIGHTS, DifficultyFigures, Weights
from games.deals.grade_fitting import Measured, TooFewResultsError, Tried, deal_results, refit, usable_deals
from games.models import GRACE, Attempt, Deal
from games.rules import CATALOGUE
from tests.factories import make_deal

#: Unlike the current weights: positions count little, par counts much.
TRUE = Weights(greedy=60, random=5, nodes=2, line=0.3)


def deals(variants: Sequence[str], each: int, weights: Weights = TRUE, results: int = 400, seed: int = 1) -> list[Any]:
    """Make up deals and results for which ten points of these weights divide the odds of a win by e."""
    chance = Random(seed)
    measured = []
    for place, variant in enumerate(variants):
        for _ in range(each):
            figures = DifficultyFigures(
                chance.random() / 4, chance.random(), chance.randint(100, 300_000), chance.randint(60, 200)
            )
            odds = exp(8 + place - weights.score(figures.terms) / 10)
            wins = sum(chance.random() < odds / (1 + odds) for _ in range(results))
            measured.append(Measured(variant, figures, results, wins))
    return measured


def tried(variant: str, count: int, results: int = grade_fitting.LEAST_RESULTS) -> list[Tried]:
    return [Tried(Deal(variant=variant), results, 1) for _ in range(count)]


def test_the_true_weights_are_recovered() -> None:
    found = refit(deals(["braid", "tarot", "stonewall"], 60))
    assert (found.deals, found.results) == (180, 72_000)
    assert found.weights.greedy == pytest.approx(TRUE.greedy, rel=0.1)
    assert found.weights.nodes == pytest.approx(TRUE.nodes, abs=1.0)
    assert found.weights.line == pytest.approx(TRUE.line, rel=0.1)
    assert found.is_better
    assert found.loss < found.present_loss - 0.005


def test_the_current_weights_stay_where_they_are_right() -> None:
    found = refit(deals(["braid", "tarot"], 60, WEIGHTS, results=20))
    assert abs(found.loss - found.present_loss) < 0.02
    assert found.weights.greedy == pytest.approx(WEIGHTS.greedy, rel=0.5)


def test_no_figure_makes_a_deal_easier() -> None:
    odd = Weights(greedy=40, random=0, nodes=-8, line=0.2)
    found = refit(deals(["braid", "plot"], 60, odd)).weights
    assert found.nodes == 0
    assert min(found.greedy, found.random, found.line) >= 0
    assert found.line == pytest.approx(odd.line, rel=0.3)


@pytest.mark.parametrize("wins", [0, 30])
def test_identical_results_leave_the_weights_finite(wins: int) -> None:
    of = [Measured(one.variant, one.figures, 30, wins) for one in deals(["braid"], 100, results=1)]
    found = refit(of)
    assert all(abs(weight) < 1000 for weight in (found.weights.greedy, found.weights.nodes, found.weights.line))
    assert 0 <= found.loss < 0.1


def test_enough_is_a_hundred_deals_with_twenty_results_each() -> None:
    half = grade_fitting.LEAST_DEALS // 2
    known = [*tried("braid", half), *tried("plot", half)]
    assert usable_deals([*known, *tried("braid", 5, results=19)]) == known
    with pytest.raises(TooFewResultsError, match=rf"{2 * half - 1} deals .* braid {half - 1}, .* stonewall 0"):
        usable_deals(known[1:])


def test_a_variant_with_few_deals_is_left_out() -> None:
    known = tried("braid", grade_fitting.LEAST_DEALS)
    assert usable_deals([*known, *tried("tarot", grade_fitting.LEAST_OF_VARIANT - 1)]) == known
    with pytest.raises(TooFewResultsError):
        usable_deals([*known[1:], *tried("tarot", grade_fitting.LEAST_OF_VARIANT - 1)])


@pytest.fixture
def closed(db: None) -> Deal:
    deal = make_deal("labyrinth", day=timezone.now().date() - timedelta(days=3))
    Deal.objects.filter(pk=deal.pk).update(proven=True)
    deal.refresh_from_db()
    return deal


def play(deal: Deal, name: str, **fields: Any) -> None:
    now = timezone.now()
    values: dict[str, Any] = {"ranked": True, "state": "verified", "end": "won", "tokens": 60} | fields
    player = User.objects.create(username=name)
    Attempt.objects.create(deal=deal, player=player, started_at=now, finished_at=now, record=b"r", **values)


def test_verified_ranked_results_of_revealed_deals_are_counted(closed: Deal) -> None:
    play(closed, "won")
    play(closed, "lost", end="resigned", tokens=9)
    play(closed, "left", end="closed", tokens=0)
    play(closed, "practised", ranked=False)
    play(closed, "doubted", state="review")
    today = make_deal("labyrinth", day=timezone.now().date())
    Deal.objects.filter(pk=today.pk).update(proven=True)
    play(today, "early")
    now = timezone.now()
    assert [(one.deal, one.results, one.wins) for one in deal_results(now)] == [(closed, 2, 1)]
    assert closed.closes_at is not None
    assert deal_results(closed.closes_at + GRACE - timedelta(seconds=1)) == []


def test_an_unproven_deal_does_not_count(closed: Deal) -> None:
    Deal.objects.filter(pk=closed.pk).update(proven=False)
    play(closed, "won")
    assert deal_results(timezone.now()) == []


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("measure_difficulty", "--from-results", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_refuses_a_site_with_few_games(closed: Deal) -> None:
    play(closed, "won")
    with pytest.raises(CommandError, match="Too few results: 0 deals") as refused:
        run()
    assert refused.value.returncode == 3


def test_the_command_proposes_weights_and_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    of = deals(["braid", "plot"], 50)
    monkeypatch.setattr(grade_fitting, "deal_results", lambda _: [*tried("braid", 50), *tried("plot", 50)])
    monkeypatch.setattr(grade_fitting, "measured", lambda _: of)
    output = run()
    assert "fitted to 40,000 results at 100 deals" in output
    assert "too few results of braid-either, pigtail, labyrinth" in output
    assert "instead of 40" in output
    assert all(f"\n{name}: " in output for name in CATALOGUE), "with the weights of the others"


def test_the_command_keeps_weights_that_predict_equally_well(monkeypatch: pytest.MonkeyPatch) -> None:
    worse = grade_fitting.Refit(TRUE, 100, 2000, loss=0.6, present_loss=0.5)
    monkeypatch.setattr(grade_fitting, "deal_results", lambda _: tried("braid", 100))
    monkeypatch.setattr(grade_fitting, "measured", lambda _: deals(["braid"], 100, results=1))
    monkeypatch.setattr(grade_fitting, "refit", lambda _: worse)
    output = run()
    assert "keep them" in output
    assert "instead of" not in output


def test_figures_are_recomputed_from_the_seed(closed: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = DifficultyFigures(0.1, 0.2, 300, 60)
    certified: list[tuple[str, bytes]] = []

    def certify(variant: str, seed: bytes, **_: Any) -> Certificate | None:
        certified.append((variant, seed))
        return Certificate(None, figures, 3) if len(certified) == 1 else None  # type: ignore[arg-type]

    monkeypatch.setattr(grade_fitting, "certify", certify)
    found = list(grade_fitting.measured([Tried(closed, 30, 7), Tried(closed, 30, 7)]))
    assert certified == [("labyrinth", bytes(closed.seed))] * 2
    assert found == [Measured("labyrinth", figures, 30, 7)], "deals the solver no longer wins are left out"
