"""Host failover: a seated player who is present replaces a host who has disappeared.

The process at which the host has the room open sends heartbeats to all others. After half a minute without one, if a
race is still to be started, a seated player who has the room open becomes host.
"""

from __future__ import annotations

from typing import Final

#: Seconds without a heartbeat after which the host is replaced; long enough for a page reload or a dropped connection.
GONE_AFTER: Final = 30.0


class HostSigns:
    """The last time a room's host was known to have it open."""

    def __init__(self, host_id: int | None, now: float) -> None:
        self.host_id = host_id
        self._seen_at = now

    def follow(self, host_id: int | None, now: float) -> None:
        """Follow a change of host; a new host gets the full time to show up."""
        if host_id != self.host_id:
            self.host_id = host_id
            self._seen_at = now

    def seen(self, now: float) -> None:
        """Restart the timeout: the host was seen, or a replacement was just attempted."""
        self._seen_at = now

    def gone_at(self) -> float | None:
        """Return the time at which the host will count as gone; None in a room without a host."""
        return None if self.host_id is None else self._seen_at + GONE_AFTER
