"""Draining: a stopping process answers what has arrived, then closes its connections with 1012."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator

from games.attempts.lifecycle import journal_of
from games.live import draining
from games.live.protocol import CLOSE_RESTART
from games.live.sockets.eviction import open_sockets
from games.live.table_registry import shared_tables
from tests.games.live.sockets.test_socket import ask, cookie_of, opened, socket
from tests.games.seats import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)
CLOSED = {"type": "websocket.close", "code": CLOSE_RESTART}


@pytest.fixture
async def attempt(attempt_at: Any) -> AsyncIterator[Any]:
    yield await sync_to_async(attempt_at)()
    await shared_tables().close()


async def line_to(attempt: Any) -> ApplicationCommunicator:
    return socket(attempt.public_id, cookie=await sync_to_async(cookie_of)(attempt.player))


async def seated(attempt: Any) -> ApplicationCommunicator:
    line = await line_to(attempt)
    assert await opened(line) == "websocket.accept"
    assert (await ask(line, {"type": "hello", "v": 1}))["type"] == "view"
    return line


def drained(*, hurried: bool = False) -> asyncio.Task[None]:
    return asyncio.create_task(draining.drain(lambda: hurried))


async def ended(line: ApplicationCommunicator) -> None:
    await line.send_input({"type": "websocket.disconnect", "code": CLOSE_RESTART})
    await line.wait(PATIENCE)


async def test_received_messages_are_answered_before_the_close(attempt: Any) -> None:
    line = await seated(attempt)
    for n in (1, 2, 3):
        await line.send_input({"type": "websocket.receive", "text": json.dumps({"type": "move", "n": n, "token": "d"})})
    draining_all = drained()
    answers = [json.loads((await line.receive_output(PATIENCE))["text"]) for _ in range(3)]
    assert [(answer["type"], answer["n"]) for answer in answers] == [("moved", 1), ("moved", 2), ("moved", 3)]
    assert await line.receive_output(PATIENCE) == CLOSED
    assert not draining_all.done()
    await ended(line)
    await draining_all
    assert len(open_sockets()) == 0
    assert len(await sync_to_async(journal_of)(attempt.pk)) == 3


async def test_messages_after_the_close_are_left_unanswered(attempt: Any) -> None:
    line = await seated(attempt)
    draining_all = drained()
    assert await line.receive_output(PATIENCE) == CLOSED
    await line.send_input({"type": "websocket.receive", "text": '{"type":"move","n":1,"token":"d"}'})
    await ended(line)
    await draining_all
    assert await line.receive_nothing()
    assert await sync_to_async(journal_of)(attempt.pk) == []


async def test_a_connecting_socket_is_accepted_and_closed_with_1012(attempt: Any) -> None:
    sitting, coming = await seated(attempt), await line_to(attempt)
    draining_all = drained()
    assert await sitting.receive_output(PATIENCE) == CLOSED
    assert await opened(coming) == "websocket.accept"
    assert await coming.receive_output(PATIENCE) == CLOSED
    for line in (sitting, coming):
        await ended(line)
    await draining_all


class Listed:
    """A connection that records when it is closed_at to leave."""

    player_id = session = None

    def __init__(self, closed_at: list[float]) -> None:
        self.closed_at = closed_at
        open_sockets().add(self)

    def evict(self) -> None: ...

    def close_for_restart(self) -> None:
        self.closed_at.append(asyncio.get_running_loop().time())
        open_sockets().discard(self)


async def test_connections_are_closed_gradually_unless_hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real(0)

    monkeypatch.setattr("games.live.draining.asyncio.sleep", sleep)
    closed_at: list[float] = []
    connections = [Listed(closed_at) for _ in range(2_000)]
    await draining.drain(lambda: False)
    assert len(closed_at) == len(connections)
    assert max(slept) > draining.SECONDS * 0.9, "the last ones keep playing this long"
    slept.clear()
    connections = [Listed(closed_at) for _ in range(2_000)]
    await draining.drain(lambda: True)
    assert len(closed_at) == 4_000
    assert slept == []


async def test_a_stuck_connection_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draining, "PATIENCE", 0.05)
    stuck = Listed([])
    monkeypatch.setattr(stuck, "close_for_restart", lambda: None)
    await draining.drain(lambda: False)
    open_sockets().discard(stuck)


async def test_the_journal_is_closed_at_the_end(attempt: Any) -> None:
    line = await seated(attempt)
    tables = shared_tables()
    assert (await ask(line, {"type": "move", "n": 1, "token": "d"}))["type"] == "moved"
    draining_all = drained()
    assert await line.receive_output(PATIENCE) == CLOSED
    await ended(line)
    await draining_all
    await draining.finish()
    assert tables.journal._thread is None
    assert shared_tables() is not tables, "a loop that keeps running gets new ones"
