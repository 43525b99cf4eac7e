"""From a finished attempt to a verdict and a place on the boards.

Verdict and result change in one transaction, by compare-and-swap on the attempt's state: whatever is delivered twice,
late, or by two workers at once, exactly one settles and the others find nothing to do.

Locks are taken in one order everywhere: the player, the attempt, the deal's boards.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from games import metrics
from games.models import Attempt, Deal
from games.verification import Judgement, Reason, judge, reason
from leaderboards import entries
from leaderboards.boards import sql_rank
from leaderboards.keys import DEAL, Score
from leaderboards.ladders import deal_ladder, set_score
from leaderboards.models import Result
from leaderboards.notices import notifier
from leaderboards.players import may_be_listed
from leaderboards.statements import Statement, read_time, run_in_order, stored

log = logging.getLogger(__name__)
State = Attempt.State


# Every verdict takes these three, so they are written out: composing them by the ORM takes longer than running them.
_ATTEMPT: Final = ("id", "public_id", "player_id", "ranked", "state", "started_at", "finished_at", "end", "record")
_DEAL: Final = ("id", "variant", "game", "rules_version", "day", "seed")
_COLUMNS: Final = ", ".join([f'a."{column}"' for column in _ATTEMPT] + [f'd."{column}"' for column in _DEAL])
_READ: Final = (
    f"SELECT a.auto_runs, d.options, {_COLUMNS} FROM {Attempt._meta.db_table} a "  # noqa: S608 - names of our own
    f"JOIN {Deal._meta.db_table} d ON d.id = a.deal_id WHERE a.id = %s"
)
_LOCK: Final = "SELECT is_guest, banned_at, public_id, display_name FROM {table} WHERE id = %s"
_SWAP: Final = (
    f"UPDATE {Attempt._meta.db_table} SET state = %s, reasons = %s, cards_up = %s, elapsed_ms = %s, "  # noqa: S608
    "tokens = %s, line = %s, verified_at = %s WHERE id = %s AND state = %s AND player_id = %s RETURNING id"
)


class NotDecidableError(ValueError):
    """Staff tried to decide an attempt that cannot be decided so."""

    code = "not_decidable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A state for an attempt, why, and the score its replay came to."""

    state: State
    reasons: list[Reason]
    score: Score | None
    line: bytes | None = None

    @classmethod
    def of(cls, judgement: Judgement) -> Verdict:
        """The verdict a judgement asks for."""
        played = judgement.replay
        score = Score(played.cards_up, played.elapsed_ms, played.tokens) if played is not None and played.ok else None
        return cls(judgement.state, judgement.reasons, score, judgement.line)


def settle(attempt_id: int) -> State | None:
    """Judge a pending attempt and settle it; the state it is in afterwards, None when there is no such attempt.

    An attempt that is not pending is left as it is.
    """
    attempt = _read_attempt(attempt_id)
    if attempt is None:
        return None
    if attempt.state == State.PENDING:
        verdict = Verdict.of(judge(attempt))
        if do_settle(attempt, verdict, expected=State.PENDING, durable=False):
            return verdict.state
        attempt.refresh_from_db(fields=["state"])
    return State(attempt.state)


def _read_attempt(attempt_id: int) -> Attempt | None:
    """An attempt with its deal, as far as judging needs them: to be read, not to be saved."""
    rows = run_in_order([(_READ, [attempt_id])])[0]
    if not rows:
        return None
    auto_runs, options, *values = rows[0]
    of_attempt = dict(zip(_ATTEMPT, values, strict=False))
    of_deal = dict(zip(_DEAL, values[len(_ATTEMPT) :], strict=True))
    for name in ("started_at", "finished_at"):
        of_attempt[name] = read_time(of_attempt[name])
    of_attempt["public_id"] = UUID(str(of_attempt["public_id"]))
    return Attempt(**of_attempt, auto_runs=json.loads(auto_runs), deal=Deal(**of_deal, options=json.loads(options)))


def give_up(attempt_id: int, problem: str) -> bool:
    """Send a pending attempt, which could not be judged, to review; says whether it was pending."""
    attempt = Attempt.objects.select_related("deal").filter(pk=attempt_id).first()
    if attempt is None:
        return False
    verdict = Verdict(State.REVIEW, [reason("not_verifiable", problem)], None)
    return do_settle(attempt, verdict, expected=State.PENDING)


