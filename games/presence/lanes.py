"""Progress lanes of a daily deal: how many cards each current player has up, but never which cards.

The figures come from the processes' presence reports (`games.presence.reporting`). Each process reads them every few
seconds, once per deal for all its watchers. Guests, and players who prefer not to be named, are counted but get no
lane.
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

#: Maximum lanes shown per deal: those with the most cards up.
SHOWN: Final = 24


class Lane(msgspec.Struct, array_like=True, gc=False):
    """A player's progress: only the number of cards up, never which cards."""

    #: Public id of the player, which leads to their page.
    player: str
    name: str
    cards_up: int


class Lanes(msgspec.Struct, tag="lanes", tag_field="type", gc=False):
    """The number of current players of a deal, and the lanes of those that may be named."""

    players: int
    lanes: list[Lane]


class Pong(msgspec.Struct, tag="pong", tag_field="type", gc=False):
    """The answer to `ping`: its `t`."""

    t: int


class Watcher(Protocol):
    """A connection that watches a deal's lanes."""

    def show(self, frame: str) -> None:
        """Queue the newest frame, replacing one that has not been sent yet."""


def write(message: Lanes | Pong) -> str:
    """Encode a message as a frame."""
    return msgspec.json.encode(message).decode()


def watchable(deal_id: int, now: datetime) -> str:
    """Return the variant of an open daily deal; empty for any other deal."""
    deal = Deal.objects.filter(pk=deal_id, day__isnull=False).first()
    return deal.variant if deal is not None and deal.is_open(now) else ""


def read(variant: str, now: datetime) -> Lanes:
    """Read the lanes of today's deal of a variant."""
    players, up = 0, dict[int, int]()
    for row in Presence.objects.filter(seen_at__gt=now - GOOD_FOR, day=now.date()):
        told = row.tables.get(variant)
        if told is not None:
            players += told["now"]
            # Rows written by an earlier release have no `cards_up`.
            up |= dict(zip(told["accounts"], told.get("cards_up", ()), strict=False))
    names = people().shown_names(up.keys())
    furthest = sorted(names.keys() & up.keys(), key=lambda player: (-up[player], player))[:SHOWN]
    return Lanes(players, [Lane(str(names[player][1]), names[player][0], up[player]) for player in furthest])


frames: Final = SharedCache("lanes", str, fresh=PERIOD / 2)


def frame_of(deal_id: int) -> str | None:
    """Return a deal's lanes as a frame, from a cache shared by all processes; None once the deal is closed."""
    now = timezone.now()
    variant = watchable(deal_id, now)
    return frames.get(str(deal_id), lambda: write(read(variant, now))) if variant else None


class Watch:
    """A task that polls one deal's lanes for all its watchers in this process."""

    def __init__(self, deal_id: int) -> None:
        self._deal_id = deal_id
        self._watchers: set[Watcher] = set()
        self._frame = ""
        self._task = asyncio.create_task(self._keep_showing())

    def add(self, watcher: Watcher) -> None:
        """Send the lanes to `watcher` now, and whenever they change."""
        self._watchers.add(watcher)
        if self._frame:
            watcher.show(self._frame)

    def discard(self, watcher: Watcher) -> bool:
        """Remove a watcher; return whether it was the last one, which ends the watch."""
        self._watchers.discard(watcher)
        if self._watchers:
            return False
        self._task.cancel()
        return True

    async def look(self) -> None:
        """Read the lanes once, and send them to all watchers if they have changed."""
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
                log.warning("lanes of a deal not read", extra={"deal": self._deal_id}, exc_info=True)
            await asyncio.sleep(max(0.0, begun + PERIOD - time.monotonic()))


class Hub:
    """The watches of one event loop."""

    def __init__(self) -> None:
        self._watches: dict[int, Watch] = {}

    def add(self, deal_id: int, watcher: Watcher) -> None:
        """Send a deal's lanes to `watcher` until `discard`."""
        if deal_id not in self._watches:
            self._watches[deal_id] = Watch(deal_id)
        self._watches[deal_id].add(watcher)

    def discard(self, deal_id: int, watcher: Watcher) -> None:
        """Stop sending the lanes to a watcher."""
        watch = self._watches.get(deal_id)
        if watch is not None and watch.discard(watcher):
            del self._watches[deal_id]


_hubs: Final[dict[asyncio.AbstractEventLoop, Hub]] = {}


def hub() -> Hub:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    for other in [one for one in _hubs if one.is_closed()]:
        del _hubs[other]
    return _hubs.setdefault(loop, Hub())
