"""Outbox: the order of frames, and clients that do not read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.live.consumer import PlayConsumer
from games.live.sockets import send_queue
from games.live.sockets.send_queue import Outbox
from games.live.table_registry import LiveTables
from tests.games.conftest import Sit


class Wire:
    """The client's end of the connection; it accepts nothing while it is shut."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.open = asyncio.Event()
        self.open.set()
        self.three = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        await self.open.wait()
        self.sent.append(message.get("text", message["type"]))
        if len(self.sent) == 3:
            self.three.set()


async def test_frames_are_sent_in_order() -> None:
    wire = Wire()
    box = Outbox(wire.send)
    wire.open.clear()
    box.put("1")  # goes out without a flush
    await asyncio.sleep(0)
    box.hold()
    box.put("2")
    flushing = asyncio.create_task(box.flush())
    box.put("3")
    await asyncio.sleep(0)
    wire.open.set()
    await flushing
    await asyncio.wait_for(wire.three.wait(), 30)
    assert wire.sent == ["1", "2", "3"]


async def test_held_frames_wait_for_the_flush() -> None:
    wire = Wire()
    box = Outbox(wire.send)
    box.hold()
    box.put("1")
    await asyncio.sleep(0)
    assert wire.sent == []
    await box.flush()
    assert wire.sent == ["1"]


@pytest.mark.django_db(transaction=True)
async def test_a_tab_that_does_not_read_is_disconnected(
    attempt_at: Any, sit: Sit, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send_queue, "MAX_FRAMES", 3)
    attempt = await sync_to_async(attempt_at)()
    closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    stuck, seated = asyncio.Event(), asyncio.Event()
    inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close":
            closed.set_result(message["code"])
        elif '"moved"' in message.get("text", ""):
            await stuck.wait()
        elif "text" in message:
            seated.set()

    scope = {"url_route": {"kwargs": {"attempt": attempt.public_id}}, "user": attempt.player}
    tab = asyncio.create_task(PlayConsumer({**scope, "user": _Signed(attempt.player)}, send, tables).run(inbox.get))
    await inbox.put({"type": "websocket.connect"})
    await inbox.put({"type": "websocket.receive", "text": '{"type":"hello","v":1}'})
    await asyncio.wait_for(seated.wait(), 30)  # otherwise moves may be made before the tab is seated
    seat = sit(attempt)
    await seat.sit()
    for number in range(1, 9):
        assert (await seat.move("d"))["n"] == number
    assert await asyncio.wait_for(closed, 30) == 4408
    stuck.set()
    await inbox.put({"type": "websocket.disconnect"})
    await asyncio.wait_for(tab, 30)


class _Signed:
    def __init__(self, player: Any) -> None:
        self.pk, self.is_authenticated = player.pk, True


@pytest.mark.django_db(transaction=True)
async def test_play_continues_without_the_channel_layer(
    attempt_at: Any, sit: Sit, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        def __getattr__(self, name: str) -> Any:
            async def fails(*_: Any) -> None:
                raise ConnectionError(name)

            return fails

    monkeypatch.setattr(tables.notices, "_layer", Away())
    monkeypatch.setattr("games.core.events.get_channel_layer", Away)
    attempt = await sync_to_async(attempt_at)()
    seat, tab = sit(attempt), sit(attempt)
    await seat.sit()
    await tab.sit()
    assert (await seat.move("d"))["n"] == 1
    assert (await tab.hear())["n"] == 1
    assert (await seat.ask({"type": "resign", "n": 2}))["type"] == "ended"
    await seat.leave()
    await tab.leave()
    assert len(tables) == 0


@pytest.mark.django_db(transaction=True)
async def test_an_unwatched_table_is_dropped(attempt_at: Any, sit: Sit, tables: LiveTables, rival: Any) -> None:
    attempt = await sync_to_async(attempt_at)()
    seat, stranger = sit(attempt), sit(attempt, user=rival)
    await stranger.sit()
    assert len(tables) == 0
    await seat.sit()
    assert len(tables) == 1
    await seat.leave()
    assert len(tables) == 0
