"""The race socket: viewers, their messages, and the conditions of each command."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer
from django.db import OperationalError
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from config.asgi import application
from games.core.errors import Refusal
from games.live import protocol as live_protocol
from games.races import rooms, seats
from games.races.live import protocol, room_consumer
from games.races.live.room_hub import RoomHub, shared_hub
from games.races.models import Entrant, Room
from games.races.quick_match import matchmaking
from tests.games.live.sockets.test_socket import cookie_of
from tests.games.races.conftest import House, Watch, house_of
from tests.games.races.live.viewers import Viewer
from tests.games.seats import Closed

pytestmark = pytest.mark.django_db(transaction=True)

SETTINGS = {"name": "plot", "limit_s": 600, "seats": 4, "public": False, "options": None}
#: Commands, and the code with which players without a seat are refused.
COMMANDS: list[tuple[str, dict[str, Any], str | None]] = [
    ("sit", {}, None),
    ("leave", {}, "not_entered"),
    ("here", {}, "not_entered"),
    ("start", {}, "not_host"),
    ("settings", SETTINGS, "not_host"),
    ("kick", {}, "not_host"),
    ("react", {"kind": "wave"}, "not_entered"),
]
_guest = sync_to_async(create_guest)


async def test_anyone_with_the_link_may_watch(watch: Watch) -> None:
    house = await house_of(2, public=False)
    viewer = await watch(house)
    room = viewer.room
    assert (room["code"], room["kind"]) == (house.room.code, "private")
    assert (room["to_come"]["state"], viewer.states("to_come")) == ("open", ["seated", "seated"])
    assert room["to_come"]["deal"]["commitment"]
    nothing = dict.fromkeys(["to_come", "running", "table", "answer_by"])
    assert viewer.you == {"type": "you", "host": False, **nothing}


async def test_players_get_their_own_data(watch: Watch) -> None:
    house = await house_of(2)
    host, other = await watch(house, house.players[0]), await watch(house, house.players[1])
    ids = [(await sync_to_async(house.entrant)(place)).pk for place in (0, 1)]
    assert [(viewer.you["host"], viewer.you["to_come"]) for viewer in (host, other)] == [
        (True, ids[0]),
        (False, ids[1]),
    ]
    names = [seat["name"] for seat in host.race("to_come")["seats"]]
    assert names == [player.display_name for player in house.players]
    assert host.race("to_come")["seats"] == other.race("to_come")["seats"]
    assert [seat["host"] for seat in host.race("to_come")["seats"]] == [True, False]


async def test_an_unknown_room(hub: RoomHub, watch: Watch) -> None:
    viewer = Viewer(hub, "nothing000")
    await viewer.connect()
    assert await viewer.refused("hello", v=1) == "not_found"
    with pytest.raises(Closed, match="4404"):
        await viewer.hear()
    await viewer.leave()


async def test_every_command_checks_permissions(watch: Watch) -> None:
    house, guest = await house_of(2), await _guest()
    other = (await sync_to_async(house.entrant)(1)).pk
    for kind, fields, code in COMMANDS:
        sent = fields | ({"entrant": other} if kind == "kick" else {})
        assert await (await watch(house)).refused(kind, **sent) == "session_expired"
        if code:
            assert await (await watch(house, guest)).refused(kind, **sent) == code, kind
    assert await Entrant.objects.acount() == 2


async def test_from_the_seat_to_the_countdown(watch: Watch) -> None:
    house = await house_of(1)
    host, guest, visitor = [await watch(house, user) for user in (house.players[0], await _guest(), None)]
    await guest.say("sit")
    for viewer in (host, guest, visitor):
        await viewer.until_room(lambda one: len(one.lanes("to_come")) == 2)
    assert guest.you["to_come"] is not None
    await host.say("start")
    for viewer in (host, guest, visitor):
        await viewer.until_room(lambda one: one.race("to_come").get("state") == "countdown")
        assert 0 < viewer.race("to_come")["starts_in"] <= 15_000
    assert host.you["table"] != guest.you["table"]
    assert host.you["table"].startswith("/table/")
    assert visitor.you["table"] is None


async def test_the_host_changes_the_game(watch: Watch) -> None:
    house = await house_of(2)
    host, visitor = await watch(house, house.players[0]), await watch(house)
    assert await host.refused("settings", **SETTINGS | {"name": "chess"}) == "bad_option"
    await host.say("settings", **SETTINGS)
    await visitor.until_room(lambda one: one.race("to_come")["variant"] == "plot")
    assert (visitor.room["kind"], visitor.room["seats"]) == ("private", 4)


async def test_a_kicked_player_is_notified_and_cannot_return(watch: Watch) -> None:
    house = await house_of(2)
    host, other = [await watch(house, player) for player in house.players]
    await host.say("kick", entrant=other.you["to_come"])
    assert (await other.until("gone"))["why"] == "kicked"
    with pytest.raises(Closed, match=str(protocol.CLOSE_GONE)):
        await other.hear()
    await host.until_room(lambda one: len(one.lanes("to_come")) == 1)
    again = await watch(house, house.players[1], until="gone")
    assert json.loads(again.frames[-1])["why"] == "kicked"


async def test_a_closed_room(watch: Watch) -> None:
    house = await house_of(1)
    viewer = await watch(house, house.players[0])
    assert await sync_to_async(rooms.close)(house.room)
    await viewer.until("gone")
    for one in (viewer, await watch(house, until="gone")):
        assert json.loads(one.frames[-1])["why"] == "closed"
        with pytest.raises(Closed, match=str(protocol.CLOSE_GONE)):
            await one.hear()


async def test_simultaneous_reactions_all_arrive(watch: Watch, hub: RoomHub, other_hub: RoomHub) -> None:
    house = await house_of(3)
    viewers = [await watch(house, player) for player in house.players]
    visitor = await watch(house, at=other_hub)
    for viewer in viewers:
        await viewer.say("react", kind="clap")
    entrants = {(await visitor.until("reacted"))["entrant"] for _ in viewers}
    assert entrants == {viewer.you["to_come"] for viewer in viewers}


async def test_reactions_are_limited(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.live.sockets.message_limit.monotonic", lambda: 100.0)
    house = await house_of(1)
    viewer = await watch(house, house.players[0])
    for _ in range(round(room_consumer.REACTIONS_AT_ONCE)):
        await viewer.say("react", kind="wave")
    assert await viewer.refused("react", kind="wave") == "rate_limited"


async def test_commands_are_limited_over_all_connections(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command locks the room's row, and a player with many tabs must not block the others."""
    monkeypatch.setattr("games.live.sockets.message_limit.monotonic", lambda: 100.0)
    house = await house_of(2)
    *tabs, other = [await watch(house, house.players[place]) for place in (0, 0, 1)]
    for number in range(round(room_consumer.COMMANDS_AT_ONCE)):
        assert await tabs[number % 2].refused("kick", entrant=0) == "not_entered"
    for tab in tabs:
        assert await tab.refused("kick", entrant=0) == "rate_limited"
    assert await other.refused("kick", entrant=0) == "not_host"
    await tabs[0].leave()
    again = await watch(house, house.players[0])
    assert await again.refused("sit") == "rate_limited"


