"""Attempts: starting one, and closing it by folding its journal into a packed record.

Each function has its own transaction, and notifies others only after the commit.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games import events, metrics
from games.compiled import Inserting, Insertion, insert_in_order
from games.errors import ErrorCode, Refusal
from games.fairplay.copies import line_of
from games.models import GRACE, Attempt, Deal, Move, SeenDeal
from games.pausing import end_pause
from games.players import Newcomer, Player
from games.replicas.writes import wrote
from games.rules import End, Record, Table, open_table

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

log = logging.getLogger(__name__)

#: A close fails if an insert commits at the same moment, and sees that row at the next try. It cannot keep failing,
#: because a player has only one move in progress.
_TRIES: Final = 20

#: How long journal rows are kept after folding, for processes that missed the close and still read them.
JOURNAL_KEPT: Final = timedelta(hours=1)

#: Seconds that a task closes or purges at a time: well within its limit, so that other tasks get their turn.
AT_A_TIME: Final = 5.0

How = Literal["won", "resigned", "closed"]

#: What a close writes of the attempt.
_CLOSING: Final = ("record", "auto_runs", "line", "state", "end", "finished_at", "paused_at", "paused_ms")

Follower = Callable[[Attempt], None]
Origin = Callable[[Attempt], Insertion]
"""What says, for an attempt that is not there yet, from where it is begun."""

_followers: list[Follower] = []


def register(follower: Follower) -> None:
    """Have `follower` called whenever the attempt of a race is closed, in the transaction that closes it."""
    if follower not in _followers:
        _followers.append(follower)


class Progress(NamedTuple):
    """How many attempts were handled, how many failed, and whether more are left."""

    done: int
    failed: int
    more: bool


class DealClosedError(Refusal):
    """The deal takes no such attempt: its day is over, has not begun, or its secrets are still kept."""

    def __init__(self, message: str | StrPromise = "") -> None:
        super().__init__(ErrorCode.DEAL_CLOSED, message)


class NotWonError(ValueError):
    """An attempt was to be closed as won, but its journal does not end in a win."""


_INSERT: Final = Inserting(Attempt, pass_over=True)


def start_attempt(player: Player, deal: Deal, *, now: datetime | None = None, origin: Origin | None = None) -> Attempt:
    """Deal the table to a player and start the clock.

    The first attempt at a daily deal on its day is the ranked one, and the only one that day: asking again returns it.
    An account that took over a guest's attempt has that one, as practice. `origin` is kept with the ranked one.
    For a practice deal, or a daily deal that is over, a new attempt starts if none is running.

    :raises DealClosedError: when the deal has not opened, or its day is over but its secrets are still kept, or the
        player has watched a game of it as staff.
    """
    now = now or timezone.now()
    if deal.is_open(now) and deal.day is not None:
        return _begun(player, deal) or _begin_ranked(player, deal, now, origin)
    if now < deal.opens_at or ((deal.is_closed(now) or deal.for_race) and not deal.is_revealed(now)):
        raise DealClosedError
    whose: dict[str, Any] = {"player": player, "deal": deal}
    # A continuation (games.replays) goes on from a replay and not from the deal.
    running = Attempt.objects.filter(**whose, state=Attempt.State.PLAYING, ranked=False, continuation=None).first()
    if running is not None:
        return running
    metrics.ATTEMPTS_STARTED.labels(deal.game, "no").inc()
    return Attempt.objects.create(**whose, ranked=False, started_at=now)


def start_first_attempt(newcomer: Newcomer, deal: Deal, *, now: datetime, origin: Origin | None = None) -> Attempt:
    """As `start_attempt`, for a player who is inserted with the attempt: nothing of theirs has to be looked for.

    :raises DealClosedError: when the deal is not one of the day, or not open.
    """
    if deal.day is None or not deal.is_open(now):
        raise DealClosedError
    return _begin_ranked(newcomer.player, deal, now, origin, newcomer.rows)


def restart_practice(player: Player, deal: Deal) -> Attempt:
    """Deal the table to a player anew: close the practice of this deal that has gone on, and start, or return, one
    without a move.

    :raises DealClosedError: as `start_attempt` does.
    """
    running = Attempt.objects.filter(player=player.pk, deal=deal, state=Attempt.State.PLAYING, ranked=False)
    if deal.for_race:
        running = running.filter(deadline=None)  # the others are the race's
    gone_on = Exists(Move.objects.filter(attempt=OuterRef("pk"))) | Q(continuation__isnull=False)
    for attempt_id in list(running.filter(gone_on).values_list("pk", flat=True)):
        close_attempt(attempt_id, "closed")
    return start_attempt(player, deal)


def close_attempt(attempt_id: int, how: How, *, at: datetime | None = None) -> Attempt:
    """End an attempt: fold its journal into the record and request its verification.

    An attempt that is already over is returned unchanged. A journal that ends in a win counts as won, whatever `how`
    says.

    :raises NotWonError: when `how` is "won" but the game is not.
    :raises Attempt.DoesNotExist: for an unknown id.
    :raises Error: when the database fails.
    """
    for _try in range(_TRIES - 1):
        try:
            return _close(attempt_id, how, at or timezone.now())
        except IntegrityError:
            log.info("close raced with a move", extra={"attempt": attempt_id})
    return _close(attempt_id, how, at or timezone.now())


def close_due(now: datetime | None = None, *, batch: int = 200, seconds: float = AT_A_TIME) -> Progress:
    """Close the attempts whose time is up, as they stand, for at most `seconds` seconds. One that fails does not stop
    the others.

    Each is closed in its own transaction, so an interruption keeps what has been done.
    """
    now, latest = now or timezone.now(), time.monotonic() + seconds
    due = Attempt.objects.filter(state=Attempt.State.PLAYING, deadline__isnull=False, deadline__lte=now).order_by("id")
    closed, failed, last = 0, 0, 0
    while rows := list(due.filter(id__gt=last).values_list("id", "deadline")[:batch]):
        for attempt_id, deadline in rows:
            if close_safely(attempt_id, deadline):
                closed += 1
            else:
                failed += 1
            last = attempt_id
            if time.monotonic() >= latest:
                return Progress(closed, failed, more=due.filter(id__gt=last).exists())
    return Progress(closed, failed, more=False)


def close_safely(attempt_id: int, at: datetime | None) -> bool:
    """Close an attempt as it stands; returns whether that worked. A task's time limit is not caught."""
    try:
        close_attempt(attempt_id, "closed", at=at)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        log.exception("attempt not closed", extra={"attempt": attempt_id})
        return False
    return True


