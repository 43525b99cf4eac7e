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
    """The last time a room's host was known to have it open."""

    def __init__(self, host_id: int | None, now: float) -> None:
        self.host_id = host_id
        self._seen_at = now

    def follow(self, host_id: int | None, now: float) -> None:
        """Follow a change of host; a new host gets the full time to show up."""
        if host_id != self.host_id:
            self.host_id = host_id
            self._seen_at = now

    def mark_seen(self, now: float) -> None:
        """Restart the timeout: the host was seen, or a replacement was just attempted."""
        self._seen_at = now

    def times_out_at(self) -> float | None:
        """Return the time at which the host will count as gone; None in a room without a host."""
        return None if self.host_id is None else self._seen_at + HOST_TIMEOUT


class Heartbeats:
    """Heartbeats of the seated players of the next race, and of the host, who have the room open in this process."""

    def __init__(
        self,
        audience: Audience,
        host_presence: HostPresence,
        send_heartbeat: Callable[[int, list[int], int | None], None],
    ) -> None:
        self._audience = audience
        self._host_presence = host_presence
        self._send_heartbeat = send_heartbeat
        self._next_at = -inf

    def hurry(self) -> None:
        """Send the next heartbeat at once, because a viewer has just joined."""
        self._next_at = -inf

    async def beat(self) -> float:
        """Send a heartbeat if one is due."""
        now, facts = monotonic(), self._audience.facts
        seated, has_host = self._audience.seated(), self._audience.has_host()
        if not (seated or has_host):
            return inf
        if now >= self._next_at:
            self._next_at = now + HEARTBEAT_EVERY
            self._audience.progress.mark_seen(seated)
            if has_host:
                self._host_presence.mark_seen(now)
            self._send_heartbeat(facts.id, seated, facts.host_id if has_host else None)
        return self._next_at


class Succession:
    """Replacement of a missing host by a player seated here."""

    def __init__(self, audience: Audience, host_presence: HostPresence, schedule_read: Callable[[], None]) -> None:
        self._audience = audience
        self._host_presence = host_presence
        self._schedule_read = schedule_read

    async def replace_if_absent(self) -> float:
        """Replace the host if they are gone, and have the room read again."""
        times_out_at, heirs = self._host_presence.times_out_at(), self._audience.heirs()
        if times_out_at is None or self._host_presence.host_id is None or not heirs:
            return inf
        if monotonic() < times_out_at:
            return times_out_at
        self._host_presence.mark_seen(monotonic())  # try once, and again after another timeout
        if not self._audience.has_host():
            await off_loop(rooms.pass_host)(self._audience.facts.id, self._host_presence.host_id, heirs)
            self._schedule_read()
        return monotonic() + HOST_TIMEOUT
