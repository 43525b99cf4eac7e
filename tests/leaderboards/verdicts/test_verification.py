"""Verification of records, and its verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.attempts import verification
from games.attempts.lifecycle import deal_table
from games.attempts.verification import judge
from games.models import Attempt
from leaderboards.verdicts.decisions import decide
from tests import factories
from tests.factories import DAY, make_deal
from tests.games.fairplay.scripted import codes

State = Attempt.State
pytestmark = pytest.mark.django_db


def test_an_honest_game_is_verified_with_its_replays_figures() -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    verdict = judge(attempt)
    assert (verdict.state, verdict.reasons) == (State.VERIFIED, [])
    assert verdict.replay is not None
    assert verdict.replay.tokens == len(factories.line(attempt.deal))


def test_an_illegal_token_is_rejected_with_place_and_reason() -> None:
    deal = make_deal("stonewall", DAY)
    legal = deal_table(deal).legal_moves()
    token = next(f"t{a}-t{b}" for a in range(6) for b in range(6) if a != b and f"t{a}-t{b}" not in legal)
    verdict = judge(factories.finished(deal, record=factories.record_of(deal, [legal[0], "u", token])))
    assert verdict.state == State.REJECTED
    (reason,) = verdict.reasons
    assert (reason["code"], reason["index"], reason["token"]) == ("replay_failed", 2, token)
    assert reason["message"]


def test_a_false_win_is_rejected() -> None:
    deal = make_deal("stonewall", DAY)
    verdict = judge(factories.finished(deal, record=factories.record_of(deal, factories.line(deal), end="won")))
    assert (verdict.state, codes(verdict.reasons)) == (State.REJECTED, ["replay_failed"])


def test_an_end_unlike_the_records_is_rejected() -> None:
    verdict = judge(factories.finished(make_deal("stonewall", DAY), end="closed"))
    assert (verdict.state, codes(verdict.reasons)) == (State.REJECTED, ["wrong_end"])


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [("seed", b"\x07" * 32, "wrong_deal"), ("name", "labyrinth", "wrong_variant")],
)
def test_a_record_of_another_deal_is_rejected(field: str, value: Any, code: str) -> None:
    deal = make_deal("stonewall", DAY)
    record = replace(factories.record_of(deal, []), **{field: value})
    verdict = judge(factories.finished(deal, record=record))
    assert (verdict.state, codes(verdict.reasons)) == (State.REJECTED, [code])


def test_a_record_of_another_rules_version_is_rejected() -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    attempt.deal.rules_version += 1
    assert codes(judge(attempt).reasons) == ["wrong_rules"]


@pytest.mark.parametrize("raw", [b"", b"\xff" * 40, b"{}"])
def test_an_unreadable_record_goes_to_review(raw: bytes) -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    attempt.record = raw
    assert (judge(attempt).state, codes(judge(attempt).reasons)) == (State.REVIEW, ["unreadable_record"])


def test_an_error_in_the_replay_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_record: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(verification, "replay", broken)
    with pytest.raises(ZeroDivisionError):
        judge(factories.finished(make_deal("stonewall", DAY)))


@pytest.mark.parametrize("why", ["", "Like that of the account ada2."])
def test_staff_reasons_are_not_shown_to_the_player(why: str) -> None:
    attempt = factories.finished(make_deal("stonewall", DAY), state=Attempt.State.REVIEW)
    decide(attempt.pk, Attempt.State.REJECTED, "ada", why)
    attempt.refresh_from_db()
    assert [one["message"] for one in attempt.reasons] == ["Rejected by staff."]
    assert [decision.why for decision in attempt.decisions.all()] == [why]
