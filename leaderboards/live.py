"""Live boards: all watchers of a board in this process share one database read.

On a change notice each process reads the first page once and sends it to all watchers, at most once a second however
many notices arrive. Since notices can be lost, a watched board is also polled. A failed read is retried and closes no
connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import Any, Final, Protocol, cast

from channels.layers import get_channel_layer

from games.ladders import Ladder
from games.live.loading import off_loop
from games.models import Deal
from leaderboards import boards
from leaderboards.entries import ALL_BOARDS, board_group
from leaderboards.keys import BoardName
from leaderboards.schemas import BoardFrame, PageOut

log = logging.getLogger(__name__)

SEND_EVERY: Final = 1.0  # minimum s between two reads
LOOK_EVERY: Final = 20.0  # s between two reads without a notice
LISTEN_AGAIN: Final = 5.0  # s before reconnecting to a failed channel layer


class Watcher(Protocol):
    """Connection that watches a board."""

    def show(self, frame: str) -> None:
        """Take the newest frame, replacing one not sent yet."""


class Watch:
    """One board of one deal, read for all its watchers by one task."""

    def __init__(self, deal: Deal, board: BoardName, ladder: Ladder | None) -> None:
        self._deal = deal
        self._board = board
        self._ladder = ladder
        self._watchers: set[Watcher] = set()
        self._newcomers: set[Watcher] = set()  # watchers without their first frame
        self._wanted = asyncio.Event()
        self._frame = ""
        self._is_reading = False
        self._begun_at = -SEND_EVERY  # start of the last read
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._keep_showing())]

    def add(self, watcher: Watcher) -> None:
        """Show the board to `watcher` soon, and whenever it changes."""
        self._watchers.add(watcher)
        if self._frame and not self._is_reading and time.monotonic() - self._begun_at <= SEND_EVERY:
            watcher.show(self._frame)
            return
        self._newcomers.add(watcher)
        if not self._is_reading:
            self._wanted.set()

    def discard(self, watcher: Watcher) -> bool:
        """Stop showing the board to a watcher; return whether it was the last, which ends the watch."""
        self._watchers.discard(watcher)
        self._newcomers.discard(watcher)
        if self._watchers:
            return False
        for task in self._tasks:
            task.cancel()
        return True

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except Exception:
                log.warning("live board receives no change notices", exc_info=True)
            await asyncio.sleep(LISTEN_AGAIN)

    async def _hear(self) -> None:
        layer = cast("Any", get_channel_layer())
        channel = await layer.new_channel()
        groups = (board_group(self._deal.pk), ALL_BOARDS)
        try:
            for group in groups:
                await layer.group_add(group, channel)
            while True:
                await layer.receive(channel)
                self._wanted.set()
        finally:
            with contextlib.suppress(Exception):
                for group in groups:
                    await layer.group_discard(group, channel)

    async def _keep_showing(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), LOOK_EVERY)
            await asyncio.sleep(max(0.0, self._begun_at + SEND_EVERY - time.monotonic()))
            self._wanted.clear()
            shown = self._frame
            try:
                await self._read()
            except Exception:
                log.exception("live board not read", extra={"deal": self._deal.pk})
                self._wanted.set()
                continue
            self._show(self._watchers if self._frame != shown else self._newcomers)

    async def _read(self) -> None:
        self._begun_at, self._is_reading = time.monotonic(), True
        try:
            self._frame = await off_loop(read_frame)(self._deal, self._board, self._ladder)
        finally:
            self._is_reading = False

    def _show(self, watchers: set[Watcher]) -> None:
        for watcher in list(watchers):
            watcher.show(self._frame)
        self._newcomers.clear()


def read_frame(deal: Deal, board: BoardName, ladder: Ladder | None = None) -> str:
    """Return the first page of a board as a live frame: of a ladder, or of the one shown first now."""
    page = PageOut.of(board, *boards.opening(deal, board, ladder))
    return BoardFrame(deal=deal.pk, **dict(page)).model_dump_json()


class Hub:
    """Watches of one event loop."""

    def __init__(self) -> None:
        self._watches: dict[tuple[int, BoardName, Ladder | None], Watch] = {}

    def add(self, deal: Deal, board: BoardName, watcher: Watcher, ladder: Ladder | None = None) -> None:
        """Show a deal's board to `watcher` until `discard`: of a ladder, or of the one shown first."""
        watch = self._watches.get((deal.pk, board, ladder))
        if watch is None:
            watch = self._watches[deal.pk, board, ladder] = Watch(deal, board, ladder)
        watch.add(watcher)

    def discard(self, deal: Deal, board: BoardName, watcher: Watcher, ladder: Ladder | None = None) -> None:
        """Stop showing the board to a watcher."""
        watch = self._watches.get((deal.pk, board, ladder))
        if watch is not None and watch.discard(watcher):
            del self._watches[deal.pk, board, ladder]


_hubs: dict[asyncio.AbstractEventLoop, Hub] = {}


def hub() -> Hub:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    for other in [one for one in _hubs if one.is_closed()]:
        del _hubs[other]
    return _hubs.setdefault(loop, Hub())
