"""Memory: closed sockets are freed at once, and a server process retains nothing of finished games."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from config.http.header_limits import Http
from config.processes.server import Server, listen, server_config
from games.attempts.lifecycle import start_attempt
from games.deals.publishing import practice_deal
from games.live.sockets import message_limit, send_queue
from games.live.sockets.base_consumer import SocketConnection
from games.live.sockets.eviction import open_sockets
from games.live.table_registry import LiveTables
from games.models import Attempt
from games.presence.lanes_consumer import LanesConsumer
from games.races.live.room_consumer import RaceConsumer
from games.races.rooms import open_room
from games.rules import CATALOGUE
from leaderboards.boards.consumer import BoardConsumer
from tests.games.live.sockets.test_socket import cookie_of
from tests.games.seats import PATIENCE, Seat
from tests.services.sockets import until

pytestmark = pytest.mark.django_db(transaction=True)

HELLO = json.dumps({"type": "hello", "v": 1})
End = Callable[[ClientConnection], Awaitable[None]]


class Instances:
    """Weak references to all instances of some classes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *classes: type) -> None:
        self.references: list[weakref.ref[object]] = []
        for one in classes:
            monkeypatch.setattr(one, "__init__", self._recording(one.__init__))  # type: ignore[misc]

    def _recording(self, init: Callable[..., None]) -> Callable[..., None]:
        def recording(instance: object, *args: Any, **kwargs: Any) -> None:
            init(instance, *args, **kwargs)
            self.references.append(weakref.ref(instance))

        return recording

    def alive(self) -> list[str]:
        return [type(found).__name__ for one in self.references if (found := one()) is not None]


@pytest.fixture
def instances(monkeypatch: pytest.MonkeyPatch) -> Instances:
    return Instances(monkeypatch, SocketConnection, LanesConsumer, BoardConsumer, Http)


@pytest_asyncio.fixture
async def port(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """Port of a server that runs the site as in production."""
    monkeypatch.setattr("config.processes.server.tune_collector", lambda: None)
    monkeypatch.setattr("config.processes.server.shorten_switch_interval", lambda: None)
    with listen("127.0.0.1", 0) as listener:
        server = Server(server_config(), lambda: None)
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup(sockets=[listener])
        yield listener.getsockname()[1]
        await server.shutdown(sockets=[listener])


async def freed(instances: Instances) -> None:
    """Wait until all tracked objects are freed."""
    await until(lambda: not instances.alive(), within=PATIENCE)


async def ask(socket: ClientConnection, **message: Any) -> dict[str, Any]:
    await socket.send(json.dumps(message))
    answer: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
    return answer


async def leaves(socket: ClientConnection) -> None:
    await socket.close()


async def breaks_off(socket: ClientConnection) -> None:
    socket.transport.abort()


async def is_refused(socket: ClientConnection) -> None:
    assert (await ask(socket, type="move", n=99, token="d"))["type"] == "error"
    await socket.close()


def to_all(do: Callable[[SocketConnection], object]) -> None:
    """Do something to every open socket; a function, so that no frame in a stored traceback refers to a socket."""
    for one in open_sockets():
        assert isinstance(one, SocketConnection)
        do(one)


async def is_evicted(socket: ClientConnection) -> None:
    to_all(SocketConnection.evict)
    await is_closed(socket)


async def is_handed_over(socket: ClientConnection) -> None:
    to_all(SocketConnection.close_for_restart)
    await is_closed(socket)


async def does_not_read(socket: ClientConnection) -> None:
    for _ in range(send_queue.MAX_FRAMES + 1):
        to_all(lambda one: one.send_frame("{}"))
    with suppress(ConnectionClosed):  # earlier messages must be read now, or only the pings would end the connection
        while True:
            await asyncio.wait_for(socket.recv(), PATIENCE)


async def is_closed(socket: ClientConnection) -> None:
    await asyncio.wait_for(socket.wait_closed(), PATIENCE)


@pytest.mark.parametrize("end", [leaves, breaks_off, is_refused, is_evicted, is_handed_over, does_not_read])
async def test_a_closed_tables_socket_is_freed(attempt_at: Any, port: int, instances: Instances, end: End) -> None:
    attempt = await sync_to_async(attempt_at)()
    cookie = await sync_to_async(cookie_of)(attempt.player)
    gc.disable()
    try:
        async with _connected(port, f"/ws/play/{attempt.public_id}/", cookie) as socket:
            assert (await ask(socket, type="hello", v=1))["type"] == "view"
            assert (await ask(socket, type="move", n=1, token="d"))["type"] == "moved"
            assert "PlayConsumer" in instances.alive()
            await end(socket)
        await freed(instances)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("kind", "consumer"), [("race", RaceConsumer), ("lanes", LanesConsumer), ("board", BoardConsumer)]
)
async def test_other_closed_sockets_are_freed(
    attempt_at: Any, port: int, instances: Instances, kind: str, consumer: type
) -> None:
    attempt = await sync_to_async(attempt_at)()
    room = await sync_to_async(open_room)(attempt.player, "plot", limit_s=600, seats=4)
    cookie = await sync_to_async(cookie_of)(attempt.player)
    where = {"race": room.code, "lanes": attempt.deal_id, "board": attempt.deal_id}[kind]
    gc.disable()
    try:
        async with _connected(port, f"/ws/{kind}/{where}/", cookie) as socket:
            if kind == "race":
                await socket.send(HELLO)
            await asyncio.wait_for(socket.recv(), PATIENCE)
            assert consumer.__name__ in instances.alive()
        await freed(instances)
    finally:
        gc.enable()