@pytest.mark.parametrize("deleted", [True, False], ids=["deleted", "banned"])
async def test_a_deleted_or_banned_player_cannot_sit_down(watch: Watch, deleted: bool) -> None:
    house, guest = await house_of(1), await _guest()
    viewer = await watch(house, guest)
    account = User.objects.filter(pk=guest.pk)
    await (account.adelete() if deleted else account.aupdate(is_active=False))
    assert await viewer.refused("sit") == "session_expired"
    with pytest.raises(Closed, match="4301"):
        await viewer.hear()
    assert await Entrant.objects.acount() == 1


@pytest.mark.parametrize("notices", ["late", "lost"])
async def test_a_moved_player_is_notified(watch: Watch, monkeypatch: pytest.MonkeyPatch, notices: str) -> None:
    """The player finds out even if the notices are late or lost."""
    monkeypatch.setattr("games.races.live.room_watch.POLL_EVERY", 0.05)
    monkeypatch.setattr("games.races.live.room_watch.POLL_SPREAD", 1)
    layer: Any = get_channel_layer()
    send, may_send = layer.group_send, threading.Event()

    async def send_late(group: str, message: dict[str, Any]) -> None:
        await asyncio.to_thread(may_send.wait, 30)
        if notices == "late":
            await send(group, message)

    players = [await _guest() for _ in range(2)]
    rooms = [
        await sync_to_async(matchmaking.enter)(player, [wish])
        for player, wish in zip(players, ("plot", "tarot"), strict=True)
    ]
    viewers = [await watch(House(room, [player]), player) for room, player in zip(rooms, players, strict=True)]
    monkeypatch.setattr(layer, "group_send", send_late)
    await Entrant.objects.aupdate(wishes=["plot", "tarot"])
    await sync_to_async(matchmaking.advance_room)(rooms[0].pk)
    may_send.set()
    target = await Room.objects.aget(races__entrants__player=players[0])
    (moved,) = [viewer for viewer, room in zip(viewers, rooms, strict=True) if room != target]
    assert (await moved.until("moved"))["code"] == target.code


