"""The line of those who wait to be let in, as one process knows it: in order of arrival, for as long as they come.

A ticket is of any process (`games.admission`), and every process it is shown to knows its place. Nothing is lost with a
process: the tickets that come again make the line anew, in the same order. A holder who stays away is forgotten after
a few seconds, and has the old place when the ticket is shown again in time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from typing import Final

from games.admission import Ticket

#: How many may go in next, whichever of them comes first: the first one may be slow. They ask every two seconds, so a
#: process with time to spare lets some thirty in a second.
FRONT: Final = 60
#: Seconds from one showing of a ticket to the next, by place: the further back, the less often.
PAUSES: Final = ((2 * FRONT, 2), (200, 4))
LONGEST_PAUSE: Final = 8
#: Pauses that a ticket may miss, and seconds beyond, before nobody waits for its holder.
MISSED: Final = 2
SPARE: Final = 2.0
#: How many are remembered. Whoever comes later gets the last place, and moves up as others do.
MOST: Final = 20_000
#: Seconds over which it is counted how many go in.
COUNTED: Final = 30.0

Moment = float
"""Seconds on a monotonic clock."""


class Line:
    """Who waits."""

    def __init__(self) -> None:
        self._order: list[Ticket] = []
        self._waiting: list[Ticket] = []
        """Those of them who have come again, in order."""
        self._until: dict[Ticket, Moment] = {}
        self._let_in: deque[Moment] = deque()

    def __len__(self) -> int:
        return len(self._order)

    @property
    def is_waited_in(self) -> bool:
        """Whether anybody waits. Who was told to wait and has not come again, as most programs never do, does not."""
        return bool(self._waiting)

    def show(self, ticket: Ticket, now: Moment) -> int:
        """The ticket's place, from 1 on. It is kept until its holder should have come again."""
        place = bisect_left(self._order, ticket) + 1
        if ticket not in self._until:
            if len(self._order) >= MOST:
                return len(self._order) + 1
            self._order.insert(place - 1, ticket)
        self._until[ticket] = now + MISSED * pause_at(place) + SPARE
        return place

    def come_again(self, ticket: Ticket, now: Moment) -> int:
        """The holder has come again with the ticket, and waits; returns how many do who came before."""
        self.show(ticket, now)
        ahead = bisect_left(self._waiting, ticket)
        if ticket in self._until and self._waiting[ahead : ahead + 1] != [ticket]:
            self._waiting.insert(ahead, ticket)
        return ahead

    def let_in(self, ticket: Ticket, now: Moment) -> None:
        """The holder goes in."""
        if self._until.pop(ticket, None) is not None:
            for order in (self._order, self._waiting):
                at = bisect_left(order, ticket)
                if order[at : at + 1] == [ticket]:
                    del order[at]
        self._let_in.append(now)

    def forget_absent(self, now: Moment) -> None:
        """Forget those who have not come again."""
        absent = {ticket for ticket, until in self._until.items() if until < now}
        if absent:
            self._order = [ticket for ticket in self._order if ticket not in absent]
            self._waiting = [ticket for ticket in self._waiting if ticket not in absent]
            for ticket in absent:
                del self._until[ticket]
        while self._let_in and self._let_in[0] < now - COUNTED:
            self._let_in.popleft()

    def seconds_at(self, place: int) -> float | None:
        """How long a place will take at the pace of the last half minute; None if nobody has gone in."""
        return place * COUNTED / len(self._let_in) if self._let_in else None


def pause_at(place: int) -> int:
    """After how many seconds somebody at this place asks again."""
    return next((pause for until, pause in PAUSES if place <= until), LONGEST_PAUSE)
