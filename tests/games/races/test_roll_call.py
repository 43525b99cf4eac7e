"""Roll call: players with a page of the race race, the others are absent, and no one has to press anything."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.urls import reverse
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from games.models import Attempt
from games.races import reconciler, rooms, seats, starting
from games.races.attendance import roll_call
from games.races.attendance.roll_call import Note, note_for
from games.races.live import host_succession
from games.races.live.room_hub import RoomHub
from games.races.models import Entrant, Race, Room
from tests.games.races.conftest import Watch, house_of
from tests.games.races.live.viewers import Viewer
from tests.games.races.runs import Run, at

pytestmark = pytest.mark.django_db(transaction=True)


def note_of(run: Run, place: int) -> Note | None:
    return note_for(run.players[place].pk)


@pytest.mark.usefixtures("missed")
def test_a_player_who_sat_down_and_forgot_is_absent_and_told() -> None:
    run = Run.of(3)
    run.stay_except(2)
    run.host_starts(1)
    assert run.states() == "countdown seated seated absent"
    assert len(run.attempt_ids) == 2
    assert [note_of(run, place) for place in range(3)] == [None, None, Note.ABSENT]
    assert seats.room_of(run.players[2].pk) is None, "free to race elsewhere"


def test_a_page_counts_for_five_seconds() -> None:
    run = Run.of(3)
    roll_call.record_present([run.entrant(place).pk for place in (0, 1)], at(10))
    roll_call.record_present([run.entrant(2).pk], at(9))
    run.host_starts(14.5)
    assert run.states() == "countdown seated seated absent"


def test_a_new_seat_counts_as_present() -> None:
    """The player's page is still on its way."""
    run = Run.of(1)
    run.stay_except()
    run.players.append(create_guest())
    run.sit(1, 10)
    run.host_starts(12)
    assert run.states() == "countdown seated seated"


def test_without_any_sign_the_signs_are_lost() -> None:
    run = Run.of(3)
    run.race.entrants.update(here_until=at(0))
    run.host_starts(60)
    assert run.states() == "countdown seated seated seated"


def test_the_host_who_gives_the_command_is_present() -> None:
    run = Run.of(2)
    run.stay_except(0)
    run.host_starts(1)
    assert run.states() == "countdown seated seated"


@pytest.mark.usefixtures("missed")
def test_players_who_go_during_the_countdown_are_absent() -> None:
    run = Run.counting(3)
    attempt = run.attempt(2)
    run.stay_except(2, second=8)
    for second in (9.9, 12):
        starting.look_again(run.room.pk, at(second))
        assert run.states() == "countdown seated seated seated", "too early, or the start is final"
    starting.look_again(run.room.pk, at(10.5))
    assert run.states() == "countdown seated seated absent"
    assert not Attempt.objects.filter(pk=attempt.pk).exists()
    assert note_of(run, 2) == Note.ABSENT


@pytest.mark.usefixtures("missed")
def test_a_countdown_with_one_player_left_is_cancelled() -> None:
    run = Run.counting(2)
    run.stay_except(1, second=8)
    starting.look_again(run.room.pk, at(11))
    assert run.states() == "open seated"
    assert [note_of(run, place) for place in range(2)] == [None, Note.ABSENT]


def test_a_countdown_goes_on_if_all_signs_are_lost() -> None:
    run = Run.counting(2)
    run.race.entrants.update(here_until=at(0))
    starting.look_again(run.room.pk, at(11))
    assert run.states() == "countdown seated seated"


@pytest.mark.usefixtures("missed")
def test_a_player_who_never_opens_the_table_is_told() -> None:
    run = Run.begun(3, dealt=2)
    run.tend(25)
    assert run.states() == "racing racing racing absent"
    assert note_of(run, 2) == Note.ABSENT


def test_seats_of_the_previous_release_take_part() -> None:
    run = Run.of(3)
    Entrant.objects.filter(pk=run.entrant(1).pk).update(state="joined")
    Entrant.objects.filter(pk=run.entrant(2).pk).update(state="ready")
    run.host_starts()
    assert run.states() == "countdown seated seated seated"
    Entrant.objects.filter(pk=run.entrant(2).pk).update(state="ready")
    reconciler.reconcile(at(1))
    assert run.states() == "countdown seated seated seated"


