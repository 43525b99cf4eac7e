"""A pace that hands can have is let pass, and one that they cannot is looked at."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from games.fairplay.pace import implausibilities
from games.models import Attempt
from games.rules import End
from games.verification import judge
from tests.leaderboards import factory

State = Attempt.State
pytestmark = pytest.mark.django_db


def codes(reasons: list[dict[str, Any]]) -> list[str]:
    return [reason["code"] for reason in reasons]


def plays(gaps: list[int]) -> tuple[list[str], list[int], int]:
    """Placing tokens with these gaps between them."""
    clock = [sum(gaps[: n + 1]) for n in range(len(gaps))]
    return ["t0-f"] * len(gaps), clock, clock[-1]


def test_a_human_pace_is_plausible() -> None:
    gaps = [400, 900, 250, 2_000, 300, 700] * 20
    assert implausibilities(*plays(gaps), []) == []


def test_a_burst_of_plays_is_not() -> None:
    gaps = [900, 1_400] * 10 + [30, 50] * 10 + [1_000, 2_000] * 10
    assert codes(implausibilities(*plays(gaps), [])) == ["burst"]


def test_a_superhuman_pace_kept_up_is_not() -> None:
    gaps = [130, 150, 110] * 30
    assert codes(implausibilities(*plays(gaps), [])) == ["pace"]


def test_a_timers_pace_is_not() -> None:
    assert codes(implausibilities(*plays([1_000, 1_001] * 30), [])) == ["steady"]


def test_auto_finish_runs_are_nobodys_speed() -> None:
    human, machine = [400, 900, 250, 2_000] * 10, [0] * 40
    tokens, clock, end = plays(human + machine)
    assert codes(implausibilities(tokens, clock, end, [])) != []
    assert implausibilities(tokens, clock, end, [[41, 80]]) == []


def test_bursts_of_undo_and_of_drawing_are_human() -> None:
    for token in ("u", "d"):
        assert implausibilities([token] * 200, [n * 20 for n in range(200)], 5_000, []) == []


def test_clocks_that_go_back_are_seen() -> None:
    assert codes(implausibilities(["d", "d"], [20, 10], 30, [])) == ["clock_backwards"]
    assert codes(implausibilities(["d", "d"], [10, 20], 15, [])) == ["clock_backwards"]
    assert implausibilities([], [], 0, []) == []


def test_a_ranked_superhuman_game_goes_to_review_and_an_unranked_one_is_verified() -> None:
    deal = factory.deal("braid")
    record = factory.superhuman(deal)
    ranked = judge(factory.finished(deal, record=record))
    assert ranked.state == State.REVIEW
    assert "burst" in codes(ranked.reasons)
    assert judge(factory.finished(deal, record=record, ranked=False)).state == State.VERIFIED


def test_a_record_whose_clock_is_not_the_databases_goes_to_review() -> None:
    attempt = factory.finished(factory.deal())
    assert attempt.finished_at
    attempt.finished_at += timedelta(minutes=1)
    assert codes(judge(attempt).reasons) == ["clock_differs"]
    attempt.finished_at -= timedelta(minutes=2)
    assert codes(judge(attempt).reasons) == ["clock_differs"]


def test_a_close_noticed_late_is_no_reason_for_doubt() -> None:
    deal = factory.deal()
    record = replace(factory.record_of(deal, factory.line(deal)), end=End("closed", 10**6))
    attempt = factory.finished(deal, record=record)
    assert attempt.finished_at
    attempt.finished_at += timedelta(minutes=1)
    assert judge(attempt).state == State.VERIFIED