async def test_a_player_who_leaves_is_not_moved(watch: Watch) -> None:
    house = await house_of(2)
    viewer = await watch(house, house.players[1])
    await sync_to_async(seats.leave)(house.room.pk, house.players[1].pk)
    await viewer.until("you", lambda you: you["to_come"] is None)
    assert "moved" not in " ".join(viewer.frames)


async def test_malformed_frames(watch: Watch) -> None:
    house = await house_of(1)
    for text, code in (
        ('{"type":"sit","more":1}', "bad_frame"),
        ('{"type":"kick","entrant":"x"}', "bad_frame"),
        ('{"type":"dance"}', "unknown_type"),
        ('{"type":"hello","v":2}', "unsupported_version"),
        (" " * 4097, "too_large"),
    ):
        viewer = await watch(house, house.players[0])
        await viewer.send(text)
        assert (await viewer.until("error"))["code"] == code, text


async def test_binary_frames_and_commands_before_hello(watch: Watch) -> None:
    house = await house_of(1)
    viewer = await watch(house, house.players[0], until=None)
    await viewer.send_bytes(b"{}")
    assert (await viewer.hear())["code"] == "bad_frame"
    assert await viewer.refused("sit") == "bad_frame"
    await viewer.say("ping", t=7)
    assert (await viewer.hear())["type"] == "pong"
    assert not viewer.room


async def test_clock_and_room_are_sent_on_request(watch: Watch) -> None:
    viewer = await watch(await house_of(1))
    first = viewer.room
    await viewer.say("ping", t=7)
    pong = await viewer.until("pong")
    assert pong["t"] == 7
    assert 0 <= pong["now"] - first["now"] < 60_000
    await viewer.say("sync")
    assert first | {"now": 0} == await viewer.until("room") | {"now": 0}


async def test_a_room_is_dropped_with_its_last_viewer(watch: Watch, hub: RoomHub) -> None:
    house = await house_of(1)
    first, second = await watch(house), await watch(house)
    assert len(hub._watches) == 1
    await first.leave()
    assert len(hub._watches) == 1
    await second.leave()
    assert not hub._watches
    assert not hub._users