def test_a_rematch_starts_five_seconds_after_the_second_click() -> None:
    run = Run.ended("retired", "retired", "retired")
    run.sit(0, 30)
    assert run.states() == "open seated"
    run.sit(2, 33)
    assert (run.states(), run.race.starts_at) == ("countdown seated seated", at(38))


def test_a_rematch_needs_both_pages() -> None:
    run = Run.ended("retired", "retired")
    run.sit(0, 30)
    run.sit(1, 40)
    assert run.states() == "open seated seated", "the first one closed the page"
    run.stay_except()
    starting.start_due(run.room.pk, at(45))
    assert run.states() == "countdown seated seated"


def test_changed_settings_leave_the_start_of_a_rematch_to_the_host() -> None:
    run = Run.ended("retired", "retired")
    run.sit(0, 30)
    run.sit(1, 40)
    run.stay_except()
    rooms.change(run.room.pk, run.players[0].pk, "stonewall", limit_s=600, seats=4, public=False, now=at(41))
    starting.start_due(run.room.pk, at(45))
    run.tend(46)
    assert run.states() == "open seated seated"


async def here_until(viewer: Viewer) -> Any:
    return (await Entrant.objects.aget(pk=viewer.you["to_come"])).here_until


async def record(viewer: Viewer) -> None:
    """Wait until the presence of a viewer's player is recorded."""
    before = await here_until(viewer)
    async with asyncio.timeout(10):
        while await here_until(viewer) == before:  # noqa: ASYNC110 - the database notifies no one
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("kind", [Room.Kind.PRIVATE, Room.Kind.QUICK])
async def test_open_pages_are_recorded_without_a_message(watch: Watch, kind: str) -> None:
    """A hidden tab sends none by itself."""
    house = await house_of(1)
    await Room.objects.filter(pk=house.room.pk).aupdate(kind=kind)
    player = await watch(house, house.players[0])
    await record(player)
    until = await here_until(player)
    assert until is not None
    assert until <= timezone.now() + roll_call.PRESENT_FOR


async def test_a_page_that_answers_no_call_is_not_present(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection of a phone that fell asleep stays open."""
    monkeypatch.setattr(host_succession, "HEARTBEAT_EVERY", 0.1)
    house = await house_of(2)
    awake, asleep = [await watch(house, player) for player in house.players]
    awake.is_awake = True

    async def answer_calls(count: int) -> None:
        for _ in range(count):
            await awake.until("call")
            await record(awake)

    await answer_calls(3)
    last = await here_until(asleep)
    await answer_calls(2)
    assert await here_until(asleep) == last is not None


async def test_pages_elsewhere_do_not_count(watch: Watch, other_hub: RoomHub) -> None:
    house = await house_of(2)
    here = await watch(house, house.players[0])
    elsewhere = await watch(house, house.players[1], at=other_hub, until=None)
    await elsewhere.say("hello", v=1, elsewhere=True)
    await elsewhere.until("room")
    await record(here)
    assert await here_until(elsewhere) is None


async def test_heats_record_presence_before_their_roll_call(watch: Watch) -> None:
    house = await house_of(2)
    await Room.objects.filter(pk=house.room.pk).aupdate(kind=Room.Kind.HEAT)
    soon = timezone.now() + starting.COUNTDOWN * 2
    await Race.objects.filter(room=house.room).aupdate(scheduled_at=soon, division=1)
    await record(await watch(house, house.players[0]))


async def test_a_countdown_is_looked_at_again(watch: Watch) -> None:
    reverse("games:races")  # loads the site's views, for which the first room with tables would wait
    house = await house_of(3)
    first, second = [await watch(house, player) for player in house.players[:2]]
    first.is_awake = second.is_awake = True
    staying = asyncio.create_task(second.stay())
    third = (await sync_to_async(house.entrant)(2)).pk
    await Entrant.objects.filter(pk=third).aupdate(here_until=timezone.now() + roll_call.PRESENT_FOR)
    await sync_to_async(house.start)(starting.SECOND_LOOK.total_seconds() + 1)
    await Entrant.objects.filter(pk=third).aupdate(here_until=timezone.now())
    await first.until_room(lambda one: len(one.lanes("to_come")) == 2)
    second.is_awake = False
    await staying
