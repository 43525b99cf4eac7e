"""Live boards: frames to watchers, and their timing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer
from django.db import OperationalError

from accounts.names.renaming import rename_player
from config.asgi import application
from games.live.sockets.frame_socket import CLOSE_NOT_FOUND
from leaderboards.boards import consumer as board_consumer
from leaderboards.boards import live_boards
from leaderboards.boards.entries import board_group
from leaderboards.boards.rank_keys import BoardScore
from tests import factories
from tests.factories import make_deal
from tests.services.sockets import until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_boards, "SEND_EVERY", 0.05)


class Watcher:
    """A browser at a live board."""

    def __init__(self, deal_id: int, query: str = "", origin: str = "http://127.0.0.1:8000") -> None:
        self._socket = ApplicationCommunicator(
            application,
            {
                "type": "websocket",
                "path": f"/ws/board/{deal_id}/",
                "query_string": query.lstrip("?").encode(),
                "headers": [(b"origin", origin.encode()), (b"host", b"127.0.0.1:8000")],
                "subprotocols": [],
            },
        )

    async def connect(self) -> bool:
        await self._socket.send_input({"type": "websocket.connect"})
        return bool((await self.message())["type"] == "websocket.accept")

    async def message(self) -> dict[str, Any]:
        found: dict[str, Any] = await self._socket.receive_output(60)
        return found

    async def frame(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((await self.message())["text"])
        return found

    async def is_quiet(self, seconds: float) -> bool:
        """Return whether nothing arrives for this time."""
        return bool(await self._socket.receive_nothing(seconds))

    async def disconnect(self) -> None:
        await self._socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await self._socket.wait(60)


listed = sync_to_async(factories.listed)


async def test_a_watcher_during_an_outage_is_asked_to_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_deal_id: int) -> None:
        raise OperationalError

    monkeypatch.setattr(board_consumer, "_deal", away)
    watcher = Watcher(1)
    assert await watcher.connect()
    assert await watcher.message() == {"type": "websocket.close", "code": 4303}
    await watcher.disconnect()


async def test_all_watchers_get_the_board_now_and_on_changes() -> None:
    deal = await sync_to_async(make_deal)()
    first, second, fewest = Watcher(deal.pk), Watcher(deal.pk), Watcher(deal.pk, "?board=fewest")
    for watcher in (first, second, fewest):
        assert await watcher.connect()
        found = await watcher.frame()
        assert (found["type"], found["deal"], found["total"], found["entries"]) == ("board", deal.pk, 0, [])
    result = await listed(deal, BoardScore(20, 100, 40))
    for watcher in (first, second, fewest):
        found = await watcher.frame()
        assert [(e["rank"], e["attempt"]) for e in found["entries"]] == [(1, str(result.attempt.public_id))]
        await watcher.disconnect()
    assert (found["board"], bytes(deal.seed).hex() in json.dumps(found)) == ("fewest", False)


async def test_frames_are_rate_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_boards, "SEND_EVERY", 3_600.0)
    deal = await sync_to_async(make_deal)()
    watcher = Watcher(deal.pk)
    await watcher.connect()
    assert (await watcher.frame())["total"] == 0
    await listed(deal, BoardScore(20, 1, 40))
    layer = get_channel_layer()
    assert layer is not None
    for _ in range(10):
        await layer.group_send(board_group(deal.pk), {"type": "board.changed", "deal": deal.pk})
    assert await watcher.is_quiet(0.3)  # the second frame is not due yet
    await watcher.disconnect()


async def test_a_lost_notice_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_boards, "POLL_EVERY", 0.1)
    monkeypatch.setattr("leaderboards.boards.entries.notify_watchers", lambda _deal: None)
    deal = await sync_to_async(make_deal)()
    watcher = Watcher(deal.pk)
    await watcher.connect()
    await watcher.frame()
    await listed(deal, BoardScore(20, 1, 40))
    assert (await watcher.frame())["total"] == 1
    await watcher.disconnect()


async def test_a_changed_name_reaches_all_watchers() -> None:
    deal = await sync_to_async(make_deal)()
    result = await listed(deal, BoardScore(20, 1, 40))
    watcher = Watcher(deal.pk)
    await watcher.connect()
    assert (await watcher.frame())["entries"][0]["name"] == result.player.display_name
    await sync_to_async(rename_player)(result.player, "Grace")
    assert (await watcher.frame())["entries"][0]["name"] == "Grace"
    await watcher.disconnect()


async def test_a_broken_connection_leaves_no_watcher(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_asked: Any) -> str:
        raise OSError("the database is away")

    monkeypatch.setattr(live_boards, "read_frame", broken)
    deal = await sync_to_async(make_deal)()
    before = board_consumer.BoardConsumer.SOCKETS._value.get()
    watcher = Watcher(deal.pk)
    await watcher.connect()
    await until(lambda: bool(live_boards.hub()._watches), within=60)
    watcher._socket.future.cancel()
    await watcher._socket.wait(60)
    assert not live_boards.hub()._watches
    assert board_consumer.BoardConsumer.SOCKETS._value.get() == before


@pytest.mark.parametrize("query", ["", "?board=best"])
async def test_an_unknown_board_is_closed(query: str) -> None:
    deal_id = 0 if not query else (await sync_to_async(make_deal)()).pk
    watcher = Watcher(deal_id, query)
    await watcher.connect()
    message = await watcher.message()
    assert message == {"type": "websocket.close", "code": CLOSE_NOT_FOUND}
    await watcher.disconnect()


async def test_a_slow_reader_gets_only_the_newest_frame() -> None:
    sent: list[str] = []
    gate = asyncio.Event()

    async def slow(message: dict[str, Any]) -> None:
        await gate.wait()
        sent.append(message["text"])

    consumer = board_consumer.BoardConsumer({}, slow)
    for text in ("1", "2", "3", "4"):
        consumer.show(text)
        await asyncio.sleep(0)
    gate.set()
    assert consumer._sender is not None
    await consumer._sender
    assert sent == ["1", "4"]