async def test_an_outage_closes_no_connection(watch: Watch, hub: RoomHub, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> None:
        raise OperationalError

    house = await house_of(1)
    viewer = await watch(house, house.players[0])
    with monkeypatch.context() as patch:
        patch.setattr(seats, "leave", away)
        patch.setattr(hub._rooms, "_load", away)
        assert await viewer.refused("leave") == "server_busy"
    await viewer.say("leave")
    await viewer.until_room(lambda one: one.states("to_come") == [])


@pytest.mark.parametrize("incoming", [live_protocol.ClientMessage, protocol.ClientMessage], ids=["table", "room"])
def test_a_client_cannot_influence_the_clock(incoming: Any) -> None:
    """The `t` of a ping is only echoed."""
    said = {field.name for message in incoming.__args__ for field in msgspec.structs.fields(message)}
    assert said.isdisjoint({"ms", "at", "now", "time", "clock", "elapsed", "elapsed_ms", "started_at"})
    with pytest.raises(Refusal):
        live_protocol.parse('{"type": "move", "n": 1, "token": "d", "ms": 5}')


async def page_at(house: House, page: str = "", player: Any = None) -> ApplicationCommunicator:
    """Open a connection of a page to the whole application with its middleware, and wait for the room."""
    headers = [(b"host", b"127.0.0.1:8000"), (b"origin", b"http://127.0.0.1:8000")]
    if player is not None:
        headers.append((b"cookie", (await sync_to_async(cookie_of)(player)).encode()))
    path = f"/ws/race/{house.room.code}/"
    line = ApplicationCommunicator(
        application,
        {
            "type": "websocket", "path": path, "raw_path": path.encode(), "query_string": page.encode(),
            "subprotocols": [], "headers": headers, "client": ("127.0.0.1", 5),
        },
    )  # fmt: skip
    await line.send_input({"type": "websocket.connect"})
    assert (await line.receive_output(30))["type"] == "websocket.accept"
    await line.send_input({"type": "websocket.receive", "text": '{"type":"hello","v":1}'})
    kinds = [json.loads((await line.receive_output(30))["text"])["type"] for _ in range(2)]
    assert kinds == ["you", "room"]
    return line


async def gone(line: ApplicationCommunicator) -> None:
    await line.send_input({"type": "websocket.disconnect", "code": 1001})
    await line.wait(30)


async def test_a_replaced_connection_gives_up_no_seat(watch: Watch) -> None:
    house = await house_of(1)
    await Room.objects.filter(pk=house.room.pk).aupdate(kind=Room.Kind.QUICK)
    player = house.players[0]
    room = await page_at(house, "page=room", player)
    table = await page_at(house, "page=table", player)
    again = await page_at(house, "page=room", player)
    frames = [await room.receive_output(30)]
    while frames[-1]["type"] != "websocket.close":
        frames.append(await room.receive_output(30))
    assert frames[-1]["code"] == live_protocol.CLOSE_REPLACED
    (watched,) = shared_hub()._watches.values()
    assert len(watched.audience._yours) == 3, "the newest joins before the oldest leaves"
    far = timezone.now() + timedelta(hours=1)
    await Entrant.objects.aupdate(here_until=far)
    watched.close()  # it would note that the player is here
    await gone(room)
    assert (await Entrant.objects.aget()).here_until == far
    assert len(watched.audience._yours) == 2
    for line in (table, again):
        assert all("code" not in frame for frame in [*line.output_queue._queue])
        await gone(line)
    await shared_hub().close()


async def test_a_closed_page_ends_a_seek_within_two_seconds() -> None:
    house = await house_of(1)
    await Room.objects.filter(pk=house.room.pk).aupdate(kind=Room.Kind.QUICK)
    player = house.players[0]
    room, other = await page_at(house, "page=room", player), await page_at(house, "page=table", player)
    (watched,) = shared_hub()._watches.values()
    watched.close()  # no further signs that the player is here
    far = timezone.now() + timedelta(hours=1)
    await Entrant.objects.aupdate(here_until=far)
    await gone(room)
    assert not shared_hub()._recordings
    await gone(other)
    await asyncio.gather(*shared_hub()._recordings)
    assert await Entrant.objects.filter(here_until__lte=timezone.now() + timedelta(seconds=2)).aexists()