def decide(attempt_id: int, state: State, staff: object, note: str = "") -> None:
    """Let a member of staff verify or reject an attempt; its rank follows.

    :raises NotDecidableError: for an attempt not yet judged, or verifying what does not replay.
    """
    if state not in {State.VERIFIED, State.REJECTED}:
        raise NotDecidableError(_("Staff verify or reject."))
    attempt = Attempt.objects.select_related("deal").get(pk=attempt_id)
    if attempt.state in {State.PLAYING, State.PENDING}:
        raise NotDecidableError(_("This attempt has not been judged yet."))
    verdict = Verdict.of(judge(attempt))
    if state == State.VERIFIED and verdict.score is None:
        raise NotDecidableError(_("This attempt's record does not replay, so it cannot be ranked."))
    decision = reason(
        "staff", note or f"{state.label} by staff.", state=state, by=str(staff), at=timezone.now().isoformat()
    )
    kept = [one for one in attempt.reasons if one.get("code") != "staff"]
    decided = Verdict(state, [*kept, decision], verdict.score, verdict.line)
    if not do_settle(attempt, decided, expected=State(attempt.state)):
        raise NotDecidableError(_("Somebody else has decided this attempt meanwhile."))


def staff_decision(attempt: Attempt) -> State | None:
    """What staff decided about an attempt, if they did."""
    for one in attempt.reasons:
        if one.get("code") == "staff":
            return State(one["state"])
    return None


def do_settle(attempt: Attempt, verdict: Verdict, *, expected: State, durable: bool = True) -> bool:
    """Move `attempt` and its result from the state `expected` to the verdict's; False when it had left that state.

    A verdict that is not `durable` need not survive a crash of the database server: it follows from the record, and the
    sweep asks for it again. This saves a wait for the disk at every verdict.
    """
    now = timezone.now()
    with transaction.atomic():
        player = _swap_state(attempt, verdict, expected, now, durable=durable)
        if player is None:
            return False
        result, rank = _place(attempt, player, verdict)
        transaction.on_commit(partial(_tell, attempt, verdict, result, rank, now))
    return True


def _swap_state(attempt: Attempt, verdict: Verdict, expected: State, now: datetime, *, durable: bool) -> Any:  # noqa: ANN401
    """Lock the player's row and write the verdict; the player, or None when the attempt was not as expected."""
    score = verdict.score or (None, None, None)
    row = [str(verdict.state), json.dumps(verdict.reasons), *score, verdict.line, stored(now)]
    swap: Statement = (_SWAP, [*row, attempt.pk, str(expected), attempt.player_id])
    lock: Statement = (_LOCK.format(table=get_user_model()._meta.db_table), [attempt.player_id])
    statements = [lock, swap]
    if connection.vendor == "postgresql":
        statements[0] = (f"{lock[0]} FOR NO KEY UPDATE", lock[1])
        if not durable:
            statements.insert(0, ("SET LOCAL synchronous_commit TO off", []))
    *_nothing, players, swapped = run_in_order(statements)
    if not swapped:
        return None
    is_guest, banned_at, public_id, name = players[0]
    return get_user_model()(
        pk=attempt.player_id,
        is_guest=bool(is_guest),
        banned_at=banned_at,
        public_id=UUID(str(public_id)),
        display_name=name,
    )


def _place(attempt: Attempt, player: Any, verdict: Verdict) -> tuple[Result | None, int | None]:  # noqa: ANN401
    """Bring the attempt's result in line with the verdict; the result and its rank, if it has them."""
    old = None
    if attempt.state != State.PENDING:
        old = Result.objects.select_related("player", "attempt", "deal").filter(attempt_id=attempt.pk).first()
    if verdict.state != State.VERIFIED or verdict.score is None or not attempt.ranked:
        if old is not None:
            entries.remove(old)
        return None, None
    if old is not None and Score(old.cards_up, old.elapsed_ms, old.tokens) == verdict.score:
        return old, sql_rank(deal_ladder(old.deal_id, "race"), old.player)
    if old is not None:
        entries.remove(old)
    assert attempt.finished_at is not None
    result = Result(attempt=attempt, deal=attempt.deal, player=player, finished_at=attempt.finished_at)
    set_score(result, verdict.score, DEAL)
    return result, entries.add(result, listed=may_be_listed(player))


def _tell(attempt: Attempt, verdict: Verdict, result: Result | None, rank: int | None, now: datetime) -> None:
    metrics.VERDICTS.labels(state=verdict.state).inc()
    if attempt.finished_at is not None and attempt.state == State.PENDING:
        metrics.VERIFY_SECONDS.observe(max(0.0, (now - attempt.finished_at).total_seconds()))
    if attempt.ranked and result is None:
        entries.tell_watchers(attempt.deal_id)  # it is listed as waiting, or is no more
    score = verdict.score
    log.info("attempt settled", extra={"attempt": str(attempt.public_id), "state": str(verdict.state)})
    notifier.send(
        f"attempt.{attempt.public_id.hex}",
        {
            "type": "attempt.verdict",
            "attempt": attempt.public_id.hex,
            "state": str(verdict.state),
            "reasons": verdict.reasons,
            "rank": rank,
            "cards_up": score.cards_up if score else None,
            "elapsed_ms": score.elapsed_ms if score else None,
            "tokens": score.tokens if score else None,
        },
    )
