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
from django.db import DatabaseError
from django.db.backends.signals import connection_created
from django.dispatch import receiver

from games.core import metrics
from games.db.replicas.router import PRIMARY
from games.db.timeouts import connect_directly

log = logging.getLogger(__name__)

#: Seconds between two samples.
EVERY: Final = 0.5
#: Seconds that a replica has for an answer. Otherwise a hanging server would block every thread of the process.
PATIENCE: Final = 2.0
#: Size of a WAL page and maximum size of its header, in bytes. A position just after a header means the page's start.
_PAGE: Final = 8192
_HEADER: Final = 40
#: Number of samples of the primary to keep: enough to place a replica that is minutes behind.
_MAX_SAMPLES: Final = 600

_POSITION: Final = "SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')"
#: Replay position, or NULL from a server that is not, or no longer, a replica.
_REPLAYED: Final = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') END"


class LagSample(NamedTuple):
    """Result of the last sample: the replayed position, the time whose state the replica had reached, and the time of
    the sample (both monotonic).
    """

    replayed: int
    as_of: float
    sampled_at: float


class LagMonitor:
    """Monitor of one replica, as seen by this process."""

    def __init__(self, alias: str) -> None:
        self.alias = alias
        self._created_at = time.monotonic()
        self._samples: deque[tuple[float, int]] = deque(maxlen=_MAX_SAMPLES)
        self._latest: LagSample | None = None
        self._failed_at = 0.0
        self._problem = ""
        self._query_started_at = 0.0  # nonzero while a query is pending
        self._lock = threading.Lock()
        self._opened: weakref.WeakSet[Any] = weakref.WeakSet()

    def start(self) -> None:
        """Start the monitor threads, which run for the lifetime of the process."""
        threading.Thread(target=self._run, name=f"watch-{self.alias}", daemon=True).start()
        threading.Thread(target=self._guard, name=f"guard-{self.alias}", daemon=True).start()

    def track(self, connection: psycopg.Connection[Any]) -> None:
        """Track a connection to the replica, so that it can be cut if the replica hangs."""
        with self._lock:
            self._opened.add(connection)

    @property
    def lag(self) -> float:
        """Upper bound of the replica's lag in seconds; if it never answered, the time since the monitor was created."""
        sample = self._latest
        return time.monotonic() - (self._created_at if sample is None else sample.as_of)

    def is_fit(self) -> bool:
        """Return True if the replica may be read from: its lag is small, and it has answered since its last failure."""
        sample = self._latest
        return sample is not None and sample.sampled_at > self._failed_at and self.lag <= settings.REPLICA_LAG

    def has(self, position: int) -> bool:
        """Return True if the replica is known to have replayed up to a position."""
        sample = self._latest
        return sample is not None and sample.replayed >= position

    def fail(self, error: Exception) -> None:
        """Record a failure: the replica is not read from until the monitor has seen it answer again."""
        self._failed_at = time.monotonic()
        self._log_problem(f"{error}")

    def add_sample(self, at: float, position: int, replayed: int) -> None:
        """Add a sample: at time `at` the primary was at `position`; after that, the replica had reached `replayed`."""
        self._samples.append((at, position))
        as_of = self._created_at if self._latest is None else self._latest.as_of
        has_sample = self._latest is not None
        while self._samples and self._samples[0][1] <= replayed:
            as_of, has_sample = self._samples.popleft()[0], True
        if has_sample:
            self._latest = LagSample(replayed, as_of, at)

    def _run(self) -> None:
        while True:
            try:
                with closing(connect_directly(PRIMARY)) as primary, closing(self._own_connection()) as replica:
                    while True:
                        self._take_sample(primary, replica)
                        time.sleep(EVERY)
            except (psycopg.Error, DatabaseError, OSError) as error:
                self._log_problem(f"{error}")
            except Exception:
                log.exception("%s not checked", self.alias)
            self._export_lag()
            time.sleep(EVERY)

    def _own_connection(self) -> psycopg.Connection[Any]:
        try:
            connection = connect_directly(self.alias)
        except psycopg.Error as error:
            self.fail(error)
            raise
        self.track(connection)
        return connection

    def _take_sample(self, primary: psycopg.Connection[Any], replica: psycopg.Connection[Any]) -> None:
        at, position = time.monotonic(), _query_value(primary, _POSITION)
        self._query_started_at = time.monotonic()
        try:
            replayed = _query_value(replica, _REPLAYED)
            if replayed is None:
                raise psycopg.OperationalError("the server is no replica")
        except psycopg.Error as error:
            self.fail(error)
            raise
        finally:
            self._query_started_at = 0.0
        self.add_sample(at, end_of(int(position)), int(replayed))
        if self.is_fit():
            self._log_problem("")
        self._export_lag()

    def _guard(self) -> None:
        while True:
            time.sleep(EVERY)
            if self._query_started_at and time.monotonic() - self._query_started_at > PATIENCE:
                self._query_started_at = 0.0
                self._cut()

    def _cut(self) -> None:
        """Cut every connection with a pending query to the replica; the views waiting for it retry on the primary."""
        self.fail(TimeoutError("the server does not answer"))
        with self._lock:
            opened = list(self._opened)
        for connection in opened:
            if not connection.closed and connection.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                sock = socket.socket(fileno=connection.fileno())
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
                sock.detach()  # the connection itself closes it

    def _export_lag(self) -> None:
        metrics.REPLICA_LAG.labels(self.alias).set(self.lag)

    def _log_problem(self, problem: str) -> None:
        """Log the start and the end of a problem, once each."""
        if problem and not self._problem:
            log.warning("%s is not used for reads: %s", self.alias, problem)
        elif self._problem and not problem:
            log.warning("%s is used for reads again", self.alias)
        self._problem = problem


def end_of(position: int) -> int:
    """Normalize a WAL position for comparison with replay positions: one inside or just after a page header becomes the
    page's start.
    """
    return position - position % _PAGE if position % _PAGE <= _HEADER else position


_watches: Final[dict[str, LagMonitor]] = {}
_creation_lock: Final = threading.Lock()


def watch(alias: str) -> LagMonitor:
    """Return the monitor of a replica, starting it on first use."""
    if alias not in _watches:
        with _creation_lock:
            if alias not in _watches:
                monitor = LagMonitor(alias)
                monitor.start()
                _watches[alias] = monitor
    return _watches[alias]


@receiver(connection_created)
def _track_opened(connection: Any, **_: object) -> None:  # noqa: ANN401 - Django's
    if connection.alias in settings.REPLICAS:
        watch(connection.alias).track(connection.connection)


def _query_value(connection: psycopg.Connection[Any], sql: str) -> Any:  # noqa: ANN401
    row: Any = connection.execute(sql.encode()).fetchone()
    return row[0]
