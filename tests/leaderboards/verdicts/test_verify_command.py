from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.models import Attempt
from leaderboards.boards import board_queries, histogram
from leaderboards.boards.listings import deal_listing
from leaderboards.models import DealBucket, Result
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import settle
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db
State = Attempt.State


def verify(*arguments: str) -> tuple[int, str]:
    """Run the command and return its exit code and output."""
    out = io.StringIO()
    try:
        call_command("verify", *arguments, "--no-progress", stdout=out)
    except SystemExit as exit_:
        return int(str(exit_.code)), out.getvalue()
    return 0, out.getvalue()


def verified(deal: Any, **fields: Any) -> Attempt:
    attempt = factory.finished(deal, **fields)
    settle(attempt.pk)
    return attempt


def cheat(attempt: Attempt) -> None:
    """Replace the record by one that does not replay, as if a bug had let it through."""
    Attempt.objects.filter(pk=attempt.pk).update(record=factory.record_of(attempt.deal, ["u"]).to_bytes())


def test_unchanged_verdicts_exit_with_0() -> None:
    attempt = verified(factory.deal())
    for arguments in ([str(attempt.public_id)], [str(attempt.pk)], ["--all"], ["--deal", str(attempt.deal_id)]):
        code, printed = verify(*arguments)
        assert (code, "1 judged, 0 changed, 0 counts corrected" in printed) == (0, True)


def test_a_changed_verdict_is_settled_and_exits_with_1() -> None:
    deal = factory.deal()
    good, bad = verified(deal), verified(deal, tokens=factory.line(deal, seed=2))
    cheat(bad)
    code, printed = verify("--deal", f"{deal.day}/{deal.variant}")
    assert code == 1
    assert f"{bad.public_id}: verified was rejected (replay_failed)" in printed
    assert [entry.attempt for entry in board_queries.page(deal).entries] == [good.public_id]
    assert verify("--all")[0] == 0


def test_all_attempts_are_judged_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = factory.deal()
    bad = [verified(deal, tokens=factory.line(deal, seed=seed)) for seed in range(5)][-1]
    cheat(bad)
    monkeypatch.setattr("leaderboards.management.commands.verify.BATCH", 2)
    code, printed = verify("--all")
    assert (code, "5 judged, 1 changed" in printed) == (1, True)


def test_a_dry_run_changes_nothing() -> None:
    bad = verified(factory.deal())
    cheat(bad)
    DealBucket.objects.update(entries=7)
    code, printed = verify("--all", "--dry-run")
    assert (code, "verified would be rejected" in printed) == (1, True)
    bad.refresh_from_db()
    assert (bad.state, Result.objects.count()) == (State.VERIFIED, 1)
    assert histogram.faults(deal_listing(bad.deal_id, "race"))


def test_a_wrong_score_is_corrected() -> None:
    attempt = verified(factory.deal())
    Attempt.objects.filter(pk=attempt.pk).update(cards_up=52)
    Result.objects.update(cards_up=52)
    assert verify(str(attempt.pk))[0] == 1
    attempt.refresh_from_db()
    (entry,) = board_queries.page(attempt.deal).entries
    assert entry.cards_up == attempt.cards_up != 52


def test_counts_are_corrected() -> None:
    attempt = verified(factory.deal())
    DealBucket.objects.filter(level=1).update(entries=5)
    assert verify("--deal", str(attempt.deal_id))[0] == 1
    assert histogram.faults(deal_listing(attempt.deal_id, "race")) == []
    assert verify("--deal", str(attempt.deal_id))[0] == 0


def test_a_pending_attempt_is_judged() -> None:
    attempt = factory.finished(factory.deal())
    code, printed = verify(str(attempt.public_id))
    assert (code, "pending was verified" in printed) == (1, True)
    assert board_queries.page(attempt.deal).total == 1


def test_staff_decisions_stand_while_the_record_replays() -> None:
    deal = factory.deal("braid")
    cleared = factory.finished(deal, record=factory.superhuman(deal))
    settle(cleared.pk)
    decide(cleared.pk, State.VERIFIED, "ada")
    thrown_out = verified(deal)
    decide(thrown_out.pk, State.REJECTED, "ada")
    assert verify("--all")[0] == 0
    cheat(cleared)
    assert verify("--all")[0] == 1
    assert board_queries.page(deal).entries == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["99999999"],
        ["00000000-0000-0000-0000-000000000000"],
        ["--deal", "x"],
        ["--deal", "2026-01-01/braid"],
    ],
)
def test_unknown_attempts_exit_with_2(arguments: list[str]) -> None:
    with pytest.raises(CommandError) as error:
        verify(*arguments)
    assert error.value.returncode == 2


def test_a_running_attempt_cannot_be_verified() -> None:
    attempt = Attempt.objects.create(deal=factory.deal(), player=factory.player(), ranked=True, started_at=factory.NOON)
    with pytest.raises(CommandError):
        verify(str(attempt.pk))
