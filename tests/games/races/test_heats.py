"""Heats: schedule, divisions, starts, and heats that no process attends to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import close_attempt
from games.core.errors import ErrorCode
from games.manifests import SHORT_VARIANTS
from games.models import Deal
from games.races import finishing, heats, reconciler, seats, starting
from games.races.live import snapshot
from games.races.live.room_hub import RoomHub
from games.races.models import Entrant, Race, Room
from games.races.results.ratings_registry import ratings
from games.races.results.shown_entrants import Listing
from games.rules import CATALOGUE
from leaderboards.verdicts.settlement import settle
from tests.concurrency import run_together
from tests.games.races.live.viewers import Viewer
from tests.games.races.runs import refused

pytestmark = pytest.mark.django_db(transaction=True)
START = datetime(2026, 11, 22, 11, 0, tzinfo=UTC)


def before(seconds: float) -> datetime:
    return START - timedelta(seconds=seconds)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def come(count: int, *, here_until: datetime | None = None) -> list[User]:
    """Take seats; `here_until` is the last sign of the players' pages."""
    room = heats.next_room(before(500))
    assert room is not None
    players = [create_guest() for _ in range(count)]
    race, until = Race.objects.get(room=room), here_until or after(0)
    Entrant.objects.bulk_create(
        Entrant(race=race, player=player, joined_at=before(400), here_until=until) for player in players
    )
    return players


def divisions() -> list[Race]:
    return list(Race.objects.filter(scheduled_at=START).select_related("room", "deal").order_by("division"))


@pytest.fixture
def rated() -> Iterator[dict[int, int]]:
    known: dict[int, int] = {}
    earlier = ratings()

    def provisional(ids: Any) -> dict[int, float]:
        return {key: known[key] for key in ids if key in known}

    ratings.register(replace(earlier, shown=lambda _ids: {}, provisional=provisional, changes=lambda _race: {}))
    yield known
    ratings.register(earlier)


def test_there_are_four_a_day() -> None:
    for now, start in (
        ("2026-11-22T00:00:00", "2026-11-22T03:00:00"),
        ("2026-11-22T02:59:59", "2026-11-22T03:00:00"),
        ("2026-11-22T03:00:00", "2026-11-22T07:00:00"),
        ("2026-11-22T07:00:00", "2026-11-22T11:00:00"),
        ("2026-11-22T11:00:01", "2026-11-22T19:00:00"),
        ("2026-11-22T19:00:00", "2026-11-23T03:00:00"),
        ("2026-12-31T23:59:59", "2027-01-01T03:00:00"),
    ):
        assert heats.next_start(datetime.fromisoformat(f"{now}Z")) == datetime.fromisoformat(f"{start}Z")


def test_variants_alternate_over_all_hours() -> None:
    days = [START.replace(hour=0) + timedelta(days=n) for n in range(81)]
    starts = [day + timedelta(hours=hour) for day in days for hour in (3, 11)]
    names = [heats.variant_at(start) for start in starts]
    assert Counter(names) == dict.fromkeys(CATALOGUE, 18)
    assert all(len(set(names[n : n + 9])) >= 8 for n in range(153))
    assert Counter((start.hour, name) for start, name in zip(starts, names, strict=True)) == {
        (hour, name): 9 for hour in (3, 11) for name in CATALOGUE
    }


def test_the_race_of_the_day_is_short_and_comes_twice() -> None:
    day = START.date()
    starts = heats.races_of_the_day(day, day + timedelta(days=2))
    assert [start.hour for start in starts] == [19, 7, 19, 7]
    names = [heats.variant_at(start) for start in starts]
    assert set(names) == set(SHORT_VARIANTS)
    assert names[0] != names[1], "players who come twice a day get both"
    assert heats.next_start(START, heats.RACE_OF_THE_DAY) == START.replace(hour=19)
    assert heats.next_start(START.replace(hour=19), heats.RACE_OF_THE_DAY) == START.replace(hour=7) + timedelta(days=1)


def test_the_doors_open_ten_minutes_before() -> None:
    assert heats.next_heat(before(601)) is None
    reconciler.reconcile(before(601))
    assert not Race.objects.exists()
    reconciler.reconcile(before(600))
    assert len(divisions()) == 1
    race = heats.next_heat(before(600))
    assert race is not None
    assert (race.scheduled_at, race.division, race.state, race.rated) == (START, 1, "open", True)
    assert (race.variant, race.limit_s, race.room.kind, race.room.host) == (
        heats.variant_at(START), 1800, "heat", None
    )  # fmt: skip
    assert race.deal is not None
    assert race.deal.for_race
    reconciler.reconcile(before(595))
    assert divisions() == [race]
    assert heats.next_heat(before(1)) == race
    assert heats.next_room(before(1)) == race.room
    assert heats.next_heat(START) is None


