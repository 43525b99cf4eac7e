"""The verdict on a finished attempt, derived from its record, its deal and nothing the live game computed.

Legality comes first: the record must be of this deal, replay token by token under its own rules version, and end as the
attempt did. What is illegal is rejected. Plausibility comes second, for ranked attempts only: a legal game that a
person can hardly have played goes to review, with what was seen, and staff decide.

The thresholds leave room for very fast people. Plays are the tokens that place a card: drawing and turning over can be
done by holding a key, undo comes in bursts, and runs that the server played out itself (auto-finish) are nobody's
speed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from games.models import Attempt, Deal
from games.rules import Record, RecordError, Replay, RulesError, replay
from games.statements import run_in_order, stored

#: Tokens that place no card.
FREE_TOKENS: Final = frozenset({"u", "d", "n", "up", "down"})

#: So many plays within a second are beyond hands: pointing at a card and clicking takes 0.2 s when well practised.
BURST_PLAYS: Final = 15
BURST_MS: Final = 1_000

#: So many plays in a row at 0.15 s each are beyond anybody who looks at the cards.
SUSTAINED_PLAYS: Final = 60
SUSTAINED_MS: Final = 9_000

#: Gaps between plays that vary by less than this share of their mean are a timer's; people vary by their whole mean.
STEADY_PLAYS: Final = 40
STEADY_VARIATION: Final = 0.05

#: Lines with fewer plays than this may well be found by two people.
TRIVIAL_PLAYS: Final = 20

#: How far the record's clock may differ from the time between start and finish as the database has it.
CLOCK_TOLERANCE: Final = timedelta(seconds=5)

Reason = dict[str, Any]


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
    doubts = _doubts(attempt, record) if attempt.ranked else []
    return Judgement(Attempt.State.REVIEW if doubts else Attempt.State.VERIFIED, doubts, played, line)


def compare(judged: Sequence[tuple[Attempt, Judgement]]) -> list[Judgement]:
    """The judgements, with those sent to review whose moves another account played before."""
    asked = [(attempt, judgement.line) for attempt, judgement in judged if attempt.ranked and judgement.line]
    earlier = _earlier_lines(asked) if asked else {}
    return [_with_copy(judgement, earlier.get(attempt.pk)) for attempt, judgement in judged]


def _with_copy(judgement: Judgement, earlier: UUID | None) -> Judgement:
    if earlier is None:
        return judgement
    copied = reason("copied_line", "Another account played the same moves before.", attempt=str(earlier))
    return replace(judgement, state=Attempt.State.REVIEW, reasons=[*judgement.reasons, copied])


def reason(code: str, message: str, **data: object) -> Reason:
    """A reason as it is stored and shown: a code, a sentence, and what it speaks of."""
    return {"code": code, "message": message, **data}


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


def _doubts(attempt: Attempt, record: Record) -> list[Reason]:
    doubts = implausibilities(record.tokens, record.clock, record.end.ms, attempt.auto_runs)
    return doubts + _clock_doubts(attempt, record.end.ms)


def implausibilities(
    tokens: Sequence[str], clock: Sequence[int], end_ms: int, auto_runs: Collection[Sequence[int]]
) -> list[Reason]:
    """What a person can hardly have done, from the receive times (ms) of the tokens; empty for a plausible game."""
    if any(later < earlier for earlier, later in zip(clock, [*clock[1:], end_ms], strict=False)):
        return [reason("clock_backwards", "The receive times go backwards.")]
    times = _play_times(tokens, clock, auto_runs)
    found = []
    burst = _shortest(times, BURST_PLAYS)
    if burst is not None and burst <= BURST_MS:
        found.append(reason("burst", f"{BURST_PLAYS} plays within {burst} ms.", plays=BURST_PLAYS, ms=burst))
    sustained = _shortest(times, SUSTAINED_PLAYS)
    if sustained is not None and sustained <= SUSTAINED_MS:
        found.append(
            reason("pace", f"{SUSTAINED_PLAYS} plays within {sustained} ms.", plays=SUSTAINED_PLAYS, ms=sustained)
        )
    variation = _variation(times)
    if len(times) >= STEADY_PLAYS and variation < STEADY_VARIATION:
        found.append(
            reason("steady", f"The gaps between plays vary by {variation:.1%} only.", variation=round(variation, 4))
        )
    return found


def _play_times(tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]) -> list[int]:
    return [
        ms
        for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), 1)
        if token not in FREE_TOKENS and not any(first <= n <= last for first, last in auto_runs)
    ]


def _shortest(times: Sequence[int], plays: int) -> int | None:
    """The shortest time in which `plays` plays in a row came; None for fewer plays."""
    return min((end - start for start, end in zip(times, times[plays - 1 :], strict=False)), default=None)


def _variation(times: Sequence[int]) -> float:
    """Standard deviation of the gaps over their mean."""
    gaps = [later - earlier for earlier, later in pairwise(times)]
    mean = sum(gaps) / len(gaps) if gaps else 0.0
    if not mean:
        return math.inf
    return math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) / mean


def _clock_doubts(attempt: Attempt, end_ms: int) -> list[Reason]:
    assert attempt.finished_at is not None
    wall = attempt.finished_at - attempt.started_at
    claimed = timedelta(milliseconds=end_ms)
    # A close at the deadline may be noticed late; a win or a resignation happens when it is received.
    late = attempt.end != Attempt.End.CLOSED and wall - claimed > CLOCK_TOLERANCE
    if late or claimed - wall > CLOCK_TOLERANCE:
        return [reason("clock_differs", f"The record says {claimed}, start and finish are {wall} apart.")]
    return []


def line_digest(tokens: Sequence[str], auto_runs: Collection[Sequence[int]] = ()) -> bytes | None:
    """A digest equal for equal token sequences, or None for a line so short that two people may both find it."""
    if len(_play_times(tokens, range(len(tokens)), auto_runs)) < TRIVIAL_PLAYS:
        return None
    return blake2b(" ".join(tokens).encode(), digest_size=16).digest()


# Written out, as every verdict asks it: composing it by the ORM takes longer than replaying the record.
_EARLIER: Final = (
    f"SELECT public_id FROM {Attempt._meta.db_table} WHERE deal_id = %s AND line = %s AND player_id <> %s "  # noqa: S608
    "AND (finished_at, id) < (%s, %s) ORDER BY finished_at, id LIMIT 1"
)


def _earlier_lines(asked: Sequence[tuple[Attempt, bytes]]) -> dict[int, UUID]:
    """By the id of each attempt whose line another account played before: the public id of the first that did."""
    statements = [
        (_EARLIER, [attempt.deal_id, line, attempt.player_id, stored(attempt.finished_at), attempt.pk])
        for attempt, line in asked
    ]
    found = zip(asked, run_in_order(statements), strict=True)
    return {attempt.pk: UUID(str(rows[0][0])) for (attempt, _line), rows in found if rows}
