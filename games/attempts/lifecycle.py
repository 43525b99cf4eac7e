"""Attempt lifecycle: starting an attempt, and closing it by folding its journal into a packed record.

Each function runs its own transaction and sends notifications only after the commit.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.attempts.pausing import end_pause
from games.core import events, metrics
from games.core.errors import ErrorCode, Refusal
from games.core.registry import Providers
from games.db.players import Player, player_services
from games.db.replicas.write_positions import wrote
from games.fairplay.copies import digest_of
from games.models import GRACE, Attempt, Deal, Move, SeenDeal
from games.rules import End, Record, Table, open_table

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

log = logging.getLogger(__name__)

#: Maximum tries to close an attempt. A close fails if a move is inserted concurrently, and the next try sees that
#: move. It cannot keep failing, because a player has only one move in progress.
_TRIES: Final = 20

#: Retention of journal rows after folding, for processes that missed the close and still read them.
JOURNAL_KEPT: Final = timedelta(hours=1)

#: Seconds that a task spends closing or purging: well within its time limit, so that other tasks get a turn.
AT_A_TIME: Final = 5.0

How = Literal["won", "resigned", "closed"]

#: Fields of the attempt that a close writes.
_CLOSING: Final = ("record", "auto_runs", "decisions_digest", "state", "end", "finished_at", "paused_at", "paused_ms")

Origin = Callable[[Attempt], object]
"""Function that stores a new attempt's origin (its `Start` row)."""

race_attempt_closed: Final = Providers[Callable[[Attempt], None]]()
"""Called when a race's attempt is closed, inside the closing transaction."""


class BatchProgress(NamedTuple):
    """Progress of a batch job: the numbers of attempts handled and failed, and whether more are left."""

    done: int
    failed: int
    more: bool


class DealClosedError(Refusal):
    """The deal cannot be started: its day has not begun or is over, or its seed is still secret."""

    def __init__(self, message: str | StrPromise = "") -> None:
        super().__init__(ErrorCode.DEAL_CLOSED, message)


class NotWonError(ValueError):
    """An attempt was closed as won, but its journal does not end in a win."""


def start_attempt(player: Player, deal: Deal, *, now: datetime | None = None, origin: Origin | None = None) -> Attempt:
    """Start an attempt and its clock, or return the one that is running.

    The first attempt at a daily deal on its day is ranked, and the only one that day: later calls return it, or the
    practice attempt that an account took over from a guest. `origin` is stored with a ranked attempt. For a practice
    deal, or a daily deal that is over, a new practice attempt starts if none is running.

    :raises DealClosedError: when the deal has not opened, or its day is over but its seed is still secret, or the
        player has watched a game of it as staff.
    """
    now = now or timezone.now()
    if deal.is_open(now) and deal.day is not None:
        return _existing_attempt(player, deal) or _begin_ranked(player, deal, now, origin)
    if now < deal.opens_at or ((deal.is_closed(now) or deal.for_race) and not deal.is_revealed(now)):
        raise DealClosedError
    owner: dict[str, Any] = {"player": player, "deal": deal}
    # A continuation (games.replays) starts from a position in a replay, not from the deal.
    running = Attempt.objects.filter(**owner, state=Attempt.State.PLAYING, ranked=False, continuation=None).first()
    if running is not None:
        return running
    metrics.ATTEMPTS_STARTED.labels(deal.game, "no").inc()
    return Attempt.objects.create(**owner, ranked=False, started_at=now)


def start_first_attempt(deal: Deal, *, now: datetime, origin: Origin | None = None) -> Attempt:
    """Create a guest with a ranked attempt, in one transaction. There is no earlier attempt to look up.

    :raises DealClosedError: when the deal is not a daily deal or not open.
    """
    if deal.day is None or not deal.is_open(now):
        raise DealClosedError
    with transaction.atomic():
        return _create_ranked(player_services().create_guest(), deal, now, origin)


def restart_practice(player: Player, deal: Deal) -> Attempt:
    """Restart practice of a deal: close running practice attempts that have moves or continue a replay, then start an
    attempt, or return a running one without moves.

    :raises DealClosedError: as `start_attempt` does.
    """
    running = Attempt.objects.filter(player=player.pk, deal=deal, state=Attempt.State.PLAYING, ranked=False)
    if deal.for_race:
        running = running.filter(deadline=None)  # those with a deadline belong to the race
    for attempt_id in list(running.filter(has_progress()).values_list("pk", flat=True)):
        close_attempt(attempt_id, "closed")
    return start_attempt(player, deal)


def has_progress() -> Q:
    """Return the condition that an attempt has moves or continues a replay."""
    return Q(Exists(Move.objects.filter(attempt=OuterRef("pk")))) | Q(continuation__isnull=False)


def close_attempt(attempt_id: int, how: How, *, at: datetime | None = None) -> Attempt:
    """End an attempt: fold its journal into the record and request its verification.

    An attempt that is already over is returned unchanged. A journal that ends in a win counts as won, regardless of
    `how`.

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


def close_due(now: datetime | None = None, *, batch: int = 200, seconds: float = AT_A_TIME) -> BatchProgress:
    """Close the attempts whose deadline has passed, for at most `seconds` seconds.

    Each is closed in its own transaction, so one that fails does not stop the others and an interruption loses nothing.
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
                return BatchProgress(closed, failed, more=due.filter(id__gt=last).exists())
    return BatchProgress(closed, failed, more=False)


def close_safely(attempt_id: int, at: datetime | None) -> bool:
    """Close an attempt without a result and return True on success; errors are logged, but not a task's time limit."""
    try:
        close_attempt(attempt_id, "closed", at=at)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        log.exception("attempt not closed", extra={"attempt": attempt_id})
        return False
    return True


