"""Sockets of lost networks: everyone is back at once, and a page notices by itself that its connection is dead."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from websockets.asyncio.client import ClientConnection, connect

from games.live.sockets.eviction import open_sockets
from games.races.rooms import open_room
from tests.browser.conftest import Visit
from tests.browser.table_driver import deal
from tests.factories import make_account, signed_in
from tests.games.live.sockets.test_freed import port
from tests.ordinary_life.page_clock import PageClock
from tests.ordinary_life.relay import Relay

__all__ = ["port"]

#: Seconds for a busy machine.
PATIENCE = 30.0
PLAYERS, VISITORS = 39, 2


def room_and_cookies() -> tuple[str, list[str]]:
    """Return a room, and the cookies of the people of a school who have it open."""
    players = [make_account(f"Pupil {n}") for n in range(PLAYERS)]
    sessions = [signed_in(player).cookies["sessionid"].value for player in players]
    room = open_room(players[0], "plot", limit_s=600, seats=4)
    return room.code, [*(f"sessionid={session}" for session in sessions), *[""] * VISITORS]


async def arrive(stack: AsyncExitStack, relay: Relay, code: str, cookie: str, page: str) -> ClientConnection:
    """Open a connection, and wait until it shows the room."""
    url = f"ws://127.0.0.1:{relay.port}/ws/race/{code}/?page={page}"
    origin: Any = f"http://127.0.0.1:{relay.port}"
    socket = await stack.enter_async_context(
        connect(url, origin=origin, additional_headers={"Cookie": cookie}, compression=None, close_timeout=0.1)
    )
    await socket.send(json.dumps({"type": "hello", "v": 1}))
    while json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))["type"] != "room":
        pass
    return socket


@pytest.mark.django_db(transaction=True)
async def test_all_people_of_one_address_are_back_after_a_lost_network(port: int) -> None:
    """The server has heard of none of the losses when they return, nor can it close the old connections."""
    code, cookies = await sync_to_async(room_and_cookies)()
    people = [(cookie, "room" if cookie else f"visitor{n}") for n, cookie in enumerate(cookies)]
    async with AsyncExitStack() as stack:
        relay = stack.enter_context(Relay(port, forwarded_for="203.0.113.7"))
        for _ in range(3):
            await asyncio.gather(*(arrive(stack, relay, code, *person) for person in people))
            assert len([socket for socket in open_sockets() if socket.player_id is not None]) == PLAYERS
            relay.swallow()
            relay.restore()
        relay.cut()


def test_a_dead_connection_is_noticed_without_a_signal(visit: Visit, relay: Relay) -> None:
    page = visit(fresh=True)
    clock = PageClock(page)
    page.goto("/play/labyrinth/")
    deal(page)
    page.wait_for_selector("#connection[aria-label=Connected]")
    relay.swallow(up=False)
    clock.advance(8)
    page.wait_for_selector("#lost:not([hidden])")
    relay.restore()
    clock.advance(4)
    page.wait_for_selector("#connection[aria-label=Connected]")
    page.keyboard.press("d")
    page.wait_for_function("() => document.querySelector('#felt').dataset.confirmed === '1'")
