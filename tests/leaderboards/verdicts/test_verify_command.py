"""Commands `verify` and `fairplay`: what they check again, and their exit codes."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.attempts.verification import judge_alone
from games.core.verdict_reasons import VerdictReason, reason
from games.models import Attempt
from leaderboards.boards import deal_boards, histogram
from leaderboards.boards.listings import deal_listing
from leaderboards.models import DealBucket, Result
from leaderboards.verdicts import reflagging
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import AttemptVerdict, Case, settle, settle_all
from tests import factories
from tests.factories import DAY, NOON, make_account, make_deal, won_records

pytestmark = pytest.mark.django_db
State = Attempt.State


def run(command: str, *arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command(command, *arguments, "--no-progress", stdout=out, stderr=out)
    except SystemExit as exit_:
        return int(str(exit_.code)), out.getvalue()
    return 0, out.getvalue()


verify, fairplay = partial(run, "verify"), partial(run, "fairplay")


def cheat(attempt: Attempt) -> None:
    """Replace the record by one that does not replay, as if a bug had let it through."""
    Attempt.objects.filter(pk=attempt.pk).update(record=factories.record_of(attempt.deal, ["u"]).to_bytes())


def test_unchanged_verdicts_exit_with_0() -> None:
    attempt = factories.settled(make_deal("stonewall", DAY))
    for arguments in ([str(attempt.public_id)], [str(attempt.pk)], ["--all"], ["--deal", str(attempt.deal_id)]):
        code, printed = verify(*arguments)
        assert (code, "1 judged, 0 changed, 0 counts corrected" in printed) == (0, True)


def test_a_changed_verdict_is_settled_and_exits_with_1() -> None:
    deal = make_deal("stonewall", DAY)
    good, bad = factories.settled(deal), factories.settled(deal, tokens=factories.line(deal, seed=2))
    cheat(bad)
    code, printed = verify("--deal", f"{deal.day}/{deal.variant}")
    assert code == 1
    assert f"{bad.public_id}: verified was rejected (replay_failed)" in printed
    assert [entry.attempt for entry in deal_boards.page(deal).entries] == [good.public_id]
    assert verify("--all")[0] == 0


def test_all_attempts_are_judged_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = make_deal("stonewall", DAY)
    bad = [factories.settled(deal, tokens=factories.line(deal, seed=seed)) for seed in range(5)][-1]
    cheat(bad)
    monkeypatch.setattr("leaderboards.management.commands.verify.BATCH", 2)
    code, printed = verify("--all")
    assert (code, "5 judged, 1 changed" in printed) == (1, True)


def test_a_dry_run_changes_nothing() -> None:
    bad = factories.settled(make_deal("stonewall", DAY))
    cheat(bad)
    DealBucket.objects.update(entries=7)
    code, printed = verify("--all", "--dry-run")
    assert (code, "verified would be rejected" in printed) == (1, True)
    bad.refresh_from_db()
    assert (bad.state, Result.objects.count()) == (State.VERIFIED, 1)
    assert histogram.faults(deal_listing(bad.deal_id, "race"))


def test_a_wrong_score_is_corrected() -> None:
    attempt = factories.settled(make_deal("stonewall", DAY))
    Attempt.objects.filter(pk=attempt.pk).update(cards_up=52)
    Result.objects.update(cards_up=52)
    assert verify(str(attempt.pk))[0] == 1
    attempt.refresh_from_db()
    (entry,) = deal_boards.page(attempt.deal).entries
    assert entry.cards_up == attempt.cards_up != 52


def test_counts_are_corrected() -> None:
    attempt = factories.settled(make_deal("stonewall", DAY))
    DealBucket.objects.filter(level=1).update(entries=5)
    assert verify("--deal", str(attempt.deal_id))[0] == 1
    assert histogram.faults(deal_listing(attempt.deal_id, "race")) == []
    assert verify("--deal", str(attempt.deal_id))[0] == 0


def test_a_pending_attempt_is_judged() -> None:
    attempt = factories.finished(make_deal("stonewall", DAY))
    code, printed = verify(str(attempt.public_id))
    assert (code, "pending was verified" in printed) == (1, True)
    assert deal_boards.page(attempt.deal).total == 1


def test_staff_decisions_stand_while_the_record_replays() -> None:
    deal = make_deal("braid", DAY)
    cleared = factories.settled(deal, record=factories.superhuman(deal))
    decide(cleared.pk, State.VERIFIED, "ada")
    thrown_out = factories.settled(deal)
    decide(thrown_out.pk, State.REJECTED, "ada")
    assert verify("--all")[0] == 0
    cheat(cleared)
    assert verify("--all")[0] == 1
    assert deal_boards.page(deal).entries == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "nonsense"],
        ["verify", "99999999"],
        ["verify", "00000000-0000-0000-0000-000000000000"],
        ["verify", "--deal", "x"],
        ["verify", "--deal", "2026-01-01/braid"],
        ["fairplay", "--attempt", "x"],
        ["fairplay", "--attempt", "99999999"],
        ["fairplay", "--since", "2026-02-01", "--until", "2026-01-01"],
    ],
)
def test_unknown_attempts_exit_with_2(arguments: list[str]) -> None:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    assert error.value.returncode == 2


def test_a_running_attempt_cannot_be_verified() -> None:
    attempt = Attempt.objects.create(
        deal=make_deal("stonewall", DAY),
        player=make_account(),
        ranked=True,
        started_at=NOON,
    )
    with pytest.raises(CommandError):
        verify(str(attempt.pk))


PACE: VerdictReason = reason("pace", "20 plays within 5 ms, which need 99 ms.", plays=20)


def as_by_other_rules(attempt: Attempt, state: State, *reasons: VerdictReason) -> Attempt:
    """Return the attempt, settled as other fair play rules would have it."""
    verdict = replace(AttemptVerdict.of(attempt, judge_alone(attempt)), state=state, reasons=list(reasons))
    assert settle_all([Case(attempt, verdict)], expected=State.PENDING)
    attempt.refresh_from_db()
    return attempt


def let_through(deal: Any, **fields: Any) -> Attempt:
    return as_by_other_rules(factories.finished(deal, record=factories.superhuman(deal), **fields), State.VERIFIED)


def held(deal: Any, **fields: Any) -> Attempt:
    return as_by_other_rules(factories.finished(deal, **fields), State.REVIEW, PACE)


def test_by_default_it_only_reports_changes() -> None:
    deal = make_deal("braid", DAY)
    fast, other, slow = let_through(deal), let_through(deal), held(deal)
    for arguments in ([], ["--dry-run"]):
        code, printed = fairplay(*arguments)
        assert code == 1
        assert "3 judged, 3 would change" in printed
        assert f"{fast.public_id}: verified would be review (burst, pace)" in printed
        assert f"{slow.public_id}: review (pace) would be verified" in printed
        assert printed.index("state") < printed.index("flag") < printed.index(str(fast.public_id))
        rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if len(line.split()) == 3}
        assert (rows["verified"], rows["review"]) == (["2", "1"], ["1", "2"])
        assert (rows["burst"], rows["pace"]) == (["0", "2"], ["1", "2"])
    fast.refresh_from_db()
    slow.refresh_from_db()
    assert (fast.state, slow.state) == (State.VERIFIED, State.REVIEW)
    assert {entry.attempt for entry in deal_boards.page(deal).entries} == {fast.public_id, other.public_id}


def test_writing_settles_and_updates_the_boards() -> None:
    deal = make_deal("braid", DAY)
    fast, slow = let_through(deal), held(deal)
    code, printed = fairplay("--write")
    assert (code, f"{fast.public_id}: verified was review" in printed) == (1, True)
    assert [entry.attempt for entry in deal_boards.page(deal).entries] == [slow.public_id]
    fast.refresh_from_db()
    assert {one["code"] for one in fast.reasons} == {"burst", "pace"}
    assert fairplay()[0] == 0


@pytest.mark.parametrize("decision", [State.VERIFIED, State.REJECTED])
def test_staff_decisions_stand_and_are_reported(decision: State) -> None:
    attempt = let_through(make_deal("braid", DAY))
    decide(attempt.pk, decision, "ada")
    Attempt.objects.filter(pk=attempt.pk).update(reasons=[reason("staff", "Seen.", state=decision, by="ada")])
    code, printed = fairplay("--write")
    assert code == 1
    assert f"{attempt.public_id}: {decision} unchanged, staff decided" in printed
    assert "would now be flagged burst, pace" in printed
    attempt.refresh_from_db()
    assert (attempt.state, [one["code"] for one in attempt.reasons]) == (decision, ["staff"])


def test_a_concurrent_decision_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = let_through(make_deal("braid", DAY))
    write = reflagging._write

    def decided_first(*arguments: Any) -> set[int]:
        decide(attempt.pk, State.VERIFIED, "ada")
        return write(*arguments)

    monkeypatch.setattr(reflagging, "_write", decided_first)
    assert "1 unchanged, settled by another process in the meantime" in fairplay("--write")[1]
    attempt.refresh_from_db()
    assert attempt.state == State.VERIFIED


def test_an_invalid_record_is_left_to_verify() -> None:
    attempt = let_through(make_deal("braid", DAY))
    cheat(attempt)
    code, printed = fairplay("--write")
    assert (code, "see `manage.py verify`" in printed) == (1, True)
    attempt.refresh_from_db()
    assert attempt.state == State.VERIFIED


def test_rejected_records_and_practice_are_skipped() -> None:
    deal = make_deal("stonewall", DAY)
    factories.settled(deal, tokens=["u"])
    let_through(make_deal("braid", DAY), ranked=False)
    assert fairplay()[0] == 0


def test_verify_does_not_change_flags() -> None:
    deal = make_deal("braid", DAY)
    let_through(deal)
    held(deal)
    call_command("verify", "--all", "--no-progress", stdout=io.StringIO())  # exits with 0


def test_filters_select_the_attempts() -> None:
    braid, plot = (
        make_deal("braid", DAY),
        make_deal("plot", DAY, seed=bytes(32)),
    )
    fast, other = let_through(braid), let_through(plot)
    slow = held(braid)
    day = str(DAY)

    def named(*arguments: str) -> set[Any]:
        printed = fairplay(*arguments)[1]
        return {one.pk for one in (fast, slow, other) if str(one.public_id) in printed}

    assert named() == {fast.pk, slow.pk, other.pk}
    assert named("--variant", "plot") == {other.pk}
    assert named("--state", "review") == {slow.pk}
    assert named("--attempt", str(fast.public_id), "--attempt", str(other.pk)) == {fast.pk, other.pk}
    assert named("--since", day, "--until", day) == {fast.pk, slow.pk, other.pk}
    assert named("--since", "2030-01-01") == named("--until", "2020-01-01") == set()
    assert named("--from-deal", str(plot.pk)) == {other.pk}


def test_an_interrupted_run_keeps_its_work_and_can_resume(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (
        let_through(make_deal("braid", DAY)),
        let_through(make_deal("plot", DAY)),
    )
    judge = judge_alone

    def interrupted(attempt: Attempt) -> Any:
        if attempt.pk == second.pk:
            raise KeyboardInterrupt
        return judge(attempt)

    with monkeypatch.context() as patched:
        patched.setattr(reflagging, "judge_alone", interrupted)
        code, printed = fairplay("--write")
    assert (code, str(first.public_id) in printed) == (130, True)
    assert f"--from-deal {second.deal_id}" in printed
    first.refresh_from_db()
    assert first.state == State.REVIEW
    code, printed = fairplay("--write", "--from-deal", str(second.deal_id))
    assert (code, str(second.public_id) in printed, str(first.public_id) in printed) == (1, True, False)


LINE = won_records("tarot-novice")[0]


def won(deal: Any, started_at: datetime, *, slowly: bool) -> Attempt:
    record = factories.record_of(deal, LINE.tokens, None if slowly else [0] * len(LINE.tokens), end="won")
    return factories.finished(deal, record=record, started_at=started_at)


@pytest.mark.parametrize("first_stands", [True, False])
def test_a_dry_run_predicts_the_changes_for_all_batches(monkeypatch: pytest.MonkeyPatch, *, first_stands: bool) -> None:
    """A copy is one only if the game before it stands, or would stand again."""
    monkeypatch.setattr(reflagging, "BATCH", 1)
    deal = make_deal("tarot-novice", DAY, seed=LINE.seed)
    first = won(deal, NOON, slowly=first_stands)
    later = won(deal, NOON + timedelta(hours=1), slowly=True)
    as_by_other_rules(first, *((State.REVIEW, PACE) if first_stands else (State.VERIFIED,)))
    as_by_other_rules(later, State.VERIFIED)
    dry, written = fairplay()[1], fairplay("--write")[1]
    assert dry.replace("would be", "was").replace("would change", "changed") == written
    later.refresh_from_db()
    assert [one["code"] for one in later.reasons] == (["copied_line"] if first_stands else [])


def test_a_win_without_a_line_gets_one() -> None:
    attempt = won(make_deal("tarot-novice", DAY, seed=LINE.seed), NOON, slowly=True)
    settle(attempt.pk)
    Attempt.objects.filter(pk=attempt.pk).update(decisions_digest=None)
    assert fairplay("--write")[0] == 0
    attempt.refresh_from_db()
    assert attempt.decisions_digest is not None
