"""Verification of finished attempts: a verdict from the record and the deal, independent of the live game's results.

Legality comes first: the record must belong to the deal, replay token by token under its own rules version, and end as
the attempt did; otherwise the attempt is rejected. Fair play comes second, for ranked attempts and those of races
(`games.fairplay`): a legal game that a person can hardly have played is verified with doubts. They are notes for staff;
only where others would lose a place by it is the result held (`leaderboards.verdicts.stakes`,
`games.races.finishing`). Only ranked wins are compared with each other to find copies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from games.core.verdict_reasons import VerdictReason, flags, reason
from games.fairplay import account_links, copies, delays, pace
from games.models import Attempt, Deal
from games.rules import Record, RecordError, Replay, RulesError, replay
from games.rules.hidden_cards import undone_reveal


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict on an attempt: its state, the reasons, and the replay (None if there was nothing to replay).

    The reasons of a verified attempt are doubts about its fairness.
    """

    state: Attempt.State
    reasons: list[VerdictReason]
    replay: Replay | None = None
    decisions_digest: bytes | None = None


def judge(attempt: Attempt) -> Judgement:
    """Return the verdict on a finished attempt; reads the database, writes nothing."""
    return compare([(attempt, judge_alone(attempt))])[0]


def judge_alone(attempt: Attempt) -> Judgement:
    """Return the part of the verdict that does not depend on other players' attempts."""
    judgement, record = _read(attempt)
    if record is None or judgement.state != Attempt.State.VERIFIED or not (attempt.ranked or attempt.in_race):
        return judgement
    doubts = pace.doubts(attempt, record) or delays.doubts(attempt, record)
    return replace(judgement, reasons=doubts + _looking_ahead(attempt, record))


def _looking_ahead(attempt: Attempt, record: Record) -> list[VerdictReason]:
    """Return the doubt about an undo that the table should have refused: possible only if the server made a mistake."""
    n = None if attempt.free_undo else undone_reveal(record.open_table(), record.tokens)
    if n is None:
        return []
    return [reason("undone_reveal", f"Token {n} undoes a move that revealed a card, which the race forbids.", n=n)]


def judge_record(attempt: Attempt) -> Judgement:
    """Return a verdict on the record alone: legal, complete and from its deal. Fair play is not checked."""
    return _read(attempt)[0]


def _read(attempt: Attempt) -> tuple[Judgement, Record | None]:
    try:
        record = Record.from_bytes(bytes(attempt.record or b""))
    except RecordError as error:
        # The server wrote the record, so the player is not to blame.
        return Judgement(Attempt.State.REVIEW, [reason("unreadable_record", str(error))]), None
    foreign = _foreign(record, attempt.deal)
    if foreign:
        return Judgement(Attempt.State.REJECTED, [foreign]), record
    try:
        replayed = replay(record)
    except RulesError as error:
        return Judgement(Attempt.State.REVIEW, [reason("unreadable_record", str(error))]), record
    refusal = _refusal(attempt, replayed)
    if refusal:
        return Judgement(Attempt.State.REJECTED, [refusal], replayed), record
    compared = attempt.ranked and replayed.won
    digest = copies.digest_of(record.open_table(), replayed.table.moves) if compared else None
    return Judgement(Attempt.State.VERIFIED, [], replayed, digest), record


def compare(
    judged: Sequence[tuple[Attempt, Judgement]], overrides: Mapping[int, Attempt.State] | None = None
) -> list[Judgement]:
    """Compare the attempts with those of other players, and return the updated judgements.

    A copy of another account's earlier win is in doubt. So is an attempt at a deal that another player started earlier
    on the same device. A shared network is only added as a reason if there are other doubts.

    `overrides` maps attempt ids to states that replace those of the database and these judgements: staff decisions, and
    verdicts that a dry run does not write.
    """
    overrides = overrides or {}
    judged = _with_links(judged, account_links.SAME_DEVICE, [attempt for attempt, _judgement in judged])
    wins = [
        (attempt, judgement.decisions_digest)
        for attempt, judgement in judged
        if attempt.ranked and judgement.decisions_digest
    ]
    judgements = {attempt.pk: judgement for attempt, judgement in judged}
    earlier = copies.may_be_copied(wins, [*judgements, *(overrides.keys() - judgements)]) if wins else {}
    for attempt, _digest in wins:
        still_valid = [
            win for win in earlier[attempt.pk] if _is_verified(overrides.get(win.pk), judgements.get(win.pk))
        ]
        copied = copies.first_copied(attempt, still_valid) if still_valid else None
        if copied is not None:
            doubt = reason("copied_line", "Another account decided the same before.", attempt=str(copied))
            judgements[attempt.pk] = _in_doubt(judgements[attempt.pk], doubt)
    compared = [(attempt, judgements[attempt.pk]) for attempt, _judgement in judged]
    unlinked = [
        attempt
        for attempt, judgement in compared
        if (doubts := flags(judgement.reasons))
        and not any(entry["code"] == account_links.SAME_DEVICE for entry in doubts)
    ]
    return [judgement for _attempt, judgement in _with_links(compared, account_links.SAME_NETWORK, unlinked)]


def _is_verified(override: Attempt.State | None, judgement: Judgement | None) -> bool:
    state = override or (judgement.state if judgement is not None else Attempt.State.VERIFIED)
    return state == Attempt.State.VERIFIED


def _with_links(
    judged: Sequence[tuple[Attempt, Judgement]], link: account_links.Link, suspects: Sequence[Attempt]
) -> list[tuple[Attempt, Judgement]]:
    linked = account_links.linked_among([attempt for attempt in suspects if attempt.ranked], link)
    doubt = account_links.doubt(link)
    return [
        (attempt, _in_doubt(judgement, doubt) if attempt.pk in linked else judgement) for attempt, judgement in judged
    ]


def _in_doubt(judgement: Judgement, doubt: VerdictReason) -> Judgement:
    """Add a doubt to a judgement, unless it is a rejection."""
    if judgement.state == Attempt.State.REJECTED:
        return judgement
    return replace(judgement, reasons=[*judgement.reasons, doubt])


def _foreign(record: Record, deal: Deal) -> VerdictReason | None:
    if record.seed != bytes(deal.seed):
        return reason("wrong_deal", "The record was played from another seed.")
    if record.version != deal.rules_version:
        return reason(
            "wrong_rules", f"The record follows rules version {record.version}, the deal {deal.rules_version}."
        )
    same_options = record.options is None or dict(record.options) == deal.options
    if record.name not in {deal.variant, deal.game} or (record.name == deal.game and not same_options):
        return reason("wrong_variant", "The record is of another game than the deal.")
    return None


def _refusal(attempt: Attempt, replayed: Replay) -> VerdictReason | None:
    if replayed.failure is not None:
        failure = replayed.failure
        return reason("replay_failed", failure.reason, index=failure.index, token=failure.token)
    if replayed.how != attempt.end:
        return reason("wrong_end", f"The attempt ended as {attempt.end}, its record as {replayed.how}.")
    return None