def purge_journal(now: datetime | None = None, *, batch: int = 200, seconds: float = AT_A_TIME) -> Progress:
    """Delete old journal rows of folded attempts, for at most `seconds` seconds."""
    before, latest = (now or timezone.now()) - JOURNAL_KEPT, time.monotonic() + seconds
    folded = Move.objects.filter(token="", attempt__finished_at__lt=before).values_list("attempt_id", flat=True)
    purged = 0
    while ids := list(folded[:batch]):
        Move.objects.filter(attempt_id__in=ids).delete()
        purged += len(ids)
        if time.monotonic() >= latest:
            return Progress(purged, 0, more=folded.exists())
    return Progress(purged, 0, more=False)


def journal_of(attempt_id: int) -> list[Move]:
    """The acknowledged tokens of a running attempt, in order, without the row that marks the close."""
    return list(Move.objects.filter(attempt_id=attempt_id).exclude(token="").order_by("n"))


def record_of(attempt: Attempt) -> Record:
    """A finished attempt's record.

    :raises ValueError: for an attempt that is still being played.
    """
    if attempt.record is None:
        raise ValueError("an attempt has a record when it is over")
    return Record.from_bytes(bytes(attempt.record))


def deal_table(deal: Deal) -> Table:
    """The deal's table before the first move."""
    if deal.variant:
        return open_table(deal.variant, bytes(deal.seed), version=deal.rules_version)
    return open_table(deal.game, bytes(deal.seed), deal.options, version=deal.rules_version)


def auto_runs(moves: Sequence[Move]) -> list[list[int]]:
    """The runs [first n, last n] of tokens that the server played itself."""
    runs: list[list[int]] = []
    for move in moves:
        if move.auto and runs and runs[-1][1] == move.n - 1:
            runs[-1][1] = move.n
        elif move.auto:
            runs.append([move.n, move.n])
    return runs


