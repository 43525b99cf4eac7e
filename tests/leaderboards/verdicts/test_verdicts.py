"""Input of a judgement: the player's own tokens and their timing."""

from __future__ import annotations

from itertools import accumulate, cycle

import pytest

from games.attempts.verification import judge
from games.models import Attempt
from leaderboards.verdicts.decisions import decide
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("gaps", "variation"), [((1980, 2020), 0.01), ((1800, 2200), 0.1), ((1600, 2400), None)])
def test_gaps_are_too_even_by_their_relative_deviation(gaps: tuple[int, int], variation: float | None) -> None:
    deal = factory.deal("tarot", seed=bytes(32))
    tokens, gap = factory.line(deal, 400, seed=3), cycle(gaps)
    clock = list(accumulate(0 if token in {"d", "n"} else next(gap) for token in tokens))  # draws take no time here
    found = judge(factory.finished(deal, record=factory.record_of(deal, tokens, clock))).reasons
    steady = [reason["variation"] for reason in found if reason["code"] == "steady"]
    assert steady == ([] if variation is None else [pytest.approx(variation, abs=0.001)])


@pytest.mark.parametrize("why", ["", "Like that of the account ada2."])
def test_staff_reasons_are_not_shown_to_the_player(why: str) -> None:
    attempt = factory.finished(factory.deal(), state=Attempt.State.REVIEW)
    decide(attempt.pk, Attempt.State.REJECTED, "ada", why)
    attempt.refresh_from_db()
    assert [one["message"] for one in attempt.reasons] == ["Rejected by staff."]
    assert [decision.why for decision in attempt.decisions.all()] == [why]
