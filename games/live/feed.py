"""Feed of a table: the connections that it sends frames to, and the frames kept for those that come back."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from games.live.subscribers import Connection

#: Number of recent `moved` frames kept for connections that come back.
RECENT: Final = 16


class Feed:
    """The connections of a table in this process."""

    __slots__ = ("_recent", "connections", "n")

    def __init__(self, n: int) -> None:
        self.connections: set[Connection] = set()
        self.n = n
        """Number of the last committed token; every connection here has been sent it."""
        self._recent: deque[tuple[int, str]] | None = None

    def send_frame(self, frame: str) -> None:
        """Send a frame to all connections."""
        for connection in self.connections:
            connection.send_frame(frame)

    def publish(self, frame: str) -> None:
        """Send the `moved` frame of the next committed token to all connections."""
        self.n += 1
        if self._recent is None:
            self._recent = deque(maxlen=RECENT)
        self._recent.append((self.n, frame))
        self.send_frame(frame)

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