def test_players_who_are_present_race_on_the_hour() -> None:
    here, (away,) = come(3), come(1, here_until=before(16))
    heats.advance_all(before(15.1))
    assert divisions()[0].state == "open"
    heats.advance_all(before(14))
    (race,) = divisions()
    assert (race.state, race.starts_at, race.ends_at) == ("countdown", START, after(1800))
    assert {entrant.player for entrant in race.entrants.filter(state="seated")} == set(here)
    assert (race.entrants.get(player=away).state, seats.room_of(away.pk)) == ("absent", None)
    assert refused(lambda: seats.sit(race.room_id, away, now=before(10))) == ErrorCode.RACE_STARTED


def test_players_who_left_their_seats_do_not_fill_divisions() -> None:
    away, here = come(60, here_until=before(100)), come(18)
    heats.advance_all(before(15))
    assert [race.entrants.filter(state="seated").count() for race in divisions()] == [9, 9]
    assert all(seats.room_of(player.pk) for player in here)
    assert set(Entrant.objects.filter(state="absent").values_list("player", flat=True)) == {one.pk for one in away}


def test_no_division_lists_those_who_did_not_come() -> None:
    come(2, here_until=before(100))
    here = come(18)
    heats.advance_all(before(15))
    starting.start_racing(START)
    first, second = divisions()
    gone = first.entrants.filter(state="seated").first()
    assert gone is not None
    Entrant.objects.filter(pk=gone.pk).update(state=Entrant.State.ABSENT)
    assert (first.entrants.count(), second.entrants.count()) == (11, 9)
    assert [len(Listing.of(race).rows) for race in (first, second)] == [9, 9]
    assert "absent" in {row.state for row in Listing.of(first).rows}, "left during the countdown"
    for race in (first, second):
        facts = snapshot.read_rooms([race.room_id])[race.room_id].running
        assert facts is not None
        assert len(facts.message.seats) == len(facts.entrants) == 9
        assert {entrant.player_id for entrant in facts.entrants} <= {player.pk for player in here}


def test_a_late_player_learns_whether_the_race_is_on() -> None:
    come(1)
    heats.advance_all(before(15))
    starting.start_racing(START)
    (race,) = divisions()
    late = create_guest()
    assert refused(lambda: seats.sit(race.room_id, late, now=after(1))) == ErrorCode.RACE_STARTED
    finishing.void(race.pk, Race.Void.SERVER_FAULT, after(2))
    assert refused(lambda: seats.sit(race.room_id, late, now=after(3))) == ErrorCode.RACE_OVER


def test_33_players_make_three_even_divisions_on_one_deal(rated: dict[int, int]) -> None:
    players = come(33)
    rated |= {player.pk: 1000 + 10 * n for n, player in enumerate(players)}
    seats_in_hall = {entrant.pk: entrant.player_id for entrant in Entrant.objects.all()}
    hall = divisions()[0].room
    heats.advance_all(before(15))
    found = divisions()
    assert [race.division for race in found] == [1, 2, 3]
    assert [race.entrants.count() for race in found] == [11, 11, 11]
    assert {race.state for race in found} == {"countdown"}
    assert {race.starts_at for race in found} == {START}
    assert len({race.deal_id for race in found}) == 1
    assert len({race.room_id for race in found}) == 3
    assert [{entrant.player for entrant in race.entrants.all()} for race in found] == [
        set(players[22:]),
        set(players[11:22]),
        set(players[:11]),
    ]
    assert list(Entrant.objects.values_list("attempt__free_undo", flat=True)) == [False] * 33
    assert snapshot.rooms_of_moved(hall.pk, seats_in_hall) == {
        entrant.pk: race.room.code for race in found[1:] for entrant in race.entrants.all()
    }


def divide() -> tuple[str, str, User]:
    """Divide 17 players; return the codes of the two rooms, and a player of the second."""
    come(17)
    heats.advance_all(before(15))
    now = timezone.now()
    Race.objects.update(starts_at=now + timedelta(minutes=1), ends_at=now + timedelta(minutes=2))
    first, second = divisions()
    moved = second.entrants.select_related("player").earliest("pk").player
    assert moved is not None
    return first.room.code, second.room.code, moved


