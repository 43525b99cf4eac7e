"""Roll call: the countdown begins at second 8, the race at 18, and from 15 on it can no longer be cancelled."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from accounts.models import User
from games.attempts.lifecycle import close_attempt
from games.models import Attempt, Move
from games.races import reconciler, seats, starting
from games.races.live import due_steps, snapshot
from games.races.live.room_hub import RoomHub
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking, roll_call
from tests.games.races.conftest import house_of
from tests.games.races.quick_match.queue_players import enter, pair, race_of, room_of, state_of
from tests.games.races.runs import at

pytestmark = pytest.mark.django_db(transaction=True)


def counting(count: int = 2) -> tuple[list[User], list[int]]:
    first, second = pair()
    players = [first, second, *(enter(1, "plot") for _ in range(count - 2))]
    matchmaking.advance_all(at(8))
    entrants = [Entrant.objects.get(player=player).pk for player in players]
    roll_call.record_connected(room_of(first).pk, entrants, at(9))
    return players, entrants


@pytest.mark.usefixtures("missed")
def test_player_who_left_the_countdown_is_not_raced_against() -> None:
    (first, second), (mine, other) = counting()
    room, deal = room_of(first), race_of(first).deal_id
    roll_call.record_disconnected(other, at(12))
    roll_call.record_connected(room.pk, [mine], at(13))
    assert race_of(second).state == "countdown"
    roll_call.record_connected(room.pk, [mine], at(14))
    race = race_of(first)
    assert (race.room, race.state, race.starts_at, race.gathers_until) == (room, "open", None, None)
    assert (state_of(first), seats.room_of(second.pk)) == ("joined", None)
    assert (race.deal_id, race.deal.revealed_at if race.deal else at(0)) == (deal, None)
    assert not Attempt.objects.exists()
    notes = [matchmaking.pop_note(one.pk) for one in (first, second)]
    assert notes == [matchmaking.Note.ALONE, matchmaking.Note.ABSENT]
    assert room_of(enter(20, "plot")) == room, "first in line for the next player"


def test_reload_during_the_countdown_keeps_the_seat() -> None:
    (first, second), (mine, other) = counting()
    roll_call.record_disconnected(other, at(13.5))
    roll_call.record_connected(room_of(first).pk, [mine], at(14))
    roll_call.record_connected(room_of(first).pk, [mine, other], at(14.4))
    roll_call.record_connected(room_of(first).pk, [mine], at(14.9))
    assert race_of(first) == race_of(second)
    assert race_of(first).state == "countdown"


def test_three_race_without_the_one_who_left() -> None:
    (first, second, third), (mine, other, _) = counting(3)
    roll_call.record_connected(room_of(first).pk, [mine, other], at(14))
    assert (race_of(first).state, race_of(first)) == ("countdown", race_of(second))
    assert Entrant.objects.get(player=third).state == "absent"


@pytest.mark.parametrize(("second", "here"), [(14, False), (15, True)])
def test_countdown_goes_on_without_signs_or_time(second: int, here: bool) -> None:
    (first, _), (mine, _other) = counting()
    Entrant.objects.update(here_until=None)
    roll_call.record_connected(room_of(first).pk, [mine] if here else [], at(second))
    assert race_of(first).state == "countdown"


def started(count: int, left_at: float, *, dealt: int = 1) -> tuple[list[User], Race]:
    """Start a match whose last player closes the last connection at `left_at`; the first `dealt` get their cards."""
    players, entrants = counting(count)
    race = race_of(players[0])
    roll_call.record_connected(race.room_id, entrants, at(15.5))
    roll_call.record_disconnected(entrants[-1], at(left_at))
    assert starting.start_racing(at(18.2)) == [race.pk]
    starting.mark_dealt(Entrant.objects.filter(pk__in=entrants[:dealt]).values_list("attempt", flat=True), at(18.2))
    return players, race


@pytest.mark.usefixtures("missed")
def test_match_is_called_off_if_the_opponent_vanishes_late() -> None:
    (first, second), race = started(2, 16)
    waiting = enter(17, "braid")
    reconciler.reconcile(at(18.9))
    assert Race.objects.get(pk=race.pk).state == "racing"
    reconciler.reconcile(at(19))
    race.refresh_from_db()
    assert (race.state, race.void, race.entrants.count(), race.deal and race.deal.revealed_at) == (
        "void", "not_started", 0, at(19),
    )  # fmt: skip
    assert not Attempt.objects.filter(deal=race.deal).exists()
    again = race_of(first)
    assert (again.room, again.number, again.deal_id == race.deal_id, state_of(first)) == (race.room, 2, False, "joined")
    assert seats.room_of(second.pk) is None
    notes = [matchmaking.pop_note(one.pk) for one in (first, second)]
    assert notes == [matchmaking.Note.ALONE, matchmaking.Note.ABSENT]
    assert race_of(waiting).pk < again.pk
    assert room_of(enter(20, "plot", "braid")) == race.room, "first in line for the next player"


@pytest.mark.parametrize("kept_by", ["move", "third", "room", "nobody", "end"])
def test_match_that_is_not_deserted_goes_on(kept_by: str) -> None:
    count, left_at = (3 if kept_by == "third" else 2), (18.1 if kept_by == "room" else 16)
    _, race = started(count, left_at, dealt={"third": 2, "nobody": 0}.get(kept_by, 1))
    mine = race.entrants.earliest("pk").attempt
    assert mine is not None
    if kept_by == "move":
        Move.objects.create(attempt=mine, n=1, token="d", ms=500)
    elif kept_by == "nobody":
        Entrant.objects.update(here_until=None)
    elif kept_by == "end":
        close_attempt(mine.pk, "resigned", at=at(18.5))
    reconciler.reconcile(at(19))
    race.refresh_from_db()
    assert (race.state, race.entrants.count()) == ("racing", count)


def test_watched_match_is_checked_a_second_after_its_start() -> None:
    _, race = started(2, 16)
    facts = snapshot.read_rooms([race.room_id])[race.room_id]
    assert at(19) in due_steps.times_due(facts)
    starting.mark_dealt(race.entrants.values_list("attempt", flat=True), at(19))
    assert at(19) not in due_steps.times_due(snapshot.read_rooms([race.room_id])[race.room_id])


async def test_closing_the_last_connection_is_recorded(watch: Any, hub: RoomHub, other_hub: RoomHub) -> None:
    house = await house_of(2)
    await Room.objects.filter(pk=house.room.pk).aupdate(kind=Room.Kind.QUICK)
    await sync_to_async(house.start)(60)
    await watch(house, house.players[0])
    other = await watch(house, house.players[1], at=other_hub)
    entrants = [(await sync_to_async(house.entrant)(place)).pk for place in range(2)]
    await sync_to_async(roll_call.record_connected)(house.room.pk, entrants)
    await other.leave()
    left = await Entrant.objects.aget(pk=entrants[1])
    assert left.here_until is not None
    assert left.here_until <= timezone.now() + roll_call.DISCONNECT_GRACE


async def test_connections_are_recorded_while_a_player_waits(watch: Any) -> None:
    house = await house_of(1)
    await Room.objects.filter(pk=house.room.pk).aupdate(kind=Room.Kind.QUICK)
    player = await watch(house, house.players[0])
    async with asyncio.timeout(10):
        while (await Entrant.objects.aget()).here_until is None:  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.05)
    await player.leave()
    left = await Entrant.objects.aget()
    assert left.here_until is not None
    assert left.here_until <= timezone.now() + roll_call.DISCONNECT_GRACE
