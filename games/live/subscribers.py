"""Subscribers of a table: its connections get frames, its followers and other processes notices of changes."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from games.core import events

#: Number of recent `moved` frames kept for connections that come back.
RECENT: Final = 16


class Connection(Protocol):
    """A connection, as a table uses it."""

    def send_frame(self, frame: str) -> None:
        """Queue a frame without waiting."""


class TableSubscribers:
    """The connections of a table in this process, its followers, and the other processes that have it open."""

    __slots__ = ("_process", "_public_id", "_recent", "connections", "followers", "n", "other_processes")

    def __init__(self, public_id: uuid.UUID, process: str, n: int) -> None:
        self._public_id = public_id
        self._process = process
        self.connections: set[Connection] = set()
        self.followers: tuple[Callable[[], None], ...] = ()
        """Called at each change of cards, state or connections, in the middle of a move: they must be cheap."""
        self.other_processes: set[str] = set()
        self.n = n
        """Number of the last committed token; every connection here has been sent it."""
        self._recent: deque[tuple[int, str]] | None = None

    def add(self, connection: Connection) -> None:
        """Add a connection."""
        self.connections.add(connection)
        self._notify_followers()

    def discard(self, connection: Connection) -> None:
        """Remove a connection."""
        self.connections.discard(connection)
        self._notify_followers()

    def send_frame(self, frame: str) -> None:
        """Send a frame to all connections."""
        for connection in self.connections:
            connection.send_frame(frame)

    def send_change(self, frame: str) -> None:
        """Send a frame to all connections, and notify the followers of a change."""
        self.send_frame(frame)
        self._notify_followers()

    def publish(self, frame: str) -> None:
        """Send the `moved` frame of the next committed token to all connections."""
        self.n += 1
        if self._recent is None:
            self._recent = deque(maxlen=RECENT)
        self._recent.append((self.n, frame))
        self.send_change(frame)

    def skip(self, count: int) -> None:
        """Count committed tokens that were not sent as frames, such as a rewind's."""
        self.n += count
        self._recent = None

    def since(self, have: int | None) -> list[str] | None:
        """Return the frames after token `have`, or None if some of them are no longer kept."""
        if have is None:
            return None
        recent: Sequence[tuple[int, str]] = self._recent or ()
        missed = [frame for n, frame in recent if n > have]
        return missed if len(missed) == self.n - have else None

    def announce(self, kind: str = "moved", **data: object) -> None:
        """Tell the other processes the number of the last token."""
        if self.other_processes:
            events.notify_attempt(self._public_id, kind, n=self.n, process=self._process, **data)

    def _notify_followers(self) -> None:
        for notify in self.followers:
            notify()