def _begun(player: Player, deal: Deal) -> Attempt | None:
    """What a player has begun at an open deal of the day.

    :raises DealClosedError: when the player has watched a game of it as staff.
    """
    whose: dict[str, Any] = {"player": player, "deal": deal}
    begun = Attempt.objects.filter(**whose).order_by("-ranked").first()
    if begun is None and SeenDeal.objects.filter(**whose).exists():
        raise DealClosedError(_("You have watched a game of this deal as staff. You can practise it once it is over."))
    return begun  # perhaps as a guest: then it is practice, and the cards are known


def _begin_ranked(
    player: Player, deal: Deal, now: datetime, origin: Origin | None, before: Sequence[Insertion] = ()
) -> Attempt:
    """Insert the attempt after the rows that come before it, and with its origin, as one commit.

    :raises IntegrityError: when the player has been removed meanwhile.
    """
    assert deal.closes_at is not None
    whose: dict[str, Any] = {"player": player, "deal": deal}
    attempt = Attempt(**whose, ranked=True, started_at=now, deadline=deal.closes_at + GRACE)
    after = () if origin is None else (origin(attempt),)
    made = insert_in_order([*before, Insertion(_INSERT, attempt), *after])
    if not made[len(before)]:  # another tab was quicker
        return Attempt.objects.get(**whose, ranked=True)
    metrics.ATTEMPTS_STARTED.labels(deal.game, "yes").inc()
    return attempt


@transaction.atomic
def _close(attempt_id: int, how: How, at: datetime) -> Attempt:
    attempt = Attempt.objects.select_for_update(of=("self",)).select_related("deal").get(pk=attempt_id)
    if attempt.is_over:
        return attempt
    if attempt.deadline is not None and at >= attempt.deadline:
        how, at = ("closed" if how == "resigned" else how), attempt.deadline  # no clock runs past the deadline
    moves = journal_of(attempt.pk)
    table = _played(attempt.deal, moves)
    end_pause(attempt, at)
    end = _end(table, attempt, moves, how, at)
    # If an insert of the same number is in progress, this one waits and then fails, so no token is left out.
    Move(attempt=attempt, n=len(moves) + 1, token="", ms=end.ms).save(force_insert=True)
    attempt.record = _record(attempt.deal, moves, end).to_bytes()
    attempt.auto_runs = auto_runs(moves)
    attempt.line = line_of(deal_table(attempt.deal), table.moves) if attempt.ranked and table.is_won else None
    attempt.state = Attempt.State.PENDING
    attempt.end = end.how
    attempt.finished_at = attempt.started_at + timedelta(milliseconds=end.ms + attempt.paused_ms)
    attempt.save(update_fields=[*_CLOSING])
    if attempt.in_race:
        for follower in _followers:
            follower(attempt)
    wrote(attempt.player_id)
    transaction.on_commit(lambda: _announce(attempt, len(moves), end))
    return attempt


def _played(deal: Deal, moves: Sequence[Move]) -> Table:
    table = deal_table(deal)
    for move in moves:
        table.push(move.token)
    return table


def _end(table: Table, attempt: Attempt, moves: Sequence[Move], how: How, at: datetime) -> End:
    last_ms = moves[-1].ms if moves else 0
    if table.is_won:
        return End("won", last_ms)
    if how == "won":
        raise NotWonError("the game is not won")
    passed = round((at - attempt.started_at) / timedelta(milliseconds=1))
    return End(how, max(last_ms, passed - attempt.paused_ms))


def _record(deal: Deal, moves: Sequence[Move], end: End) -> Record:
    return Record(
        version=deal.rules_version,
        name=deal.variant or deal.game,
        options=None if deal.variant else deal.options,
        seed=bytes(deal.seed),
        tokens=tuple(move.token for move in moves),
        clock=tuple(move.ms for move in moves),
        end=end,
    )


def _announce(attempt: Attempt, n: int, end: End) -> None:
    metrics.ATTEMPTS_FINISHED.labels(attempt.deal.game, end.how).inc()
    events.tell_attempt(attempt.public_id, "closed", n=n, how=end.how, ms=end.ms)
    events.request_verdict(attempt.pk)