def _connected(port: int, path: str, cookie: str) -> connect:
    return connect(
        f"ws://127.0.0.1:{port}{path}",
        origin=f"http://127.0.0.1:{port}",  # type: ignore[arg-type]
        additional_headers={"Cookie": cookie},
        compression=None,
    )


#: These may grow: with the tokens of a game's vocabulary seen so far, and with the games of the last two seconds, as
#: the allowance of each socket has a timer until it is full again, and asyncio frees cancelled timers late.
BOUNDED = {"games.rules.tokens.Move", "asyncio.events.TimerHandle"}
MODULES = ("games.", "asyncio.", "_asyncio.", "channels.", "config.")


def living_objects() -> Counter[str]:
    """Count the living objects of our own code, asyncio and Channels, by type."""
    gc.collect()
    names = (f"{type(thing).__module__}.{type(thing).__qualname__}" for thing in gc.get_objects())
    return Counter(name for name in names if name.startswith(MODULES) and name not in BOUNDED)


def begin(player: Any, variant: str) -> Attempt:
    attempt = start_attempt(player, practice_deal(variant))
    attempt.player = player
    return attempt


async def play_games(count: int, tables: LiveTables, player: Any) -> None:
    """Play games of every variant in turn on two connections each; some are resigned, some just left."""
    for number in range(count):
        attempt = await sync_to_async(begin)(player, list(CATALOGUE)[number % len(CATALOGUE)])
        seats = [Seat(tables, attempt.public_id, player) for _ in range(2)]
        for seat in seats:
            await seat.sit()
        for _ in range(4):
            if seats[0].legal:
                await seats[0].move(seats[0].legal[0])
                await seats[1].hear()
        if number % 2:
            await seats[0].ask({"type": "resign", "n": seats[0].n})
        for seat in seats:
            await seat.leave()


async def test_finished_games_leave_no_objects(
    tables: LiveTables, player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts after a first round of all variants, which fills permanent caches, and again after two more."""
    monkeypatch.setattr(message_limit.Allowance, "spend", lambda _self: 0)  # faster than people play
    layer: Any = get_channel_layer()
    await play_games(9, tables, player)
    before, groups = living_objects(), len(layer.groups)
    await play_games(18, tables, player)
    after = living_objects()
    assert len(tables) == 0
    assert not tables._users
    assert len(layer.groups) == groups
    grown = {name: (before[name], count) for name, count in after.items() if count > before[name] + 3}
    assert not grown
