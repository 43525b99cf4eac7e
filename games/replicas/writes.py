"""Up to where a player has written, so that nobody is shown a state before their own last step.

A position in the primary's log is kept for each player in the cache, for as long as a replica that is read from can be
behind it. Without it a replica would only be as late as it may be for everybody (`REPLICA_LAG`).
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection, transaction

from games.replicas.watching import end_of

log = logging.getLogger(__name__)

#: Seconds beyond those that a replica may be behind: looks and caches take their time.
SPARE: Final = 5

# Where the log ends, commits among it that do not wait for the disk.
_END: Final = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"


def wrote(*player_ids: int) -> None:
    """Have these players' pages show what is written here, once it is committed."""
    if settings.REPLICAS:
        transaction.on_commit(partial(_keep, player_ids))


def position_of(player_id: int) -> int | None:
    """Up to where the player's pages must be; None when any replica that is read from will do."""
    position: int | None = cache.get(_key(player_id))
    return position


def is_known() -> bool:
    """Whether the cache knows what other processes have kept there; without Redis each has one of its own."""
    outage = getattr(cache, "outage", None)
    return outage is None or not outage.is_on


def _keep(player_ids: tuple[int, ...]) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(_END)
            position = end_of(int(cursor.fetchone()[0]))
    except Error:  # what was written is committed, and nothing else that waits for that may suffer
        log.warning("where the log ends is not known", exc_info=True)
        return
    cache.set_many({_key(one): position for one in player_ids}, timeout=settings.REPLICA_LAG + SPARE)


def _key(player_id: int) -> str:
    return f"wrote.{player_id}"
