"""Replica lag monitor: a thread for each replica compares its WAL replay position with the primary's position.

Neither server clocks nor write activity matter: the primary's position is sampled with this process's own clock, and a
replica that has replayed up to a sample is as fresh as that sample. The lag of a replica that has lost its stream or
cannot be compared grows automatically. A replica that does not answer is not read from until it does.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
import weakref
from collections import deque
from contextlib import closing, suppress
from typing import Any, Final, NamedTuple

import psycopg
from django.conf import settings
from django.db import DatabaseError, connections
from django.db.backends.signals import connection_created

from games.core import metrics
from games.db.replicas.router import PRIMARY

log = logging.getLogger(__name__)

#: Seconds between two samples.
EVERY: Final = 0.5
#: Seconds that a replica has for an answer. Otherwise a hanging server would block every thread of the process.
PATIENCE: Final = 2.0
#: Size of a WAL page and maximum size of its header, in bytes. A position just after a header means the page's start.
_PAGE: Final = 8192
_HEADER: Final = 40
#: Number of samples of the primary to keep: enough to place a replica that is minutes behind.
_NOTES: Final = 600

_POSITION: Final = "SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')"
#: Connection parameters that only Django's own connections use.
_DJANGO: Final = {"context", "cursor_factory", "prepare_threshold", "client_encoding"}
#: Replay position, or NULL from a server that is not, or no longer, a replica.
_REPLAYED: Final = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') END"


class LagSample(NamedTuple):
    """Result of the last sample: the replayed position, the time whose state the replica had reached, and the time of
    the sample (both monotonic).
    """

    replayed: int
    as_of: float
    looked_at: float


class LagMonitor:
    """Monitor of one replica, as seen by this process."""

    def __init__(self, alias: str) -> None:
        self.alias = alias
        self._begun = time.monotonic()
        self._notes: deque[tuple[float, int]] = deque(maxlen=_NOTES)
        self._view: LagSample | None = None
        self._failed_at = 0.0
        self._said = ""
        self._asked_at = 0.0  # nonzero while a query is pending
        self._lock = threading.Lock()
        self._opened: weakref.WeakSet[Any] = weakref.WeakSet()

    def start(self) -> None:
        """Start the monitor threads, which run for the lifetime of the process."""
        threading.Thread(target=self._run, name=f"watch-{self.alias}", daemon=True).start()
        threading.Thread(target=self._guard, name=f"guard-{self.alias}", daemon=True).start()

    def keep(self, connection: psycopg.Connection[Any]) -> None:
        """Track a connection to the replica, so that it can be cut if the replica hangs."""
        with self._lock:
            self._opened.add(connection)

    @property
    def lag(self) -> float:
        """Upper bound of the replica's lag in seconds; if it never answered, the time since the monitor was created."""
        view = self._view
        return time.monotonic() - (self._begun if view is None else view.as_of)

    def is_fit(self) -> bool:
        """Return True if the replica may be read from: its lag is small, and it has answered since its last failure."""
        view = self._view
        return view is not None and view.looked_at > self._failed_at and self.lag <= settings.REPLICA_LAG

    def has(self, position: int) -> bool:
        """Return True if the replica is known to have replayed up to a position."""
        view = self._view
        return view is not None and view.replayed >= position

    def fail(self, error: Exception) -> None:
        """Record a failure: the replica is not read from until the monitor has seen it answer again."""
        self._failed_at = time.monotonic()
        self._say(f"{error}")

    def note(self, at: float, position: int, replayed: int) -> None:
        """Add a sample: at time `at` the primary was at `position`; after that, the replica had reached `replayed`."""
        self._notes.append((at, position))
        as_of = self._begun if self._view is None else self._view.as_of
        known = self._view is not None
        while self._notes and self._notes[0][1] <= replayed:
            as_of, known = self._notes.popleft()[0], True
        if known:
            self._view = LagSample(replayed, as_of, at)

    def _run(self) -> None:
        while True:
            try:
                with closing(_connected(PRIMARY)) as primary, closing(self._own_connection()) as replica:
                    while True:
                        self._look(primary, replica)
                        time.sleep(EVERY)
            except (psycopg.Error, DatabaseError, OSError) as error:
                self._say(f"{error}")
            except Exception:
                log.exception("%s not checked", self.alias)
            self._tell()
            time.sleep(EVERY)

    def _own_connection(self) -> psycopg.Connection[Any]:
        try:
            found = _connected(self.alias)
        except psycopg.Error as error:
            self.fail(error)
            raise
        self.keep(found)
        return found

    def _look(self, primary: psycopg.Connection[Any], replica: psycopg.Connection[Any]) -> None:
        at, position = time.monotonic(), _asked(primary, _POSITION)
        self._asked_at = time.monotonic()
        try:
            replayed = _asked(replica, _REPLAYED)
            if replayed is None:
                raise psycopg.OperationalError("the server is no replica")
        except psycopg.Error as error:
            self.fail(error)
            raise
        finally:
            self._asked_at = 0.0
        self.note(at, end_of(int(position)), int(replayed))
        if self.is_fit():
            self._say("")
        self._tell()

    def _guard(self) -> None:
        while True:
            time.sleep(EVERY)
            if self._asked_at and time.monotonic() - self._asked_at > PATIENCE:
                self._asked_at = 0.0
                self._cut()

    def _cut(self) -> None:
        """Cut every connection with a pending query to the replica; the views waiting for it retry on the primary."""
        self.fail(TimeoutError("the server does not answer"))
        with self._lock:
            opened = list(self._opened)
        for one in opened:
            if not one.closed and one.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                line = socket.socket(fileno=one.fileno())
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
                line.detach()  # the connection itself closes it

    def _tell(self) -> None:
        metrics.REPLICA_LAG.labels(self.alias).set(self.lag)

    def _say(self, problem: str) -> None:
        """Log the start and the end of a problem, once each."""
        if problem and not self._said:
            log.warning("%s is not used for reads: %s", self.alias, problem)
        elif self._said and not problem:
            log.warning("%s is used for reads again", self.alias)
        self._said = problem


def end_of(position: int) -> int:
    """Normalize a WAL position for comparison with replay positions: one inside or just after a page header becomes the
    page's start.
    """
    return position - position % _PAGE if position % _PAGE <= _HEADER else position


_watches: Final[dict[str, LagMonitor]] = {}
_beginning: Final = threading.Lock()


def watch(alias: str) -> LagMonitor:
    """Return the monitor of a replica, starting it on first use."""
    if alias not in _watches:
        with _beginning:
            if alias not in _watches:
                found = LagMonitor(alias)
                found.start()
                _watches[alias] = found
    return _watches[alias]


def _keep_opened(connection: Any, **_: object) -> None:  # noqa: ANN401 - Django's
    if connection.alias in settings.REPLICAS:
        watch(connection.alias).keep(connection.connection)


connection_created.connect(_keep_opened)


def _connected(alias: str) -> psycopg.Connection[Any]:
    """Open a connection outside the pool, so that the monitor never waits for a pooled one."""
    parameters: Any = connections[alias].get_connection_params()
    wanted: dict[str, Any] = {name: value for name, value in parameters.items() if name not in _DJANGO}
    wanted |= {"connect_timeout": 2, "tcp_user_timeout": 2000, "prepare_threshold": None}  # as PgBouncer needs it
    return psycopg.connect(autocommit=True, **wanted)


def _asked(connection: psycopg.Connection[Any], sql: str) -> Any:  # noqa: ANN401
    row: Any = connection.execute(sql.encode()).fetchone()
    return row[0]
