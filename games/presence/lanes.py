"""The lanes of a daily deal: how many cards those who play it now have up, and never which.

What the processes report with who is playing (`games.presence.reporting`) is read every few seconds, once for all who
watch a deal in a process. Guests, and players who prefer not to be named, are counted and have no lane.
"""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import datetime
from typing import Final, Protocol

import msgspec
from django.utils import timezone

from games.live.loading import off_loop
from games.models import Deal, Presence
from games.players import people
from games.presence.reporting import GOOD_FOR, PERIOD
from games.readings import SharedCache

log = logging.getLogger(__name__)

#: The most lanes of a deal that are shown: of those who have moved up most.
SHOWN: Final = 24


class Lane(msgspec.Struct, array_like=True, gc=False):
    """How far somebody is: nothing of the cards but how many are up."""

    #: The public id of the player, whose page others may see.
    player: str
    name: str
    cards_up: int


class Lanes(msgspec.Struct, tag="lanes", tag_field="type", gc=False):
    """How many play the deal now, and the lanes of those who may be named."""

    players: int
    lanes: list[Lane]


class Pong(msgspec.Struct, tag="pong", tag_field="type", gc=False):
    """The answer to `ping`: its `t`."""

    t: int


class Watcher(Protocol):
    """A connection that watches a deal's lanes."""

    def show(self, frame: str) -> None:
        """Take the newest frame, in place of one not sent yet."""


def write(message: Lanes | Pong) -> str:
    """A message as it is sent."""
    return msgspec.json.encode(message).decode()


def watchable(deal_id: int, now: datetime) -> str:
    """The variant of a daily deal that is open; empty for any other deal."""
    deal = Deal.objects.filter(pk=deal_id, day__isnull=False).first()
    return deal.variant if deal is not None and deal.is_open(now) else ""


def read(variant: str, now: datetime) -> Lanes:
    """The lanes at today's deal of a variant."""
    players, up = 0, dict[int, int]()
    for row in Presence.objects.filter(seen_at__gt=now - GOOD_FOR, day=now.date()):
        told = row.tables.get(variant)
        if told is not None:
            players += told["now"]
            # Rows of an earlier release say nothing of cards.
            up |= dict(zip(told["accounts"], told.get("cards_up", ()), strict=False))
    names = people().shown_names(up.keys())
    furthest = sorted(names.keys() & up.keys(), key=lambda player: (-up[player], player))[:SHOWN]
    return Lanes(players, [Lane(str(names[player][1]), names[player][0], up[player]) for player in furthest])


frames: Final = SharedCache("lanes", str, fresh=PERIOD / 2)


def frame_of(deal_id: int) -> str | None:
    """The lanes of a deal as they are sent, read once for all processes; None when the deal is not open any more."""
    now = timezone.now()
    variant = watchable(deal_id, now)
    return frames.get(str(deal_id), lambda: write(read(variant, now))) if variant else None


class Watch:
    """One deal's lanes, read for all its watchers by one task."""

    def __init__(self, deal_id: int) -> None:
        self._deal_id = deal_id
        self._watchers: set[Watcher] = set()
        self._frame = ""
        self._task = asyncio.create_task(self._keep_showing())

    def add(self, watcher: Watcher) -> None:
        """Show the lanes to `watcher`, and whenever they change."""
        self._watchers.add(watcher)
        if self._frame:
            watcher.show(self._frame)

    def discard(self, watcher: Watcher) -> bool:
        """Stop showing them to a watcher; returns whether it was the last, which ends the watch."""
        self._watchers.discard(watcher)
        if self._watchers:
            return False
        self._task.cancel()
        return True

    async def look(self) -> None:
        """Read once, and show what has changed."""
        frame = await off_loop(frame_of)(self._deal_id)
        if frame is None or frame == self._frame:
            return
        self._frame = frame
        for watcher in list(self._watchers):
            watcher.show(frame)

    async def _keep_showing(self) -> None:
        while True:
            begun = time.monotonic()
            try:
                await self.look()
            except Exception:
                log.warning("the lanes of a deal could not be read", extra={"deal": self._deal_id}, exc_info=True)
            await asyncio.sleep(max(0.0, begun + PERIOD - time.monotonic()))


class Hub:
    """The watches of one event loop."""

    def __init__(self) -> None:
        self._watches: dict[int, Watch] = {}

    def add(self, deal_id: int, watcher: Watcher) -> None:
        """Show a deal's lanes to `watcher` until `discard`."""
        if deal_id not in self._watches:
            self._watches[deal_id] = Watch(deal_id)
        self._watches[deal_id].add(watcher)

    def discard(self, deal_id: int, watcher: Watcher) -> None:
        """Stop showing the lanes to a watcher."""
        watch = self._watches.get(deal_id)
        if watch is not None and watch.discard(watcher):
            del self._watches[deal_id]


_hubs: Final[dict[asyncio.AbstractEventLoop, Hub]] = {}


def hub() -> Hub:
    """The hub of the running loop."""
    loop = asyncio.get_running_loop()
    for other in [one for one in _hubs if one.is_closed()]:
        del _hubs[other]
    return _hubs.setdefault(loop, Hub())
