"""Abuse of lobby, quick matches and countdowns, by one player or by many guests of one network."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.core import limits
from games.core.addresses import network_of_scope
from games.core.errors import ErrorCode, Refusal
from games.core.player_networks import remember_network
from games.pages.races import lobby
from games.races import network_limits, reconciler, rooms, seats, starting
from games.races.bots import seating
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from tests.factories import make_account
from tests.games.races.conftest import Watch, house_of
from tests.games.races.finished_races import race_of
from tests.games.races.runs import Run, at, refused

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "spoil_network", "5/10m")


HERE, ELSEWHERE = "203.0.113.7", "198.51.100.9"
FORM = {"name": "stonewall", "limit": "900", "seats": "4", "privacy": "public"}
LIMITED = 429


def guest_at(address: str) -> Client:
    return Client(REMOTE_ADDR=address, headers={"accept": "application/json"})


def player_of(client: Client) -> User:
    return User.objects.get(pk=client.session["_auth_user_id"])


def listed() -> list[str]:
    return [room["code"] for room in lobby.read(timezone.now())["rooms"]]


def test_one_networks_guests_cannot_fill_the_lobby() -> None:
    """A class may open any number of rooms; its share of them is listed."""
    share = 24 // network_limits.SHARE_OF_LIST
    answers = [guest_at(HERE).post("/races/new", FORM) for _ in range(share + 2)]
    assert {answer.status_code for answer in answers} == {302}
    assert len(listed()) == share
    assert guest_at(ELSEWHERE).post("/races/new", FORM).status_code == 302
    assert len(listed()) == share + 1


def test_one_player_has_few_public_rooms() -> None:
    """Rooms in which others have a seat stay open."""
    client = guest_at(HERE)
    for _ in range(rooms.MAX_PUBLIC_ROOMS):
        assert client.post("/races/new", FORM).status_code == 302
        host, room = player_of(client), Room.objects.latest("pk")
        seats.sit(room.pk, create_guest())
        seats.leave(room.pk, host.pk)
        Room.objects.filter(pk=room.pk).update(host=host)
    answer = client.post("/races/new", FORM, REMOTE_ADDR=ELSEWHERE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_rooms")


def test_private_rooms_become_public_only_within_the_limit() -> None:
    host = create_guest()
    chosen: dict[str, Any] = {"limit_s": 600, "seats": 4, "public": True}
    opened = [rooms.open_room(host, "stonewall", limit_s=600, seats=4) for _ in range(rooms.MAX_PUBLIC_ROOMS + 1)]
    for room in opened[:-1]:
        rooms.change(room.pk, host.pk, "stonewall", **chosen)
    assert listed() == [], "nobody has a seat"
    last = opened[-1]
    rooms.change(last.pk, host.pk, "stonewall", **chosen | {"public": False})
    assert refused(lambda: rooms.change(last.pk, host.pk, "stonewall", **chosen)) == ErrorCode.TOO_MANY_ROOMS
    rooms.change(opened[0].pk, host.pk, "braid", **chosen)  # one that is public already


def run_at(state: str, *addresses: str, second: int = 0) -> Race:
    start = at(second)
    fields: dict[str, Any] = {} if state == "finished" else {"finished_at": None}
    race = race_of(start, state=state, **fields)
    for address in addresses:
        player = create_guest()
        remember_network(player.pk, network_of_scope({"client": (address, 1)}))
        Entrant.objects.create(race=race, player=player, joined_at=start, state="racing")
    return race


@pytest.mark.parametrize(("state", "listing", "length"), [("racing", "running", 24), ("finished", "recent", 8)])
@pytest.mark.parametrize("flood", [lambda _n: HERE, lambda n: f"2001:db8:0:{n:x}::1"])
def test_races_of_one_network_leave_room_for_others(
    state: str, listing: Any, length: int, flood: Callable[[int], str]
) -> None:
    honest = [run_at(state, ELSEWHERE, "192.0.2.1"), run_at(state, HERE, ELSEWHERE)]
    flooding = [run_at(state, flood(n), flood(n), second=n + 1) for n in range(length + 1)]
    found: Any = lobby.read(at(60))
    shown = [race["code"] for race in found[listing]]
    assert shown[-2:] == [race.room.code for race in reversed(honest)]
    assert shown[:-2] == [race.room.code for race in reversed(flooding)][: length // 3]


def test_players_behind_a_proxy_are_not_one_network() -> None:
    for _ in range(24 // network_limits.SHARE_OF_LIST + 1):
        run_at("racing", "127.0.0.1", "127.0.0.1")
    assert len(lobby.read(at(60))["running"]) == 24 // network_limits.SHARE_OF_LIST + 1


def enter(client: Client) -> int:
    return client.post("/races/quick", {"variant": "stonewall"}).status_code


def stay(player: User) -> None:
    """Keep a page of the player open for the rest of the test."""
    Entrant.objects.filter(player=player).update(here_until=timezone.now() + timedelta(days=1))


def meet(*players: User) -> None:
    for player in players:
        room = seats.room_of(player.pk)
        assert room is not None
        matchmaking.answer(room.pk, player.pk)
        stay(player)


def test_one_networks_guests_cannot_keep_spoiling_quick_matches() -> None:
    """Each sits down beside the same player, and leaves before the race or its countdown starts."""
    victim = guest_at(ELSEWHERE)
    assert enter(victim) == 302
    stay(player_of(victim))
    room = Room.objects.get(closed_at=None)
    for n in range(20):
        attacker = guest_at(HERE)
        if enter(attacker) == LIMITED:
            break
        if n % 2:
            meet(player_of(victim), player_of(attacker))
            assert Race.objects.get(room=room).state == "countdown"
        seats.leave(room.pk, player_of(attacker).pk)
        assert Race.objects.get(room=room).state == "open"
    assert n == 6
    honest = guest_at(ELSEWHERE)
    assert enter(honest) == 302
    meet(player_of(victim), player_of(honest))
    race = Race.objects.get(room=room)
    assert (race.state, race.entrants.filter(player=player_of(honest)).exists()) == ("countdown", True)


def test_one_player_cannot_keep_spoiling_quick_matches() -> None:
    account = make_account(date_joined=timezone.now() - network_limits.NEW_ACCOUNT)
    client = guest_at(HERE)
    client.force_login(account, backend=BACKEND)
    matchmaking.enter(victim := create_guest(), ["stonewall"])
    stay(victim)
    for _ in range(3):
        assert enter(client) == 302
        seats.leave(Room.objects.get(closed_at=None).pk, account.pk)
    answer = client.post("/races/quick", {"variant": "stonewall"}, REMOTE_ADDR=ELSEWHERE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (LIMITED, "rate_limited")
    assert 0 < answer.json()["error"]["data"]["retry_after"] <= 600
    other = guest_at(HERE)
    assert enter(other) == 302  # an account's conduct does not count for its network


def test_new_accounts_share_the_limit_of_their_networks_guests() -> None:
    matchmaking.enter(victim := create_guest(), ["stonewall"])
    stay(victim)
    refused = 0
    for _ in range(10):
        client = guest_at(HERE)
        client.force_login(account := make_account(), backend=BACKEND)
        if enter(client) == LIMITED:
            refused += 1
            continue
        seats.leave(Room.objects.get(closed_at=None).pk, account.pk)
    assert refused == 4
    assert enter(guest_at(HERE)) == LIMITED
    assert enter(guest_at(ELSEWHERE)) == 302


def is_seated(room: Room, address: str) -> bool:
    """Try to seat a new guest; return whether that worked."""
    guest = create_guest()
    remember_network(guest.pk, address)
    with suppress(Refusal):
        seats.sit(room.pk, guest)
    return seats.room_of(guest.pk) == room


def test_one_networks_guests_leave_seats_in_others_public_rooms() -> None:
    host = create_guest()
    remember_network(host.pk, ELSEWHERE)
    public, private = (rooms.open_room(host, "plot", limit_s=600, seats=6, public=public) for public in (True, False))
    seats.sit(public.pk, host)
    assert [is_seated(public, HERE) for _ in range(4)] == [True] * 3 + [False]
    assert [is_seated(public, ELSEWHERE) for _ in range(3)] == [True] * 2 + [False]
    assert all(is_seated(private, HERE) for _ in range(6))


def test_a_hosts_network_may_fill_the_room() -> None:
    host = make_account(date_joined=timezone.now() - network_limits.NEW_ACCOUNT)
    remember_network(host.pk, HERE)
    room = rooms.open_room(host, "plot", limit_s=600, seats=6, public=True)
    seats.sit(room.pk, host)
    assert all(is_seated(room, HERE) for _ in range(5))


def test_an_unknown_network_has_no_limit() -> None:
    """A proxy may hide the addresses of all players."""
    for _ in range(17):
        host = create_guest()
        remember_network(host.pk, "127.0.0.1")
        network_limits.note_spoiled([host.pk])
    network_limits.check_may_sit(None, "127.0.0.1", has_account=False)


def spoiled(player: User) -> bool:
    try:
        network_limits.check_may_sit(player.pk, HERE, has_account=True)
    except Refusal:
        return True
    return False


def test_seats_held_without_an_answer_count() -> None:
    squatter = create_guest()
    matchmaking.enter(create_guest(), ["stonewall"], at(0))
    for n in range(3):
        Entrant.objects.update(here_until=at(100))
        assert not spoiled(squatter)
        matchmaking.enter(squatter, ["stonewall"], at(20 * n))
        matchmaking.answer(
            Room.objects.get(closed_at=None).pk,
            Entrant.objects.exclude(player=squatter).get().player_id or 0,
            at(20 * n),
        )
        Entrant.objects.update(here_until=at(100))
        matchmaking.advance_all(at(20 * n + 15))
        assert not Entrant.objects.filter(player=squatter).exists()
    assert spoiled(squatter)


def test_leaving_the_only_opponent_counts() -> None:
    matchmaking.enter(create_guest(), ["stonewall"], at(0))
    player = create_guest()
    for _ in range(3):
        assert not spoiled(player)
        room = matchmaking.enter(player, ["stonewall"], at(0))
        seats.leave(room.pk, player.pk, at(1))
    assert spoiled(player)


@pytest.mark.parametrize(("kind", "counts"), [(Room.Kind.QUICK, True), (Room.Kind.PRIVATE, False)])
def test_only_missing_a_quick_match_counts(kind: Room.Kind, counts: bool) -> None:
    absent = create_guest()
    for _ in range(3):
        assert not spoiled(absent)
        run = Run.begun(2, dealt=1, players=[create_guest(), absent])
        Room.objects.filter(pk=run.room.pk).update(kind=kind)
        reconciler.reconcile(at(26))
        assert run.entrant(1).state == "absent"
    assert spoiled(absent) == counts
    assert not spoiled(run.players[0])


@pytest.mark.parametrize(("kind", "counts"), [(Room.Kind.QUICK, True), (Room.Kind.PRIVATE, False)])
def test_going_during_a_countdown_counts_in_a_quick_match_only(kind: Room.Kind, counts: bool) -> None:
    gone = create_guest()
    for _ in range(3):
        assert not spoiled(gone)
        run = Run.counting(2, players=[create_guest(), gone])
        Room.objects.filter(pk=run.room.pk).update(kind=kind)
        for racer, until in ((0, 30), (1, 1)):
            Entrant.objects.filter(pk=run.entrant(racer).pk).update(here_until=at(until))
        starting.look_again(run.room.pk, at(11))
        assert run.race.state == Race.State.OPEN
        seats.leave_all(run.players[0].pk, at(12))
    assert spoiled(gone) == counts


async def test_countdowns_are_reopened_a_limited_number_of_times(watch: Watch) -> None:
    house = await house_of(1)
    guest = await sync_to_async(create_guest)()
    host, viewer = await watch(house, house.players[0]), await watch(house, guest)
    for _ in range(3):
        await viewer.say("sit")
        await host.until_room(lambda one: len(one.lanes("to_come")) == 2)
        await host.say("start")
        await viewer.until_room(lambda one: one.race("to_come").get("state") == "countdown")
        await viewer.say("leave")
        await host.until_room(lambda one: len(one.lanes("to_come")) == 1)
        await viewer.until_room(lambda one: one.race("to_come").get("state") == "open")
    await viewer.say("sit")
    error = await viewer.until("error")
    assert error["code"] == "rate_limited"
    assert 0 < error["data"]["retry_after_ms"] <= 600_000
    assert await Entrant.objects.filter(player=guest).acount() == 0


def test_leaving_without_harm_does_not_count() -> None:
    run = Run.counting(3)
    run.leave(2, 5)
    alone = Run.of(1)
    alone.leave(0)
    with_bot = Run.of(1)
    seating.add_bot(with_bot.room.pk, with_bot.players[0].pk, "pip", at(0))
    with_bot.host_starts()
    assert with_bot.race.state == "countdown"
    with_bot.leave(0, 5)
    for player in (run.players[2], alone.players[0], with_bot.players[0]):
        for _ in range(2):
            network_limits.note_spoiled([player.pk])
        assert not spoiled(player)
