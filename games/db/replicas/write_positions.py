"""Read-your-writes consistency: tracks each player's last write, so that replicas never show them an older state.

The cache stores a WAL position of the primary for each player, for as long as a usable replica can lag behind it.
Without it, a player would only have the general freshness guarantee (`REPLICA_LAG`).
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection, transaction

from games.db.replicas.lag_monitor import end_of

log = logging.getLogger(__name__)

#: Seconds of retention beyond the allowed lag, for delays of the monitor and the caches.
SPARE: Final = 5

# Current WAL write position, including commits not yet flushed to disk.
_END: Final = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"


def wrote(*player_ids: int) -> None:
    """Record a write that these players' pages must show; it takes effect after the commit."""
    if settings.REPLICAS:
        transaction.on_commit(partial(_store_positions, player_ids))


def position_of(player_id: int) -> int | None:
    """Return the WAL position that the player's pages must include; None if any usable replica will do."""
    position: int | None = cache.get(_key(player_id))
    return position


def is_known() -> bool:
    """Return True if the cache is shared with the other processes; while Redis is down, each has its own."""
    breaker = getattr(cache, "breaker", None)
    return breaker is None or not breaker.is_open


def _store_positions(player_ids: tuple[int, ...]) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(_END)
            position = end_of(int(cursor.fetchone()[0]))
    except Error:  # the write is committed, and other on-commit hooks must still run
        log.warning("current WAL position unknown", exc_info=True)
        return
    cache.set_many({_key(player_id): position for player_id in player_ids}, timeout=settings.REPLICA_LAG + SPARE)


def _key(player_id: int) -> str:
    return f"wrote.{player_id}"
