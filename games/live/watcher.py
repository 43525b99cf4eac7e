"""Watchers follow a subject, such as a board or a room, for all its viewers in this process.

Each subject has one task, which reads it once for all viewers: after change notices, which are coalesced, and
periodically, because notices can be lost. A subject is opened for its first viewer and closed after its last.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, Generic, Protocol, TypeVar

from django.db import Error

from games.live.broadcasts import GroupSubscription, Notice

log = logging.getLogger(__name__)

#: Seconds until failed work is retried.
RETRY_EVERY: Final = 1.0
#: Seconds after which a group is joined again, because channel layers expire memberships.
JOINED_FOR: Final = 5.0

_Key = TypeVar("_Key", bound=Hashable)
_Snapshot = TypeVar("_Snapshot")

Duty = Callable[[], Awaitable[float]]
"""Does what is due now, and returns when it wants to run next, on the monotonic clock. A wake-up runs it earlier."""


@dataclass(frozen=True)
class Source(Generic[_Snapshot]):
    """Source of a watcher's data: how to load it, and how often."""

    load: Callable[[], Awaitable[_Snapshot]]
    listen: Callable[[], Awaitable[None]]
    """Subscribe to change notices; called before each read, so that no change after it is missed."""
    every: float
    """Minimum seconds between two reads."""
    next_poll: Callable[[], float]
    """Return the time of the next read without a notice."""


class Watcher(Generic[_Snapshot]):
    """A task that reads one subject, shows what it has read, and runs other duties."""

    def __init__(self, source: Source[_Snapshot], show: Callable[[_Snapshot], Awaitable[None]], *duties: Duty) -> None:
        self._source = source
        self._show = show
        self._duties = (self._read_if_due, *duties)
        self._wake = asyncio.Event()
        self._is_stale = False
        self._earliest = 0.0
        """Time before which the subject is not read again."""
        self._poll_at = source.next_poll()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the task; the first read comes with the first poll or `schedule_read`."""
        self._task = asyncio.create_task(self._loop())

    def close(self) -> None:
        """Stop the task."""
        if self._task is not None:
            self._task.cancel()

    def wake(self) -> None:
        """Run all duties now."""
        self._wake.set()

    def schedule_read(self) -> None:
        """Schedule a read."""
        self._is_stale = True
        self._wake.set()

    def refresh(self) -> None:
        """Schedule a read unless there was one just now."""
        if monotonic() >= self._earliest:
            self.schedule_read()

    async def _loop(self) -> None:
        while True:
            self._wake.clear()
            next_at = min([await self._run(duty) for duty in self._duties])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(next_at - monotonic() + 0.001):
                    await self._wake.wait()

    @staticmethod
    async def _run(duty: Duty) -> float:
        try:
            return await duty()
        except Error:
            log.warning("the database could not be reached", exc_info=True)
        except Exception:
            log.exception("a watcher failed")
        return monotonic() + RETRY_EVERY

    async def _read_if_due(self) -> float:
        if monotonic() >= self._reads_at():
            await self._read()
            self._wake.set()  # the other duties depend on what was read
        return self._reads_at()

    def _reads_at(self) -> float:
        return min(self._earliest, self._poll_at) if self._is_stale else self._poll_at

    async def _read(self) -> None:
        self._is_stale, self._poll_at = False, self._source.next_poll()
        self._earliest = monotonic() + self._source.every
        try:
            await self._source.listen()
            await self._show(await self._source.load())
        except Exception:
            self._is_stale, self._earliest = True, max(self._earliest, monotonic() + RETRY_EVERY)
            raise


class FrameViewer(Protocol):
    """A connection that is shown a subject's newest frame."""

    def show(self, frame: str) -> None:
        """Queue the newest frame, replacing one that has not been sent yet."""


class FrameWatch:
    """A subject that is shown as one frame, sent to all viewers whenever it has changed."""

    def __init__(self, source: Source[str | None]) -> None:
        """Start watching. A source without a frame, such as a closed deal, leaves the last one standing."""
        self._viewers: set[FrameViewer] = set()
        self._frame = ""
        self._watcher = Watcher(source, self._show)
        self._watcher.schedule_read()
        self._watcher.start()
        self.schedule_read = self._watcher.schedule_read
        self.close = self._watcher.close

    def add(self, viewer: FrameViewer) -> None:
        """Show the frame to a viewer as soon as there is one, and whenever it changes."""
        self._viewers.add(viewer)
        if self._frame:
            viewer.show(self._frame)
        self._watcher.refresh()

    def discard(self, viewer: FrameViewer) -> None:
        """Remove a viewer."""
        self._viewers.discard(viewer)

    async def _show(self, frame: str | None) -> None:
        if frame is None or frame == self._frame:
            return
        self._frame = frame
        for viewer in list(self._viewers):
            viewer.show(frame)


class Watched(Protocol):
    """A subject with its viewers in this process."""

    def add(self, viewer: Any) -> None:  # noqa: ANN401
        """Show the subject to a viewer."""

    def discard(self, viewer: Any) -> None:  # noqa: ANN401
        """Remove a viewer."""

    def close(self) -> None:
        """Stop watching."""


_Subject = TypeVar("_Subject", bound=Watched)


class Hub(ABC, Generic[_Key, _Subject]):
    """The watched subjects of a process, and its subscription to notices about them."""

    PREFIX: str

    def __init__(self) -> None:
        self._notices = GroupSubscription(self._on_notice, self.PREFIX)
        self._watches: dict[_Key, _Subject] = {}
        self._users: Counter[_Key] = Counter()
        self._opening: dict[_Key, asyncio.Lock] = {}
        self._joining: dict[str, asyncio.Lock] = {}
        self._joined_at: dict[str, float] = {}

    async def join(self, key: _Key, viewer: Any) -> _Subject:  # noqa: ANN401
        """Show a subject to a viewer until `leave`, and return it.

        :raises Exception: from `_opened`.
        """
        self._users[key] += 1
        try:
            async with self._opening.setdefault(key, asyncio.Lock()):
                if key not in self._watches:
                    self._watches[key] = await self._opened(key)
            self._watches[key].add(viewer)
        except BaseException:
            self.leave(key, viewer)
            raise
        return self._watches[key]

    def leave(self, key: _Key, viewer: Any) -> None:  # noqa: ANN401
        """Remove a viewer; a subject without viewers is closed."""
        if key in self._watches:
            self._watches[key].discard(viewer)
        self._users[key] -= 1
        if self._users[key]:
            return
        del self._users[key], self._opening[key]
        if (watch := self._watches.pop(key, None)) is not None:
            watch.close()

    async def close(self) -> None:
        """Stop watching."""
        for watch in self._watches.values():
            watch.close()
        await self._notices.close()

    async def listen(self, *groups: str) -> None:
        """Subscribe to groups, except those joined recently, perhaps for another subject.

        A process never leaves a group: a concurrent leave and join could end unsubscribed. So groups must be few.
        """
        for group in groups:
            async with self._joining.setdefault(group, asyncio.Lock()):
                if monotonic() - self._joined_at.get(group, -JOINED_FOR) >= JOINED_FOR:
                    await self._notices.watch(group)
                    self._joined_at[group] = monotonic()

    @abstractmethod
    async def _opened(self, key: _Key) -> _Subject:
        """Start watching a subject."""

    @abstractmethod
    def _on_notice(self, notice: Notice) -> None:
        """Handle a notice; not every subject it is about need be watched here."""
