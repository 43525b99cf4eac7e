"""Thread pools for calls from the event loop, and providers registered by higher layers."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from games.core.registry import Provider
from games.core.thread_pool import PoolFullError, ThreadPool

PATIENCE = 60

said: contextvars.ContextVar[str] = contextvars.ContextVar("said", default="nothing")


async def test_a_full_queue_refuses_calls() -> None:
    pool, go = ThreadPool("tested", 1, queue=2), threading.Event()
    calls = [asyncio.create_task(pool.run(go.wait, PATIENCE)) for _ in range(3)]
    await asyncio.sleep(0)
    assert pool.in_work == 3
    with pytest.raises(PoolFullError):
        await pool.run(len, "four")
    go.set()
    assert await asyncio.gather(*calls) == [True] * 3
    assert await pool.run(len, "four") == 4


async def test_context_changes_of_a_call_are_isolated() -> None:
    def say(what: str) -> str:
        before = said.get()
        said.set(what)
        return before

    pool = ThreadPool("tested", 1)
    said.set("here")
    assert [await pool.run(say, what) for what in ("a", "b")] == ["here", "here"]
    assert said.get() == "here"


async def test_a_cancelled_caller_does_not_stop_its_call() -> None:
    pool, begun, go, over = ThreadPool("tested", 1), threading.Event(), threading.Event(), threading.Event()

    def call() -> None:
        begun.set()
        assert go.wait(PATIENCE)
        over.set()

    waiting = asyncio.create_task(pool.run(call))
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go.set()
    assert await asyncio.to_thread(over.wait, PATIENCE)
    assert await asyncio.wait_for(pool.run(len, "four"), PATIENCE) == 4


def test_latest_implementation_is_used() -> None:
    provider = Provider[str]()
    with pytest.raises(AttributeError):
        provider()
    provider.register("first")
    provider.register("second")
    assert provider() == "second"