def purge_journal(now: datetime | None = None, *, batch: int = 200, seconds: float = AT_A_TIME) -> BatchProgress:
    """Delete old journal rows of folded attempts, for at most `seconds` seconds."""
    before, latest = (now or timezone.now()) - JOURNAL_KEPT, time.monotonic() + seconds
    folded = Move.objects.filter(token="", attempt__finished_at__lt=before).values_list("attempt_id", flat=True)
    purged = 0
    while ids := list(folded[:batch]):
        Move.objects.filter(attempt_id__in=ids).delete()
        purged += len(ids)
        if time.monotonic() >= latest:
            return BatchProgress(purged, 0, more=folded.exists())
    return BatchProgress(purged, 0, more=False)


def journal_of(attempt_id: int) -> list[Move]:
    """Return the acknowledged moves of a running attempt, in order, without the row that marks the close."""
    return list(Move.objects.filter(attempt_id=attempt_id).exclude(token="").order_by("n"))


def record_of(attempt: Attempt) -> Record:
    """Return a finished attempt's record.

    :raises ValueError: for an attempt that is still being played.
    """
    if attempt.record is None:
        raise ValueError("an attempt has a record when it is over")
    return Record.from_bytes(bytes(attempt.record))


def deal_table(deal: Deal) -> Table:
    """Return the deal's table before the first move."""
    if deal.variant:
        return open_table(deal.variant, bytes(deal.seed), version=deal.rules_version)
    return open_table(deal.game, bytes(deal.seed), deal.options, version=deal.rules_version)


def played_table(deal: Deal, moves: Iterable[Move]) -> Table:
    """Return the deal's table after these moves."""
    table = deal_table(deal)
    for move in moves:
        table.push(move.token)
    return table


def auto_runs(moves: Sequence[Move]) -> list[list[int]]:
    """Return the runs `[first n, last n]` of tokens that the server played itself."""
    runs: list[list[int]] = []
    for move in moves:
        if move.auto and runs and runs[-1][1] == move.n - 1:
            runs[-1][1] = move.n
        elif move.auto:
            runs.append([move.n, move.n])
    return runs


def _existing_attempt(player: Player, deal: Deal) -> Attempt | None:
    """Return the player's existing attempt at an open daily deal, or None.

    :raises DealClosedError: when the player has watched a game of it as staff.
    """
    owner: dict[str, Any] = {"player": player, "deal": deal}
    attempt = Attempt.objects.filter(**owner).order_by("-ranked").first()
    if attempt is None and SeenDeal.objects.filter(**owner).exists():
        raise DealClosedError(_("You watched this deal as staff. You can practise it once it closes."))
    return attempt  # practice if it was begun as a guest: the player knows the cards


def _begin_ranked(player: Player, deal: Deal, now: datetime, origin: Origin | None) -> Attempt:
    """Create the ranked attempt and its origin, or return the attempt that another tab created first.

    :raises IntegrityError: when the player has been deleted in the meantime.
    """
    try:
        with transaction.atomic():
            return _create_ranked(player, deal, now, origin)
    except IntegrityError:
        attempt = Attempt.objects.filter(player=player.pk, deal=deal, ranked=True).first()
        if attempt is None:
            raise
        return attempt


def _create_ranked(player: Player, deal: Deal, now: datetime, origin: Origin | None) -> Attempt:
    assert deal.closes_at is not None
    owner: dict[str, Any] = {"player": player, "deal": deal}
    attempt = Attempt.objects.create(**owner, ranked=True, started_at=now, deadline=deal.closes_at + GRACE)
    if origin is not None:
        origin(attempt)
    transaction.on_commit(metrics.ATTEMPTS_STARTED.labels(deal.game, "yes").inc)
    return attempt


@transaction.atomic
def _close(attempt_id: int, how: How, at: datetime) -> Attempt:
    attempt = Attempt.objects.select_for_update(of=("self",)).select_related("deal").get(pk=attempt_id)
    if attempt.is_over:
        return attempt
    if attempt.deadline is not None and at >= attempt.deadline:
        how, at = ("closed" if how == "resigned" else how), attempt.deadline  # the clock stops at the deadline
    moves = journal_of(attempt.pk)
    table = played_table(attempt.deal, moves)
    end_pause(attempt, at)
    end = _end(table, attempt, moves, how, at)
    # If a move with the same number is being inserted, this insert waits and then fails, so no token is lost.
    Move(attempt=attempt, n=len(moves) + 1, token="", ms=end.ms).save(force_insert=True)
    attempt.record = _record(attempt.deal, moves, end).to_bytes()
    attempt.auto_runs = auto_runs(moves)
    compared = attempt.ranked and table.is_won
    attempt.decisions_digest = digest_of(deal_table(attempt.deal), table.moves) if compared else None
    attempt.state = Attempt.State.PENDING
    attempt.end = end.how
    attempt.finished_at = attempt.started_at + timedelta(milliseconds=end.ms + attempt.paused_ms)
    attempt.save(update_fields=[*_CLOSING])
    if attempt.in_race:
        for callback in race_attempt_closed:
            callback(attempt)
    wrote(attempt.player_id)
    transaction.on_commit(lambda: _announce(attempt, len(moves), end))
    return attempt


def _end(table: Table, attempt: Attempt, moves: Sequence[Move], how: How, at: datetime) -> End:
    last_ms = moves[-1].ms if moves else 0
    if table.is_won:
        return End("won", last_ms)
    if how == "won":
        raise NotWonError("the game is not won")
    elapsed_ms = round((at - attempt.started_at) / timedelta(milliseconds=1))
    return End(how, max(last_ms, elapsed_ms - attempt.paused_ms))


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
    events.notify_attempt(attempt.public_id, "closed", n=n, how=end.how, ms=end.ms)
    events.request_verdict(attempt.pk)
