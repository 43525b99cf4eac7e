"""Hosts who have disappeared, and their successors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games.races.live import host_succession, room_hub
from games.races.live.host_succession import HostPresence
from games.races.models import Room
from tests.games.races.conftest import House, Watch, house_of
from tests.games.races.runs import Run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("states", "then"),
    [
        ("open seated seated seated", "open seated seated"),
        ("countdown seated seated seated", "racing retired seated seated"),
        ("racing racing racing racing", "racing retired racing racing"),
    ],
)
def test_a_deleted_host_is_replaced_and_blocks_no_one(states: str, then: str) -> None:
    make: Callable[[int], Run] = {"o": Run.of, "c": Run.counting, "r": Run.racing}[states[0]]
    run = make(3)
    assert run.states() == states
    run.players[0].delete()
    run.tend(20)
    assert Room.objects.get(pk=run.room.pk).host_id == run.players[1].pk
    assert run.states() == then


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_succession, "HOST_TIMEOUT", 0.6)
    monkeypatch.setattr(host_succession, "HEARTBEAT_EVERY", 0.1)


async def host_of(house: House) -> int | None:
    return (await Room.objects.aget(pk=house.room.pk)).host_id


async def test_a_new_host_gets_time_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(host_succession, "monotonic", lambda: now)
    audience: Any = SimpleNamespace(facts=SimpleNamespace(host_id=7), heirs=lambda: [1], has_host=lambda: True)
    presence = HostPresence(audience, lambda *_: None)
    for host_id, seen, second, since in [(7, None, 110, 100), (7, 7, 120, 120), (8, 7, 130, 130), (8, None, 140, 130)]:
        now, audience.facts.host_id = float(second), host_id
        if seen:
            presence.mark_seen(seen)
        assert await presence.replace_if_absent() == since + host_succession.HOST_TIMEOUT
    now = 130 + host_succession.HOST_TIMEOUT  # the host has the room open and is not replaced
    assert await presence.replace_if_absent() == now + host_succession.HOST_TIMEOUT
    audience.facts.host_id = None
    assert await presence.replace_if_absent() == inf


@pytest.mark.usefixtures("quick")
async def test_a_connected_player_replaces_a_missing_host(watch: Watch, other_hub: room_hub.RoomHub) -> None:
    """The longest-seated player is skipped because their connection is lost too."""
    house = await house_of(3)
    third, host = await watch(house, house.players[2], at=other_hub), await watch(house, house.players[0])
    await host.leave()
    await third.until_room(lambda one: one.you["host"])
    assert await host_of(house) == house.players[2].pk


@pytest.mark.usefixtures("quick")
async def test_the_host_is_not_replaced_during_a_countdown(watch: Watch, hub: room_hub.RoomHub) -> None:
    house = await house_of(2)
    # Before the first viewer: the timeout is so short here that a slow start could exceed it.
    await sync_to_async(house.start)(3600)
    second = await watch(house, house.players[1])
    await second.until_room(lambda one: one.race("to_come").get("state") == "countdown")
    (watched,) = hub._watches.values()
    assert watched.audience.heirs() == []
    assert await host_of(house) == house.players[0].pk


async def test_a_closed_hub_sends_no_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    monkeypatch.setattr(room_hub, "HEARTBEATS_WITHIN", 0.01)
    monkeypatch.setattr("games.races.live.room_hub.notifier.send", lambda *message, about: sent.append(message))
    hub = room_hub.RoomHub()
    hub.send_heartbeat(1, [2], None)
    await hub.close()
    await asyncio.sleep(0.05)
    assert sent == []
