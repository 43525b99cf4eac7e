from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from games import verification
from games.attempts import deal_table
from games.models import Attempt
from games.rules import End
from games.verification import implausibilities, judge, line_digest
from tests.leaderboards import factory

State = Attempt.State
pytestmark = pytest.mark.django_db


def codes(reasons: list[dict[str, Any]]) -> list[str]:
    return [reason["code"] for reason in reasons]


def plays(gaps: list[int]) -> tuple[list[str], list[int], int]:
    """Placing tokens with these gaps between them."""
    clock = [sum(gaps[: n + 1]) for n in range(len(gaps))]
    return ["t0-f"] * len(gaps), clock, clock[-1]


def test_an_honest_game_is_verified_with_the_figures_of_its_replay() -> None:
    attempt = factory.finished(factory.deal())
    verdict = judge(attempt)
    assert (verdict.state, verdict.reasons) == (State.VERIFIED, [])
    assert verdict.replay is not None
    assert verdict.replay.tokens == len(factory.line(attempt.deal))


def test_only_seed_and_tokens_count_not_what_the_live_game_noted() -> None:
    attempt = factory.finished(factory.deal())
    attempt.cards_up, attempt.elapsed_ms, attempt.tokens = 52, 1, 1
    verdict = judge(attempt)
    assert verdict.replay is not None
    assert (verdict.replay.cards_up, verdict.replay.tokens) != (52, 1)


def test_an_illegal_token_is_rejected_with_its_place_and_reason() -> None:
    deal = factory.deal()
    legal = deal_table(deal).legal_moves()
    token = next(f"t{a}-t{b}" for a in range(6) for b in range(6) if a != b and f"t{a}-t{b}" not in legal)
    verdict = judge(factory.finished(deal, record=factory.record_of(deal, [legal[0], "u", token])))
    assert verdict.state == State.REJECTED
    (reason,) = verdict.reasons
    assert (reason["code"], reason["index"], reason["token"]) == ("replay_failed", 2, token)
    assert reason["message"]


def test_an_undo_with_nothing_to_undo_is_rejected() -> None:
    deal = factory.deal()
    verdict = judge(factory.finished(deal, record=factory.record_of(deal, ["u"])))
    assert (verdict.state, codes(verdict.reasons)) == (State.REJECTED, ["replay_failed"])
    assert verdict.reasons[0]["index"] == 0


def test_a_claimed_win_that_is_none_is_rejected() -> None:
    deal = factory.deal()
    verdict = judge(factory.finished(deal, record=factory.record_of(deal, factory.line(deal), end="won")))
    assert (verdict.state, codes(verdict.reasons)) == (State.REJECTED, ["replay_failed"])


def test_an_end_other_than_the_records_is_rejected() -> None:
    verdict = judge(factory.finished(factory.deal(), end="closed"))
    assert (verdict.state, codes(verdict.reasons)) == (State.REJECTED, ["wrong_end"])


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [("seed", b"\x07" * 32, "wrong_deal"), ("name", "labyrinth", "wrong_variant")],
)
def test_a_record_of_another_deal_is_rejected(field: str, value: Any, code: str) -> None:
    deal = factory.deal()
    record = replace(factory.record_of(deal, []), **{field: value})
    verdict = judge(factory.finished(deal, record=record))
    assert (verdict.state, codes(verdict.reasons)) == (State.REJECTED, [code])


def test_a_record_of_another_rules_version_than_the_deals_is_rejected() -> None:
    attempt = factory.finished(factory.deal())
    attempt.deal.rules_version += 1
    assert codes(judge(attempt).reasons) == ["wrong_rules"]


@pytest.mark.parametrize("raw", [b"", b"\xff" * 40, b"{}"])
def test_an_unreadable_record_goes_to_review(raw: bytes) -> None:
    attempt = factory.finished(factory.deal())
    attempt.record = raw
    assert (judge(attempt).state, codes(judge(attempt).reasons)) == (State.REVIEW, ["unreadable_record"])


def test_a_record_whose_replay_breaks_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_record: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(verification, "replay", broken)
    with pytest.raises(ZeroDivisionError):
        judge(factory.finished(factory.deal()))


# --- Plausibility ---------------------------------------------------------------------------------------------------


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


# --- Copies ---------------------------------------------------------------------------------------------------------


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
