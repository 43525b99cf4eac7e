"""Database outages, missing hosts and dishonest clients: a server fault harms no rating."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.models import User
from games.core.errors import Refusal
from games.live import protocol as table_protocol
from games.models import Attempt
from games.races import finishing, starting
from games.races.live import host_succession, protocol, room_hub
from games.races.live.host_succession import HostPresence
from games.races.models import Entrant, Race, Room
from leaderboards.models import RatedRace, Rating, RatingChange
from leaderboards.ratings import folding
from tests.games.races.conftest import House, Watch, house_of
from tests.games.races.runs import Run, at, goal

pytestmark = pytest.mark.django_db(transaction=True)

Away = Callable[[], Any]


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Away:
    """A database outage: calls fail while it lasts."""

    def refuse(*_: Any) -> None:
        raise OperationalError("the database is away")

    @contextmanager
    def being_away() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(BaseDatabaseWrapper, "_cursor", refuse)
            yield

    return being_away


def rated(run: Run) -> Run:
    Race.objects.filter(room=run.room).update(rated=True)
    User.objects.filter(pk__in=[player.pk for player in run.players]).update(is_guest=False)
    return run


def test_an_outage_at_the_start_does_not_move_the_clock(away: Away) -> None:
    run = rated(Run.counting(3))
    with away():
        with pytest.raises(OperationalError):
            starting.start_racing(at(15))
        run.tend(16)
        with pytest.raises(OperationalError):
            starting.mark_dealt([], at(16))
    run.tend(24)
    assert starting.mark_dealt(run.attempt_ids, at(24.5)) == 3
    assert run.states() == "racing racing racing racing"
    assert {one.started_at for one in Attempt.objects.filter(pk__in=run.attempt_ids)} == {at(15)}


def test_a_longer_outage_voids_the_race_without_harm(away: Away) -> None:
    run = rated(Run.counting(3))
    with away():
        for second in (15, 20, 25, 30):
            run.tend(second)
    run.tend(35)
    assert (run.states(), run.race.void) == ("void absent absent absent", Race.Void.SERVER_FAULT)
    run.judge()
    folding.rate_finished()
    assert [kept.objects.count() for kept in (RatingChange, Rating, RatedRace)] == [0, 0, 0]
    assert not Attempt.objects.filter(state=Attempt.State.PLAYING).exists()
    deal = run.race.deal
    assert deal is not None
    assert deal.revealed_at == at(35), "the cards were dealt from memory, so the deal is used up"
    run.sit(0, 40)
    assert (run.race.number, run.states()) == (2, "open joined")


@pytest.mark.parametrize("seen", ["open", "countdown", "racing", "settling"])
def test_a_void_race_never_changes_ratings(seen: str) -> None:
    run = rated({"open": Run.of, "countdown": Run.counting}.get(seen, Run.racing)(2))
    if seen == "settling":
        run.play(0)
        run.resign(1, 60)
        assert run.states() == "settling won retired"
    assert finishing.void(run.race.pk, Race.Void.SERVER_FAULT, at(70))
    run.judge()
    run.tend(80)
    folding.rate_finished()
    assert run.race.state == "void"
    assert not RatingChange.objects.exists()
    assert {place for _, place, _ in run.placed()} <= {None}


def test_an_outage_in_mid_race_costs_no_move(away: Away) -> None:
    run = rated(Run.racing(2))
    run.play(0, 20)
    with away():
        for second in (100, 105, 110):
            run.tend(second)
    run.tend(120)
    assert run.states() == "racing racing racing"
    run.play(1)
    run.tend(315)
    assert run.judge().placed() == [("timed_out", 2, 1), ("won", 1, 2)]
    assert (run.entrant(0).tokens, run.entrant(1).cards_up) == (20, goal())


@pytest.mark.parametrize(
    ("states", "then"),
    [
        ("open joined joined joined", "open joined joined"),
        ("countdown ready ready ready", "racing retired ready ready"),
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


@pytest.mark.parametrize("incoming", [table_protocol.ClientMessage, protocol.ClientMessage], ids=["table", "room"])
def test_a_client_cannot_influence_the_clock(incoming: Any) -> None:
    """The `t` of a ping is only echoed."""
    said = {field.name for message in incoming.__args__ for field in msgspec.structs.fields(message)}
    assert said.isdisjoint({"ms", "at", "now", "time", "clock", "elapsed", "elapsed_ms", "started_at"})
    with pytest.raises(Refusal):
        table_protocol.parse('{"type": "move", "n": 1, "token": "d", "ms": 5}')


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
        presence.follow_host()
        presence.mark_seen(seen)
        assert await presence.replace_if_absent() == since + host_succession.HOST_TIMEOUT
    audience.facts.host_id = None
    presence.follow_host()
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
async def test_a_connected_host_stays_without_a_seat(watch: Watch, other_hub: room_hub.RoomHub) -> None:
    house = await house_of(2)
    await Entrant.objects.filter(player=house.players[0]).adelete()
    await watch(house, house.players[0])
    await watch(house, house.players[1], at=other_hub)
    await asyncio.sleep(2 * host_succession.HOST_TIMEOUT)  # long enough for a wrong replacement
    assert await host_of(house) == house.players[0].pk


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
