"""The verdict on a finished attempt, derived from its record, its deal and nothing the live game computed.

Legality comes first: the record must be of this deal, replay token by token under its own rules version, and end as the
attempt did. What is illegal is rejected. Fair play comes second, for ranked attempts only (`games.fairplay`): a legal
game that a person can hardly have played goes to review, with what was seen, and staff decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from games.fairplay import pace
from games.fairplay.copies import earlier_lines, line_digest
from games.models import Attempt, Deal
from games.reasons import Reason, reason
from games.rules import Record, RecordError, Replay, RulesError, replay


@dataclass(frozen=True, slots=True)
class Judgement:
    """The state an attempt deserves, why, and what the replay found (None when there was nothing to replay)."""

    state: Attempt.State
    reasons: list[Reason]
    replay: Replay | None = None
    line: bytes | None = None


def judge(attempt: Attempt) -> Judgement:
    """The verdict on a finished attempt; reads the database, writes nothing."""
    return compare([(attempt, judge_alone(attempt))])[0]


def judge_alone(attempt: Attempt) -> Judgement:
    """The verdict on a finished attempt as far as it does not depend on others' attempts."""
    try:
        record = Record.from_bytes(bytes(attempt.record or b""))
    except RecordError as error:
        # The server wrote it, so this is no fault of the player's.
        return Judgement(Attempt.State.REVIEW, [reason("unreadable_record", str(error))])
    foreign = _foreign(record, attempt.deal)
    if foreign:
        return Judgement(Attempt.State.REJECTED, [foreign])
    played = _replayed(record)
    if isinstance(played, RulesError):
        return Judgement(Attempt.State.REVIEW, [reason("unreadable_record", str(played))])
    refusal = _refusal(attempt, played)
    if refusal:
        return Judgement(Attempt.State.REJECTED, [refusal], played)
    line = line_digest(record.tokens, attempt.auto_runs)
    doubts = pace.doubts(attempt, record) if attempt.ranked else []
    return Judgement(Attempt.State.REVIEW if doubts else Attempt.State.VERIFIED, doubts, played, line)


def compare(judged: Sequence[tuple[Attempt, Judgement]]) -> list[Judgement]:
    """The judgements, with those sent to review whose moves another account played before."""
    asked = [(attempt, judgement.line) for attempt, judgement in judged if attempt.ranked and judgement.line]
    earlier = earlier_lines(asked) if asked else {}
    return [_with_copy(judgement, earlier.get(attempt.pk)) for attempt, judgement in judged]


def _with_copy(judgement: Judgement, earlier: UUID | None) -> Judgement:
    if earlier is None:
        return judgement
    copied = reason("copied_line", "Another account played the same moves before.", attempt=str(earlier))
    return replace(judgement, state=Attempt.State.REVIEW, reasons=[*judgement.reasons, copied])


def _replayed(record: Record) -> Replay | RulesError:
    try:
        return replay(record)
    except RulesError as error:
        return error


def _foreign(record: Record, deal: Deal) -> Reason | None:
    if record.seed != bytes(deal.seed):
        return reason("wrong_deal", "The record was played from another seed.")
    if record.version != deal.rules_version:
        return reason(
            "wrong_rules", f"The record follows rules version {record.version}, the deal {deal.rules_version}."
        )
    if record.name not in {deal.variant, deal.game} or (record.name == deal.game and not _same_options(record, deal)):
        return reason("wrong_variant", "The record is of another game than the deal.")
    return None


def _same_options(record: Record, deal: Deal) -> bool:
    return record.options is None or dict(record.options) == deal.options


def _refusal(attempt: Attempt, played: Replay) -> Reason | None:
    if played.failure is not None:
        failure = played.failure
        return reason("replay_failed", failure.reason, index=failure.index, token=failure.token)
    if played.how != attempt.end:
        return reason("wrong_end", f"The attempt ended as {attempt.end}, its record as {played.how}.")
    return None
