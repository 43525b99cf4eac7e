"""Who hosts a room that its host has left without a word: somebody who is there.

Each process hears from the one at which the host has the room open. After half a minute without a sign, and with a race
still to be started, one of those seated who are there takes over.
"""

from __future__ import annotations

from typing import Final

#: Seconds without a sign of the host until somebody else becomes it; a reload or a lost line is no reason.
GONE_AFTER: Final = 30.0


class HostSigns:
    """When a room's host was last known to have it open."""

    def __init__(self, host_id: int | None, now: float) -> None:
        self.host_id = host_id
        self._seen_at = now

    def follow(self, host_id: int | None, now: float) -> None:
        """Take who the host is; a new one is given time to show up."""
        if host_id != self.host_id:
            self.host_id = host_id
            self._seen_at = now

    def seen(self, now: float) -> None:
        """The host is there, or has just been replaced."""
        self._seen_at = now

    def gone_at(self) -> float | None:
        """When the host counts as gone unless there is a sign before; None in a room without one."""
        return None if self.host_id is None else self._seen_at + GONE_AFTER
