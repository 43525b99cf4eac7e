"""Waiting queue of one process: first come, first served, ordered by the arrival time in the ticket.

Every process orders tickets the same way, so a client keeps its place when it reaches another process or the process
restarts. A client that is away for a few seconds loses its entry, not its ticket.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Final

from games.core.admission_ticket import Ticket

#: The most tickets in the queue. Later tickets get the last place.
MAX_TICKETS: Final = 20_000


class WaitingQueue:
    """Tickets in order of arrival, each with a deadline (s, monotonic) by which its client must present it again."""

    def __init__(self) -> None:
        self._order: list[Ticket] = []
        self._until: dict[Ticket, float] = {}

    def __len__(self) -> int:
        return len(self._order)

    def has_due(self) -> bool:
        """Return True if the first ticket's turn can come now."""
        return bool(self._order) and self._order[0].wait <= 0

    def place(self, ticket: Ticket) -> int:
        """Return the ticket's place, counted from 1; for a ticket that is not queued, the place it would have."""
        return bisect_left(self._order, ticket) + 1

    def enter(self, ticket: Ticket, until: float) -> int:
        """Add a ticket or extend its deadline, and return its place."""
        if ticket not in self._until:
            if len(self) >= MAX_TICKETS:
                return len(self) + 1
            insort(self._order, ticket)
        self._until[ticket] = until
        return self.place(ticket)

    def leave(self, ticket: Ticket) -> None:
        """Remove a ticket."""
        if self._until.pop(ticket, None) is not None:
            del self._order[self.place(ticket) - 1]

    def pop(self) -> Ticket:
        """Remove the first ticket and return it."""
        ticket = self._order.pop(0)
        del self._until[ticket]
        return ticket

    def expire(self, now: float) -> None:
        """Remove tickets whose clients have not returned in time."""
        for ticket in [ticket for ticket, until in self._until.items() if until < now]:
            self.leave(ticket)


def update_interval(place: int) -> int:
    """Return the seconds between a client's updates. Clients further back poll less often."""
    return min(1 + place // 20, 20)
