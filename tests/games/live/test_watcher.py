"""Watchers: one read for all viewers, coalesced notices, and nothing left after the last viewer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic

import pytest

from games.live import watcher
from games.live.broadcasts import Notice
from games.live.watcher import FrameWatch, Hub, Source, Watcher
from tests.games.seats import PATIENCE


def source(load: Callable[[], Awaitable[str | None]]) -> Source[str | None]:
    """A source that may be read at any time, and is not polled while the test runs."""
    return Source(load, lambda: asyncio.sleep(0), 0.0, lambda: monotonic() + 3600)


class Shown:
    def __init__(self) -> None:
        self.frames: asyncio.Queue[str] = asyncio.Queue()

    def show(self, frame: str) -> None:
        self.frames.put_nowait(frame)

    async def next(self) -> str:
        return await asyncio.wait_for(self.frames.get(), PATIENCE)


async def test_notices_during_a_read_cause_one_more_read() -> None:
    reads, gate = asyncio.Queue[int](), asyncio.Semaphore(0)
    count = 0

    async def load() -> str:
        nonlocal count
        count += 1
        reads.put_nowait(count)
        await gate.acquire()
        return str(count)

    watch, viewer = FrameWatch(source(load)), Shown()
    watch.add(viewer)
    assert await asyncio.wait_for(reads.get(), PATIENCE) == 1
    for _ in range(10):
        watch.schedule_read()
    gate.release()
    assert await asyncio.wait_for(reads.get(), PATIENCE) == 2
    gate.release()
    assert [await viewer.next(), await viewer.next()] == ["1", "2"]
    watch.schedule_read()
    gate.release()
    assert await viewer.next() == "3"
    watch.close()


async def test_failed_work_is_retried_and_stops_no_other_duty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "RETRY_EVERY", 0.0)
    failures, shown, done = [OSError(), ValueError()], asyncio.Event(), asyncio.Event()

    async def load() -> str:
        if failures:
            raise failures.pop()
        return "frame"

    async def show(_frame: str | None) -> None:
        shown.set()

    async def duty() -> float:
        done.set()
        return inf

    watch = Watcher(source(load), show, duty)
    watch.schedule_read()
    watch.start()
    await asyncio.wait_for(done.wait(), PATIENCE)
    await asyncio.wait_for(shown.wait(), PATIENCE)
    watch.close()


class Frames(Hub[str, FrameWatch]):
    PREFIX = "test."

    async def _opened(self, key: str) -> FrameWatch:
        if not key:
            raise LookupError

        async def load() -> str:
            return key

        return FrameWatch(source(load))

    def _on_notice(self, notice: Notice) -> None:
        raise AssertionError(notice)


async def test_a_subject_is_opened_once_and_closed_after_its_last_viewer() -> None:
    hub, viewers = Frames(), [Shown(), Shown()]
    assert len({id(watch) for watch in await asyncio.gather(*(hub.join("key", one) for one in viewers))}) == 1
    assert [await viewer.next() for viewer in viewers] == ["key", "key"]
    hub.leave("key", viewers[0])
    assert hub._watches
    hub.leave("key", viewers[1])
    assert [hub._watches, hub._users, hub._opening] == [{}, {}, {}]


async def test_a_subject_that_cannot_be_opened_leaves_nothing() -> None:
    hub = Frames()
    with pytest.raises(LookupError):
        await hub.join("", Shown())
    assert [hub._watches, hub._users, hub._opening] == [{}, {}, {}]
