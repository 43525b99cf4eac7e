"""Host failover: a seated player who is present replaces a host who has disappeared.

The process at which the host has the room open sends heartbeats to all others. After half a minute without one, if a
race is still to be started, a seated player who has the room open becomes host.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final

from games.live.loader import off_loop
from games.races import rooms
from games.races.live.audience import Audience

#: Seconds between heartbeats for seated players, and the host, with the room open.
HEARTBEAT_EVERY: Final = 1.5
#: Seconds without a heartbeat after which the host is replaced; long enough for a page reload or a dropped connection.
HOST_TIMEOUT: Final = 30.0


class HostPresence:
    """The heartbeats of a room's host and seated players, and the replacement of a host without any."""

    def __init__(self, audience: Audience, send_heartbeat: Callable[[int, list[int], int | None], None]) -> None:
        self._audience = audience
        self._send_heartbeat = send_heartbeat
        self._seen_at = {audience.facts.host_id: monotonic()}
        self._next_at = -inf
        self._is_hurried = False

    def mark_seen(self, host_id: int | None) -> None:
        """Restart the timeout of a host: they were seen, or a replacement was just attempted."""
        self._seen_at[host_id] = monotonic()

    def hurry(self) -> None:
        """Send the next heartbeat at once, because a viewer has just joined."""
        self._is_hurried = True

    async def beat(self) -> float:
        """Send a heartbeat, if one is due, for the host and the entrants present in this process; then call them."""
        if not self._audience.awaited():
            return inf
        is_due = monotonic() >= self._next_at
        if is_due or self._is_hurried:
            self._is_hurried = False
            self._send_present()
        if is_due:
            self._next_at = monotonic() + HEARTBEAT_EVERY
            self._audience.call()
        return self._next_at

    def _send_present(self) -> None:
        facts, present = self._audience.facts, self._audience.present()
        host_id = facts.host_id if self._audience.has_host() else None
        if present or host_id is not None:
            self._audience.progress.mark_seen(present)
            self.mark_seen(host_id)
            self._send_heartbeat(facts.id, present, host_id)

    async def replace_if_absent(self) -> float:
        """Make a player seated in this process the host if the host has timed out. The timeout starts anew."""
        host_id, heirs = self._audience.facts.host_id, self._audience.heirs()
        if host_id is None or not heirs:
            return inf
        if monotonic() >= self._seen_at.setdefault(host_id, monotonic()) + HOST_TIMEOUT:
            self.mark_seen(host_id)  # try once, and again after another timeout
            if not self._audience.has_host():
                await off_loop(rooms.pass_host)(self._audience.facts.id, host_id, heirs)
        return self._seen_at[host_id] + HOST_TIMEOUT
