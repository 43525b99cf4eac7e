"""Calls go from the event loop to a few threads that stay, and back."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from games.hops import Hops

PATIENCE = 60

said: contextvars.ContextVar[str] = contextvars.ContextVar("said", default="nothing")


@pytest.fixture
def hops() -> Hops:
    return Hops("tested", 3)


async def test_calls_one_after_another_share_a_thread(hops: Hops) -> None:
    threads = [await hops.run(threading.current_thread) for _ in range(5)]
    assert len(set(threads)) == 1
    assert threads[0] is not threading.current_thread()
    assert threads[0].is_alive()
    assert hops.in_work == 0


async def test_as_many_threads_as_calls_and_no_more_than_there_may_be(hops: Hops) -> None:
    go, running = threading.Event(), threading.Semaphore(0)

    def call() -> threading.Thread:
        running.release()
        assert go.wait(PATIENCE)
        return threading.current_thread()

    calls = [asyncio.create_task(hops.run(call)) for _ in range(5)]
    await asyncio.sleep(0)
    for _ in range(3):
        assert await asyncio.to_thread(running.acquire, timeout=PATIENCE)
    assert not running.acquire(blocking=False)
    assert hops.in_work == 5
    go.set()
    assert len(set(await asyncio.gather(*calls))) == 3
    assert hops.in_work == 0


async def test_a_failure_is_told_and_the_thread_goes_on(hops: Hops) -> None:
    def fail(what: str, *, how: str) -> None:
        raise KeyError(what, how)

    for _ in range(4):
        with pytest.raises(KeyError, match=r"a fault.*badly"):
            await hops.run(fail, "a fault", how="badly")
    assert await asyncio.wait_for(hops.run(len, "four"), PATIENCE) == 4


async def test_what_a_call_sets_is_seen_by_nobody_else(hops: Hops) -> None:
    def say(what: str) -> str:
        before = said.get()
        said.set(what)
        return before

    said.set("here")
    assert [await hops.run(say, what) for what in ("a", "b")] == ["here", "here"]
    assert said.get() == "here"


async def test_who_stops_waiting_stops_nobody_else(hops: Hops) -> None:
    go, over = threading.Event(), threading.Event()

    def call() -> None:
        assert go.wait(PATIENCE)
        over.set()

    waiting = asyncio.create_task(hops.run(call))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go.set()
    assert await asyncio.to_thread(over.wait, PATIENCE)
    assert await asyncio.wait_for(hops.run(len, "four"), PATIENCE) == 4


def test_a_loop_that_has_gone_takes_no_thread_along(hops: Hops) -> None:
    go, over = threading.Event(), threading.Event()

    def call() -> None:
        assert go.wait(PATIENCE)
        over.set()

    async def leave() -> None:
        waiting = asyncio.create_task(hops.run(call))
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(leave())
    go.set()
    assert over.wait(PATIENCE)
    assert asyncio.run(hops.run(len, "four")) == 4
