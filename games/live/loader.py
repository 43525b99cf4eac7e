"""Attempt loader: reads everything a live table needs from the database. Synchronous; runs in a database thread."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Coroutine
from functools import lru_cache, wraps
from sys import intern
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from django.db import Error, OperationalError, close_old_connections

from games.attempts.lifecycle import deal_table, record_of
from games.core.thread_pool import PoolFullError, ThreadPool
from games.core.verdict_reasons import for_player
from games.db import hot_queries
from games.db.timeouts import database_timeout
from games.live.attempt_state import EPOCH, MS, AttemptState, PauseState
from games.live.protocol import DealInfo, Verdict, busy, not_found
from games.models import Attempt
from games.rules import Progress
from games.rules.hidden_cards import Reveals

log = logging.getLogger(__name__)

_threads: Final = ThreadPool("tables", 8)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def off_loop(function: Callable[_P, _R]) -> Callable[_P, Coroutine[Any, Any, _R]]:
    """Wrap a blocking function to run in a thread pool, where each thread has its own database connection.

    Channels' `database_sync_to_async` uses one thread per process: a single finish that waits seconds for a hanging
    queue would hold up every player joining a table.
    """

    def with_connection(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        close_old_connections()
        try:
            with database_timeout():
                return function(*args, **kwargs)
        finally:
            close_old_connections()

    @wraps(function)
    async def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return await _threads.run(with_connection, *args, **kwargs)
        except PoolFullError as error:
            raise OperationalError("too many calls are waiting for the database") from error

    return wrapper


async def in_database(function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Run a blocking function on an attempt in the thread pool.

    :raises Refusal: not_found if there is no such attempt; server_busy if the database fails.
    """
    try:
        return await off_loop(function)(*args, **kwargs)
    except Attempt.DoesNotExist:
        raise not_found() from None
    except Error:
        log.warning("the database could not be reached", exc_info=True)
        raise busy("the database could not be reached") from None


def load(public_id: uuid.UUID) -> AttemptState:
    """Read an attempt and its tokens.

    :raises Attempt.DoesNotExist: if there is none.
    """
    return state_of(read(public_id))


class Read(NamedTuple):
    """An attempt, and the journal read a moment later, with the state at that time."""

    attempt: Attempt
    played: list[hot_queries.Played]


def read(public_id: uuid.UUID) -> Read:
    """Read an attempt with its deal and journal.

    :raises Attempt.DoesNotExist: if there is none.
    """
    attempt = hot_queries.attempt_with_deal(public_id)
    if attempt is None:
        raise Attempt.DoesNotExist
    return Read(attempt, hot_queries.played(public_id))


def state_of(found: Read) -> AttemptState:
    """Convert the rows read to the state that a live table is made from."""
    attempt, rows = found
    tokens: tuple[str, ...]
    if attempt.is_over:
        record = record_of(attempt)
        tokens, times, end_ms = record.tokens, record.clock, record.end.ms
    else:
        if not rows or rows[0].state != Attempt.State.PLAYING:
            # Closed or deleted between the two queries.
            return load(attempt.public_id)
        # The journal has all tokens of an attempt in play: its state is from the same snapshot.
        played = [(intern(row.token), row.ms or 0) for row in rows if row.token]
        tokens, times, end_ms = tuple(token for token, _ in played), tuple(ms for _, ms in played), 0
    deal = attempt.deal
    table = deal_table(deal)
    return AttemptState(
        attempt_id=attempt.pk,
        public_id=attempt.public_id,
        player_id=attempt.player_id,
        ranked=attempt.ranked,
        state=attempt.state,
        how=attempt.end,
        started_at=attempt.started_at,
        started_ms=int(attempt.started_at.timestamp() * 1000),
        deals_at_ms=-((EPOCH - attempt.started_at) // MS),
        for_race=deal.for_race,
        deadline=attempt.deadline.isoformat() if attempt.deadline else None,
        deadline_ms=(attempt.deadline - attempt.started_at) // MS if attempt.deadline else None,
        end_ms=end_ms,
        may_pause=attempt.may_pause,
        pauses=PauseState.of(attempt),
        deal=_deal_info(deal.variant, deal.game, tuple(deal.options.items()), str(deal.day or ""), deal.commitment),
        table=table,
        progress=Progress(table.cards_up),
        reveals=None if attempt.free_undo or attempt.is_over else Reveals(table),
        tokens=tokens,
        token_times=times,
        last_ms=times[-1] if times else 0,
        verdict=_verdict(attempt),
    )


@lru_cache(maxsize=256)
def _deal_info(variant: str, game: str, options: tuple[tuple[str, Any], ...], day: str, commitment: str) -> DealInfo:
    """Return an object shared by all attempts at a deal."""
    return DealInfo(variant=variant, game=game, options=dict(options), day=day or None, commitment=commitment)


def _verdict(attempt: Attempt) -> Verdict | None:
    if attempt.state in {Attempt.State.PLAYING, Attempt.State.PENDING}:
        return None
    return Verdict(
        state=attempt.state,
        reasons=for_player(attempt.reasons, attempt.state),
        rank=None,
        cards_up=attempt.cards_up,
        elapsed_ms=attempt.elapsed_ms,
        tokens=attempt.tokens,
        ladder=attempt.ladder_slug,
    )