async def test_a_player_who_was_offline_during_the_division_is_sent_on(hub: RoomHub) -> None:
    """The socket's own notice went to the connections that were open then."""
    hall, code, player = await sync_to_async(divide)()
    viewer = Viewer(hub, hall, player)
    await viewer.connect()
    await viewer.say("hello", v=1)
    assert await viewer.until("moved") == {"type": "moved", "code": code}
    await viewer.leave()


async def test_a_player_stays_in_the_own_division_and_after_the_race(hub: RoomHub) -> None:
    hall, code, player = await sync_to_async(divide)()
    viewer = Viewer(hub, code, player)
    await viewer.connect()
    await viewer.say("hello", v=1)
    await viewer.until("room")
    assert viewer.you["to_come"] is not None
    await Entrant.objects.filter(player=player).aupdate(state=Entrant.State.RETIRED)
    spectator = Viewer(hub, hall, player)
    await spectator.connect()
    await spectator.say("hello", v=1)
    for one in (viewer, spectator):
        await one.say("ping", t=1)
        while (message := await one.hear())["type"] != "pong":
            assert message["type"] != "moved"
        await one.leave()


def test_divisions_are_few_and_even() -> None:
    found = [heats.division_sizes(count) for count in (1, 16, 17, 32, 33, 50)]
    assert found == [[1], [16], [9, 8], [16, 16], [11, 11, 11], [13, 13, 12, 12]]


def test_unrated_players_are_placed_in_the_middle(rated: dict[int, int]) -> None:
    players = [create_guest() for _ in range(5)]
    rated |= {players[0].pk: 1800, players[2].pk: 1200, players[4].pk: 1500}
    entrants = [Entrant(player=player) for player in players]
    assert [one.player for one in heats.by_rating(entrants)] == [players[n] for n in (0, 1, 3, 4, 2)]


def test_a_single_player_gets_a_recorded_run() -> None:
    (player,) = come(1)
    heats.advance_all(before(15))
    (race,) = divisions()
    assert race.state == "countdown"
    (entrant,) = race.entrants.all()
    assert entrant.attempt_id is not None
    assert starting.start_racing(START) == [race.pk]
    starting.mark_dealt([entrant.attempt_id], after(0.1))
    close_attempt(entrant.attempt_id, "resigned", at=after(60))
    settle(entrant.attempt_id)
    reconciler.reconcile(after(61))
    entrant = Entrant.objects.select_related("race", "attempt").get(player=player)
    assert (entrant.race.state, entrant.place, entrant.state) == ("finished", 1, "retired")
    assert (entrant.points, entrant.race.rated) == (1, True)
    assert entrant.attempt is not None
    assert entrant.attempt.record


def test_an_empty_heat_is_void() -> None:
    assert heats.next_heat(before(500))
    heats.advance_all(before(15))
    (race,) = divisions()
    assert (race.state, race.void) == ("void", "nobody_came")
    assert heats.next_heat(before(5)) is None
    heats.advance_all(before(4))
    assert len(divisions()) == 1


def test_a_heat_waits_for_its_deal_until_the_start() -> None:
    players = come(2)
    deal = divisions()[0].deal
    Race.objects.update(deal=None)
    heats.advance_all(before(15))
    assert divisions()[0].state == "open"
    Race.objects.update(deal=deal)
    heats.advance_all(before(5))
    assert (divisions()[0].state, divisions()[0].starts_at) == ("countdown", START)
    assert all(seats.room_of(player.pk) for player in players)


def test_an_unstarted_heat_is_void_and_the_next_exists() -> None:
    heats.advance_all(after(60))
    assert not Race.objects.exists(), "a missed heat is not repeated"
    players = come(5)
    heats.advance_all(after(3600))
    (race,) = divisions()
    assert (race.state, race.void) == ("void", "not_started")
    assert not Entrant.objects.exists()
    assert all(seats.room_of(player.pk) is None for player in players)
    later = START + timedelta(hours=8)
    heats.advance_all(later - timedelta(seconds=600))
    assert Race.objects.get(scheduled_at=later).state == "open"


def test_heats_are_made_divided_and_started_once_by_many_processes() -> None:
    assert run_together(*[partial(heats.advance_all, before(600))] * 4) == [None] * 4
    assert len(divisions()) == 1
    assert (Room.objects.count(), Deal.objects.count()) == (1, 1)
    come(17)
    assert run_together(*[partial(heats.advance_all, before(15))] * 4) == [None] * 4
    assert [race.entrants.count() for race in divisions()] == [9, 8]
    assert {race.state for race in divisions()} == {"countdown"}
    assert Room.objects.count() == 2
