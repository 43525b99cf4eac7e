"""The embedded channel layer delivers at once from any thread."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import warnings
from typing import Any
from unittest.mock import Mock

import pytest
from asgiref.sync import async_to_sync

from config.backends.layers import ThreadedMemoryLayer


async def receiving(layer: ThreadedMemoryLayer) -> tuple[asyncio.Task[Any], str]:
    channel = await layer.new_channel()
    await layer.group_add("board.1", channel)
    task = asyncio.create_task(layer.receive(channel))
    await asyncio.sleep(0)
    return task, channel


async def test_a_group_message_from_a_thread_arrives_at_once() -> None:
    layer = ThreadedMemoryLayer()
    task, _ = await receiving(layer)
    sent: list[float] = []

    def work() -> None:
        sent.append(time.monotonic())
        async_to_sync(layer.group_send)("board.1", {"type": "board.changed"})

    thread = threading.Thread(target=work)
    thread.start()
    assert await asyncio.wait_for(task, 60) == {"type": "board.changed"}
    assert time.monotonic() - sent[0] < 0.5
    await asyncio.to_thread(thread.join)


async def test_a_channel_message_from_a_thread_arrives_at_once() -> None:
    layer = ThreadedMemoryLayer()
    task, channel = await receiving(layer)
    await asyncio.to_thread(async_to_sync(layer.send), channel, {"type": "x"})
    assert await asyncio.wait_for(task, 60) == {"type": "x"}


async def test_the_same_loop_sends_directly() -> None:
    layer = ThreadedMemoryLayer()
    task, _ = await receiving(layer)
    await layer.group_send("board.1", {"type": "x"})
    assert await asyncio.wait_for(task, 60) == {"type": "x"}


def test_a_closed_loop_blocks_nothing() -> None:
    layer = ThreadedMemoryLayer()

    async def listen_once() -> None:
        task, channel = await receiving(layer)
        await layer.send(channel, {"type": "x"})
        await task

    asyncio.run(listen_once())
    async_to_sync(layer.group_send)("board.1", {"type": "late"})


async def test_a_loop_closed_before_sending_leaves_nothing() -> None:
    layer = ThreadedMemoryLayer()
    ending: Any = Mock(is_running=lambda: True, call_soon_threadsafe=lambda _: None)
    layer._loop = ending
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await layer.group_send("board.1", {"type": "x"})
        gc.collect()
    assert [str(warning.message) for warning in heard] == []
