"""Who plays what another account has played before is looked at."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from games.fairplay.copies import line_digest
from games.models import Attempt
from games.verification import judge
from tests.leaderboards import factory

State = Attempt.State
pytestmark = pytest.mark.django_db


def codes(reasons: list[dict[str, Any]]) -> list[str]:
    return [reason["code"] for reason in reasons]


def a_long_line(deal: Any) -> list[str]:
    tokens = factory.line(deal, 120, seed=3)
    assert line_digest(tokens) is not None
    return tokens


def test_another_accounts_later_copy_goes_to_review_and_the_first_stands() -> None:
    deal = factory.deal("tarot", seed=bytes(32))
    tokens = a_long_line(deal)
    first = factory.finished(deal, tokens=tokens)
    copy = factory.finished(deal, tokens=tokens, started_at=factory.NOON + timedelta(minutes=1))
    assert judge(first).state == State.VERIFIED
    verdict = judge(copy)
    assert (verdict.state, codes(verdict.reasons)) == (State.REVIEW, ["copied_line"])
    assert verdict.reasons[0]["attempt"] == str(first.public_id)


def test_of_two_that_finish_at_the_same_moment_one_stands() -> None:
    deal = factory.deal("tarot", seed=bytes(32))
    tokens = a_long_line(deal)
    states = {judge(attempt).state for attempt in [factory.finished(deal, tokens=tokens) for _ in range(2)]}
    assert states == {State.VERIFIED, State.REVIEW}


def test_ones_own_line_and_another_deals_are_no_copies() -> None:
    deal, other = factory.deal("tarot", seed=bytes(32)), factory.deal("tarot", day=None, seed=b"1" * 32)
    tokens = a_long_line(deal)
    me = factory.player()
    factory.finished(deal, who=me, tokens=tokens, ranked=False)
    later = factory.NOON + timedelta(minutes=1)
    assert judge(factory.finished(deal, who=me, tokens=tokens, started_at=later)).state == State.VERIFIED
    assert judge(factory.finished(other, tokens=a_long_line(other), started_at=later)).state == State.VERIFIED


def test_a_trivial_line_may_be_found_twice() -> None:
    deal = factory.deal("tarot", seed=bytes(32))
    tokens = ["d"] * 12 + ["n"] + ["d"] * 12
    factory.finished(deal, tokens=tokens)
    assert (
        judge(factory.finished(deal, tokens=tokens, started_at=factory.NOON + timedelta(minutes=1))).state
        == State.VERIFIED
    )
    assert line_digest(tokens) is None
