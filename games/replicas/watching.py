"""How far each replica has got: a thread for each compares its position in the log with the primary's.

The clocks of servers do not matter, nor whether anything is written: the primary's position is noted with this
process's own time, and a replica that has replayed it is as fresh as that note. One that has lost its stream or cannot
be compared falls behind by itself; one that does not answer is not asked until it does.
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

from games import metrics
from games.replicas.routing import PRIMARY

log = logging.getLogger(__name__)

#: Seconds between two looks.
EVERY: Final = 0.5
#: Seconds that a replica has for an answer. A server that hangs would otherwise take every thread of the process.
PATIENCE: Final = 2.0
#: Bytes of a page of the log, and the longest header of one. A position behind a header is the page's beginning.
_PAGE: Final = 8192
_HEADER: Final = 40
#: What is noted of the primary: enough to find a replica's place again after minutes.
_NOTES: Final = 600

_POSITION: Final = "SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')"
#: Parameters that are the business of Django's own connections.
_DJANGO: Final = {"context", "cursor_factory", "prepare_threshold", "client_encoding"}
#: Nothing (NULL) from a server that is no replica, or no longer one.
_REPLAYED: Final = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') END"


class View(NamedTuple):
    """What the last look has found: the position replayed, the moment (monotonic) whose state the replica had reached
    then, and the moment of the look.
    """

    replayed: int
    as_of: float
    looked_at: float


class Watch:
    """How one replica stands, as this process knows it."""

    def __init__(self, alias: str) -> None:
        self.alias = alias
        self._begun = time.monotonic()
        self._notes: deque[tuple[float, int]] = deque(maxlen=_NOTES)
        self._view: View | None = None
        self._failed_at = 0.0
        self._said = ""
        self._asked_at = 0.0  # while an answer is waited for
        self._lock = threading.Lock()
        self._opened: weakref.WeakSet[Any] = weakref.WeakSet()

    def start(self) -> None:
        """Begin to look, in threads that last as long as the process."""
        threading.Thread(target=self._run, name=f"watch-{self.alias}", daemon=True).start()
        threading.Thread(target=self._guard, name=f"guard-{self.alias}", daemon=True).start()

    def keep(self, connection: psycopg.Connection[Any]) -> None:
        """Know a connection to the replica, so that nobody waits on it for ever."""
        with self._lock:
            self._opened.add(connection)

    @property
    def lag(self) -> float:
        """Seconds by which the replica is behind at most; since this process began to look, if it never answered."""
        view = self._view
        return time.monotonic() - (self._begun if view is None else view.as_of)

    def is_fit(self) -> bool:
        """Whether to read from it: not too far behind, and seen since it last failed somebody."""
        view = self._view
        return view is not None and view.looked_at > self._failed_at and self.lag <= settings.REPLICA_LAG

    def has(self, position: int) -> bool:
        """Whether the replica is known to have what was written up to a position."""
        view = self._view
        return view is not None and view.replayed >= position

    def fail(self, error: Exception) -> None:
        """Note that it has failed somebody: nobody else asks before it has answered here again."""
        self._failed_at = time.monotonic()
        self._say(f"{error}")

    def note(self, at: float, position: int, replayed: int) -> None:
        """Take in a look: the primary was at `position`, and then the replica had `replayed`."""
        self._notes.append((at, position))
        as_of = self._begun if self._view is None else self._view.as_of
        known = self._view is not None
        while self._notes and self._notes[0][1] <= replayed:
            as_of, known = self._notes.popleft()[0], True
        if known:
            self._view = View(replayed, as_of, at)

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
                log.exception("%s not looked at", self.alias)
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
        """End every query that the replica has not answered: whoever waits for it is read from the primary."""
        self.fail(TimeoutError("the server does not answer"))
        with self._lock:
            opened = list(self._opened)
        for one in opened:
            if not one.closed and one.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                line = socket.socket(fileno=one.fileno())
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
                line.detach()  # the connection closes it

    def _tell(self) -> None:
        metrics.REPLICA_LAG.labels(self.alias).set(self.lag)

    def _say(self, problem: str) -> None:
        """Log a problem once, and its end."""
        if problem and not self._said:
            log.warning("%s is not read from: %s", self.alias, problem)
        elif self._said and not problem:
            log.warning("%s is read from again", self.alias)
        self._said = problem


def end_of(position: int) -> int:
    """The end of what stands before a position in the log, as a replica says that it has replayed it."""
    return position - position % _PAGE if position % _PAGE <= _HEADER else position


_watches: Final[dict[str, Watch]] = {}
_beginning: Final = threading.Lock()


def watch(alias: str) -> Watch:
    """The watch on a replica, begun when it is first asked for."""
    if alias not in _watches:
        with _beginning:
            if alias not in _watches:
                found = Watch(alias)
                found.start()
                _watches[alias] = found
    return _watches[alias]


def _keep_opened(connection: Any, **_: object) -> None:  # noqa: ANN401 - Django's
    if connection.alias in settings.REPLICAS:
        watch(connection.alias).keep(connection.connection)


connection_created.connect(_keep_opened)


def _connected(alias: str) -> psycopg.Connection[Any]:
    """A connection of the watch's own, beside the pool: it must not wait for one of those."""
    parameters: Any = connections[alias].get_connection_params()
    wanted: dict[str, Any] = {name: value for name, value in parameters.items() if name not in _DJANGO}
    wanted |= {"connect_timeout": 2, "tcp_user_timeout": 2000, "prepare_threshold": None}  # as PgBouncer needs it
    return psycopg.connect(autocommit=True, **wanted)


def _asked(connection: psycopg.Connection[Any], sql: str) -> Any:  # noqa: ANN401
    row: Any = connection.execute(sql.encode()).fetchone()
    return row[0]
