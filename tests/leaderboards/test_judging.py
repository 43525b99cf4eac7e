"""What a judgement takes from an attempt: which tokens were the player's own, and how evenly they came."""

from __future__ import annotations

from itertools import accumulate, cycle

import pytest

from games.models import Attempt
from games.verification import judge, judge_alone
from leaderboards.settlement import decide
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db


def test_what_the_server_played_out_makes_no_line_that_could_be_copied() -> None:
    deal = factory.deal("tarot", seed=bytes(32))
    tokens = factory.line(deal, 120, seed=3)
    assert judge_alone(factory.finished(deal, tokens=tokens)).line is not None
    assert judge_alone(factory.finished(deal, tokens=tokens, auto_runs=[[2, len(tokens)]])).line is None


@pytest.mark.parametrize(("gaps", "variation"), [((1980, 2020), 0.01), ((1800, 2200), None)])
def test_gaps_are_too_even_by_their_deviation_over_their_mean(gaps: tuple[int, int], variation: float | None) -> None:
    deal = factory.deal("tarot", seed=bytes(32))
    tokens, gap = factory.line(deal, 400, seed=3), cycle(gaps)
    clock = list(accumulate(0 if token in {"d", "n"} else next(gap) for token in tokens))  # drawing takes no time here
    found = judge(factory.finished(deal, record=factory.record_of(deal, tokens, clock))).reasons
    steady = [reason["variation"] for reason in found if reason["code"] == "steady"]
    assert steady == ([] if variation is None else [pytest.approx(variation, abs=0.001)])


@pytest.mark.parametrize(("note", "said"), [("", "Rejected by staff."), ("Seen it.", "Seen it.")])
def test_staff_need_not_say_why(note: str, said: str) -> None:
    attempt = factory.finished(factory.deal(), state=Attempt.State.REVIEW)
    decide(attempt.pk, Attempt.State.REJECTED, "ada", note)
    attempt.refresh_from_db()
    assert [one["message"] for one in attempt.reasons] == [said]
