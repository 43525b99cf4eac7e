"""Quick matches: matching of players, and their start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import close_attempt
from games.core.errors import ErrorCode, Refusal
from games.deals import sealed_stock
from games.models import Attempt, Move
from games.races import matchmaking, race_start, reconciler, rooms, seats
from games.races.live import due_steps, protocol, snapshot
from games.races.live.room_hub import RoomHub
from games.races.models import Entrant, Race, Room
from games.rules import CATALOGUE
from tests.concurrency import run_together
from tests.games.races.conftest import house_of
from tests.games.races.runs import refused

pytestmark = pytest.mark.django_db(transaction=True)
T0 = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
ALL = list(CATALOGUE)


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def enter(second: float = 0, *wishes: str) -> User:
    """Enter a new player for these variants, by default all."""
    player = create_guest()
    matchmaking.enter(player, wishes or ALL, at(second))
    return player


def confirm(player: User, second: float = 0) -> None:
    """Confirm the race for a player within the fifteen seconds."""
    seats.set_ready(room_of(player).pk, player.pk, ready=True, now=at(second))
    matchmaking.advance_room(room_of(player).pk, at(second))


def turn_away(player: User, second: float) -> None:
    """The player is no longer ready, as when the room's page is left."""
    seats.set_ready(room_of(player).pk, player.pk, ready=False, now=at(second))


def pair(second: float = 0, *wishes: str) -> tuple[User, User]:
    """Enter two players and confirm for both."""
    first, other = enter(second, *(wishes or ("plot",))), enter(second, *(wishes or ("plot",)))
    confirm(first, second)
    return first, other


def room_of(player: User) -> Room:
    room = seats.room_of(player.pk)
    assert room is not None
    return room


def race_of(player: User) -> Race:
    return Race.objects.select_related("room").get(entrants__player=player, entrants__state__in=["joined", "ready"])


def state_of(player: User) -> str:
    return Entrant.objects.get(player=player).state


def test_the_first_player_waits_in_a_rated_hostless_room() -> None:
    player = enter(0, "plot")
    race = race_of(player)
    assert (race.state, race.rated, race.variant, race.limit_s) == ("open", True, "plot", 1200)
    assert (race.room.kind, race.room.host, race.room.seats) == ("quick", None, 16)
    assert (state_of(player), race.gathers_until) == ("joined", None)
    assert {race.opened_at, race.room.made_at, race.entrants.get().joined_at} == {at(0)}
    matchmaking.advance_all(at(60))
    assert race_of(player).state == "open"


def test_two_wait_eight_seconds_for_more_and_ten_to_start() -> None:
    first, second = enter(0, "plot", "braid"), enter(2, "braid", "plot")
    assert room_of(first) == room_of(second)
    assert race_of(first).gathers_until is None
    confirm(first, 3)
    assert race_of(first).gathers_until == at(11)
    third = enter(10, "plot", "braid")
    matchmaking.advance_all(at(10.9))
    assert race_of(third).state == "open"
    matchmaking.advance_all(at(11))
    race = race_of(third)
    assert (race.state, race.starts_at, race.entrants.count()) == ("countdown", at(21), 3)


def test_any_viewer_triggers_each_step() -> None:
    first = enter(0, "plot")
    assert not matchmaking.advance_room(room_of(first).pk, at(1))
    enter(1, "plot")
    confirm(first, 1)
    assert matchmaking.advance_room(room_of(first).pk, at(9))
    assert race_of(first).state == "countdown"
    assert not matchmaking.advance_room(room_of(first).pk, at(9))


def gathering_step(room: Room) -> Callable[[], object] | None:
    return due_steps.gathering_step(snapshot.read_rooms([room.pk])[room.pk])


def test_a_watched_room_is_tended_every_second() -> None:
    first, second = enter(0, "plot"), create_guest()
    seats.sit(room_of(first).pk, second, wishes=["plot"], now=at(1))
    for player in (first, second):
        seats.set_ready(room_of(first).pk, player.pk, ready=True, now=at(1))
    assert race_of(first).gathers_until is None
    tend = gathering_step(room_of(first))
    assert tend is not None
    tend()
    assert race_of(first).gathers_until is not None


def test_other_rooms_are_not_tended_every_second() -> None:
    host = create_guest()
    room = rooms.open_room(host, "plot", limit_s=600, seats=4, now=T0)
    seats.sit(room.pk, host, now=T0)
    assert gathering_step(room) is None


def test_tending_includes_quick_matches() -> None:
    first, _ = pair()
    reconciler.reconcile(at(8))
    assert race_of(first).state == "countdown"


def test_different_wishes_are_different_races() -> None:
    first, second = enter(0, "plot"), enter(0, "braid")
    matchmaking.advance_all(at(60))
    assert (race_of(first).variant, race_of(second).variant) == ("plot", "braid")


def test_the_fullest_fitting_race_is_joined() -> None:
    enter(0, "braid")
    crowd = [enter(0, "plot") for _ in range(3)]
    assert room_of(enter(1)) == room_of(crowd[0])


def test_sixteen_fill_a_race() -> None:
    players = [enter(0, "plot") for _ in range(17)]
    assert race_of(players[0]).entrants.count() == 16
    assert room_of(players[16]) != room_of(players[0])


def test_a_countdown_is_not_joined() -> None:
    first, _ = pair()
    matchmaking.advance_all(at(8))
    assert room_of(enter(9, "plot")) != room_of(first)


def test_the_other_player_waits_again_if_one_leaves() -> None:
    first, second = pair()
    seats.leave(room_of(second).pk, second.pk, at(4))
    matchmaking.advance_all(at(9))
    assert (race_of(first).state, race_of(first).gathers_until) == ("open", None)
    enter(20, "plot")
    assert (state_of(first), race_of(first).gathers_until) == ("joined", None)
    confirm(first, 21)
    assert race_of(first).gathers_until == at(29)


def test_a_single_waiting_player_is_moved_to_the_next_one() -> None:
    """Two processes have each made a room at the same moment."""
    first, second = enter(0, "plot"), create_guest()
    lone = rooms.open_room(None, "plot", None, limit_s=1200, seats=16, kind=Room.Kind.QUICK, now=at(0))
    seats.sit(lone.pk, second, wishes=["plot"], now=at(0))
    seats.set_ready(lone.pk, second.pk, ready=True, now=at(0))
    left = room_of(first)
    matchmaking.advance_all(at(1))
    assert room_of(first) == room_of(second) == lone
    assert [state_of(first), state_of(second)] == ["joined", "joined"]
    left.refresh_from_db()
    assert left.closed_at == at(1)
    assert Race.objects.get(room=left).void == "not_started"


def test_a_single_waiting_player_joins_a_fitting_match() -> None:
    lone = enter(0, "braid", "plot")
    Race.objects.filter(room=room_of(lone)).update(variant="braid")
    others = [enter(0, "plot") for _ in range(1)]
    enter(1, "plot")
    matchmaking.advance_all(at(2))
    assert room_of(lone) == room_of(others[0])


def test_common_wishes_are_matched_in_a_third_room() -> None:
    first, second = enter(0, "plot"), enter(0, "braid")
    Entrant.objects.filter(player=first).update(wishes=["plot", "tarot"])
    Entrant.objects.filter(player=second).update(wishes=["tarot", "braid"])
    left = {room_of(first).pk, room_of(second).pk}
    matchmaking.advance_all(at(1))
    race = race_of(first)
    assert (race.variant, race.entrants.count(), race.gathers_until) == ("tarot", 2, None)
    assert [state_of(first), state_of(second)] == ["joined", "joined"]
    confirm(first, 2)
    confirm(second, 2)
    assert race_of(first).gathers_until == at(10)
    assert not Room.objects.filter(pk__in=left, closed_at=None).exists()


def test_an_absent_player_has_fifteen_seconds_to_return() -> None:
    away = enter(0, "plot")
    turn_away(away, 5)
    matchmaking.advance_all(at(300))
    assert state_of(away) == "joined"
    enter(300, "plot")
    matchmaking.advance_all(at(314.9))
    assert state_of(away) == "joined"
    matchmaking.advance_all(at(315))
    assert not Entrant.objects.filter(player=away).exists()
    assert seats.room_of(away.pk) is None


@pytest.fixture
def missed(settings: Any) -> Iterator[None]:
    """A cache without missed matches."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "missed"}}
    cache.clear()
    yield
    cache.clear()


@pytest.mark.usefixtures("missed")
def test_no_race_starts_without_both_confirmations() -> None:
    first, second = enter(0, "plot"), enter(60, "plot")
    room = room_of(first)
    assert [state_of(first), state_of(second)] == ["joined", "ready"]
    matchmaking.advance_all(at(74.9))
    assert race_of(second).state == "open"
    matchmaking.advance_all(at(75))
    assert seats.room_of(first.pk) is None
    matchmaking.advance_all(at(200))
    assert (race_of(second).state, race_of(second).gathers_until, room_of(second)) == ("open", None, room)
    assert [matchmaking.pop_note(first.pk), matchmaking.pop_note(first.pk)] == [matchmaking.Note.MISSED, None]
    assert not matchmaking.pop_note(second.pk)


@pytest.mark.usefixtures("missed")
def test_leaving_before_confirming_is_no_missed_match() -> None:
    first, _ = enter(0, "plot"), enter(60, "plot")
    seats.leave(room_of(first).pk, first.pk, at(61))
    matchmaking.advance_all(at(80))
    assert not matchmaking.pop_note(first.pk)


def test_a_player_left_alone_confirms_the_next_opponent() -> None:
    first, second = enter(0, "plot"), enter(60, "plot")
    seats.leave(room_of(first).pk, first.pk, at(61))
    matchmaking.advance_all(at(62))
    assert state_of(second) == "joined"
    late = create_guest()
    seats.sit(room_of(second).pk, late, now=at(600))  # through the room's page
    confirm(late, 601)
    assert (state_of(second), race_of(second).gathers_until) == ("joined", None)


def test_the_longest_waiting_player_is_matched_first() -> None:
    absent, patient = enter(0, "plot"), enter(60, "plot")
    matchmaking.advance_all(at(75))
    later = enter(80, "plot")
    assert room_of(later) == room_of(patient)
    assert [state_of(patient), state_of(later)] == ["joined", "ready"]
    confirm(patient, 82)
    matchmaking.advance_all(at(90))
    assert race_of(patient).state == "countdown"
    assert seats.room_of(absent.pk) is None


def test_the_room_shows_the_confirmation_deadline() -> None:
    first = enter(0, "plot")

    def told_to(player: User) -> int | None:
        facts = snapshot.read_rooms([room_of(first).pk])[room_of(first).pk]
        return snapshot.you_message(facts, player.pk).confirm_by

    assert told_to(first) is None
    second = enter(60, "plot")
    assert told_to(first) == protocol.clock(at(75))
    assert told_to(second) is None
    confirm(first, 62)
    assert told_to(first) is None


def test_a_player_who_returns_in_time_races() -> None:
    away = enter(0, "plot")
    turn_away(away, 5)
    enter(300, "plot")
    seats.set_ready(room_of(away).pk, away.pk, ready=True, now=at(310))
    matchmaking.advance_all(at(316))
    assert race_of(away).gathers_until == at(324)
    matchmaking.advance_all(at(324))
    assert race_of(away).state == "countdown"


def test_the_fifteen_seconds_start_at_the_disconnection() -> None:
    """For example when the page is reloaded while the deal is still being made."""
    first, second = pair()
    Race.objects.update(deal=None)
    turn_away(first, 60)
    turn_away(first, 70)
    matchmaking.advance_all(at(74.9))
    assert state_of(first) == "joined"
    matchmaking.advance_all(at(75))
    assert seats.room_of(first.pk) is None
    assert state_of(second) == "joined"


def test_an_absent_player_waits_on_in_another_room() -> None:
    away = enter(0, "plot", "tarot")
    Race.objects.filter(room=room_of(away)).update(variant="plot")
    turn_away(away, 5)
    first, second = enter(100, "plot"), enter(101, "plot")
    matchmaking.advance_all(at(109))
    assert race_of(first).room == race_of(second).room
    assert race_of(first).state == "countdown"
    assert race_of(first).entrants.count() == 2
    assert (race_of(away).state, race_of(away).entrants.count(), state_of(away)) == ("open", 1, "joined")
    assert race_of(away).variant in ("plot", "tarot")
    matchmaking.advance_all(at(400))
    assert state_of(away) == "joined"


def test_a_player_gets_a_new_room_if_the_target_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    away = enter(0, "plot")
    closed = rooms.open_room(None, "plot", None, limit_s=1200, seats=16, kind=Room.Kind.QUICK, now=at(0))
    rooms.close(closed, at(1))
    turn_away(away, 5)
    first, _ = enter(100, "plot"), enter(101, "plot")
    in_closed_room = Race.objects.filter(room=closed).select_related("room")
    monkeypatch.setattr(matchmaking, "_joinable_races", lambda *_: in_closed_room)
    matchmaking.advance_all(at(109))
    assert race_of(first).state == "countdown"
    assert (race_of(away).state, state_of(away)) == ("open", "joined")


def test_a_deleted_players_seat_is_free() -> None:
    first, second = enter(0, "plot"), enter(0, "plot")
    second.delete()
    matchmaking.advance_all(at(9))
    assert (race_of(first).entrants.count(), race_of(first).gathers_until) == (1, None)


def test_no_race_starts_without_a_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = pair()
    deal = race_of(first).deal
    Race.objects.update(deal=None)
    matchmaking.advance_all(at(30))
    assert race_of(first).state == "open"
    Race.objects.update(deal=deal)
    matchmaking.advance_all(at(31))
    assert race_of(first).starts_at == at(41)


def test_entering_again_keeps_the_seat_with_new_wishes() -> None:
    player = enter(0, "plot")
    turn_away(player, 1)
    room = matchmaking.enter(player, ["plot", "tarot"], at(2))
    entrant = Entrant.objects.get(player=player)
    assert room == room_of(player)
    assert (entrant.wishes, entrant.state) == (["tarot", "plot"], "joined")


def test_a_racing_player_cannot_enter() -> None:
    host = create_guest()
    room = rooms.open_room(host, "plot", limit_s=600, seats=4, now=T0)
    seats.sit(room.pk, host, now=T0)
    before = Room.objects.count()
    with pytest.raises(Refusal) as refused:
        matchmaking.enter(host, ALL, T0)
    assert (refused.value.code, refused.value.data) == (ErrorCode.ALREADY_RACING, {"room": room.code})
    assert Room.objects.count() == before


def test_a_player_in_a_countdown_cannot_enter_again() -> None:
    first, _ = pair()
    matchmaking.advance_all(at(8))
    enter(9, "braid")
    with pytest.raises(Refusal) as refused:
        matchmaking.enter(first, ["braid"], at(9))
    assert (refused.value.code, refused.value.data) == (ErrorCode.ALREADY_RACING, {"room": room_of(first).code})
    assert Entrant.objects.get(player=first).wishes == ["plot"]


def test_a_player_too_late_for_a_seat_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """For example if the room fills up after it was found."""
    found, sit = room_of(enter(0, "plot")), seats.sit

    def sit_too_late(room_id: int, player: User, **rest: Any) -> Entrant:
        if room_id == found.pk:
            raise Refusal(ErrorCode.ROOM_FULL)
        return sit(room_id, player, **rest)

    monkeypatch.setattr(seats, "sit", sit_too_late)
    assert state_of(enter(1, "plot")) == "joined"


@pytest.mark.parametrize("wishes", [[], ["klondike"], ["plot", "klondike"]])
def test_wishes_are_variants(wishes: list[str]) -> None:
    assert refused(lambda: matchmaking.enter(create_guest(), wishes, T0)) == ErrorCode.BAD_OPTION
    assert not Room.objects.exists()


def test_a_room_with_a_running_race_is_not_joined() -> None:
    first, _ = pair()
    matchmaking.advance_all(at(8))
    race = race_of(first)
    race_start.begin_due(at(18))
    race_start.mark_dealt(list(race.entrants.values_list("attempt", flat=True)), at(18))
    assert room_of(enter(19, "plot")) != race.room


def test_two_processes_tend_at_once() -> None:
    players = [*pair(0, "plot"), *pair(0, "braid")]

    def tend() -> None:
        for second in range(1, 10):
            matchmaking.advance_all(at(second))

    assert run_together(*[tend] * 4) == [None] * 4
    races = {race_of(player).pk: race_of(player) for player in players}
    assert sorted(race.variant for race in races.values()) == ["braid", "plot"]
    for race in races.values():
        assert (race.state, race.entrants.count()) == ("countdown", 2)
        assert race.starts_at is not None
        assert all(entrant.attempt for entrant in race.entrants.all())


def test_players_wait_elsewhere_if_no_deal_is_found() -> None:
    first, second = pair(0, "plot", "tarot")
    lost = race_of(first)
    Race.objects.filter(pk=lost.pk).update(deal=None, deal_failed=True)
    matchmaking.advance_all(at(20))
    race = race_of(first)
    assert race == race_of(second)
    assert (race.pk == lost.pk, race.deal_failed, race.variant in ("plot", "tarot")) == (False, False, True)
    assert [state_of(first), state_of(second)] == ["ready", "ready"]
    matchmaking.advance_all(at(21))
    matchmaking.advance_all(at(29))
    assert race_of(first).state == "countdown"
    lost.refresh_from_db()
    assert (lost.state, lost.void) == ("void", Race.Void.NOT_STARTED)


def test_players_are_not_moved_to_a_room_without_a_deal() -> None:
    first = enter(0, "plot")
    lone = rooms.open_room(None, "plot", None, limit_s=1200, seats=16, kind=Room.Kind.QUICK, now=at(0))
    seats.sit(lone.pk, create_guest(), wishes=["plot"], now=at(0))
    Race.objects.filter(room=lone).update(deal=None, deal_failed=True)
    kept = room_of(first)
    matchmaking.advance_room(kept.pk, at(1))
    assert room_of(first) == kept


def test_a_waiting_player_is_not_moved_to_an_empty_room() -> None:
    empty = rooms.open_room(None, "plot", None, limit_s=1200, seats=16, kind=Room.Kind.QUICK, now=at(0))
    lone = create_guest()
    other = rooms.open_room(None, "plot", None, limit_s=1200, seats=16, kind=Room.Kind.QUICK, now=at(0))
    seats.sit(other.pk, lone, wishes=["plot"], now=at(0))
    assert not matchmaking.advance_room(other.pk, at(1))
    assert room_of(lone) == other
    assert Race.objects.get(room=empty).entrants.count() == 0


def test_a_waiting_player_takes_the_last_free_seat() -> None:
    first = enter(0, "plot")
    lone = rooms.open_room(None, "plot", None, limit_s=1200, seats=2, kind=Room.Kind.QUICK, now=at(0))
    seats.sit(lone.pk, create_guest(), wishes=["plot"], now=at(0))
    assert matchmaking.advance_room(room_of(first).pk, at(1))
    assert room_of(first) == lone
    assert Race.objects.get(room=lone).entrants.count() == 2


def test_players_without_wishes_meet_in_the_same_game() -> None:
    room = rooms.open_room(None, "plot", None, limit_s=1200, seats=16, kind=Room.Kind.QUICK, now=at(0))
    guest = create_guest()
    seats.sit(room.pk, guest, now=at(0))
    enter(0, "braid")
    assert not matchmaking.advance_room(room.pk, at(1))
    Race.objects.exclude(room=room).update(variant="plot")
    assert matchmaking.advance_room(room.pk, at(2))
    assert race_of(guest).entrants.count() == 2


def test_a_common_wish_is_found_from_either_room() -> None:
    first, second = enter(0, "plot"), enter(0, "braid")
    Entrant.objects.filter(player=first).update(wishes=["plot", "tarot"])
    Entrant.objects.filter(player=second).update(wishes=["tarot", "braid"])
    assert matchmaking.advance_room(room_of(first).pk, at(1))
    assert room_of(first) == room_of(second)


def test_a_new_room_gets_a_game_with_spare_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """More deals than the coming days need; if there are none, any of the chosen games."""
    stock = {name: Counter({"easy": sealed_stock.KEPT_FOR_DAYS}) for name in CATALOGUE}
    monkeypatch.setattr(sealed_stock, "levels", lambda: stock)
    assert race_of(enter(0, "plot")).variant == "plot"
    stock["tarot"]["hard"] = 1
    assert {matchmaking._new_room(ALL, T0).pk and Race.objects.latest("pk").variant for _ in range(8)} == {"tarot"}


def test_the_countdown_ends_the_absence_check() -> None:
    first, _ = pair()
    matchmaking.advance_all(at(8))
    with pytest.raises(Refusal):
        turn_away(first, 9)
    assert state_of(first) == "ready"


# --- Roll call: the countdown begins at second 8, the race at 18, and from 15 on it can no longer be cancelled --------


def counting(count: int = 2) -> tuple[list[User], list[int]]:
    """Players in a countdown who have been connected, and their entrants."""
    first, second = pair()
    players = [first, second, *(enter(1, "plot") for _ in range(count - 2))]
    matchmaking.advance_all(at(8))
    entrants = [Entrant.objects.get(player=player).pk for player in players]
    matchmaking.record_connected(room_of(first).pk, entrants, at(9))
    return players, entrants


@pytest.mark.usefixtures("missed")
def test_player_who_left_the_countdown_is_not_raced_against() -> None:
    (first, second), (mine, other) = counting()
    room, deal = room_of(first), race_of(first).deal_id
    matchmaking.record_disconnected(other, at(12))
    matchmaking.record_connected(room.pk, [mine], at(13))
    assert race_of(second).state == "countdown"
    matchmaking.record_connected(room.pk, [mine], at(14))
    race = race_of(first)
    assert (race.room, race.state, race.starts_at, race.gathers_until) == (room, "open", None, None)
    assert (state_of(first), seats.room_of(second.pk)) == ("joined", None)
    assert (race.deal_id, race.deal.revealed_at if race.deal else at(0)) == (deal, None)
    assert not Attempt.objects.exists()
    assert [matchmaking.pop_note(one.pk) for one in (first, second)] == [
        matchmaking.Note.ALONE,
        matchmaking.Note.ABSENT,
    ]
    assert room_of(enter(20, "plot")) == room, "first in line for the next player"


def test_reload_during_the_countdown_keeps_the_seat() -> None:
    (first, second), (mine, other) = counting()
    matchmaking.record_disconnected(other, at(13.5))
    matchmaking.record_connected(room_of(first).pk, [mine], at(14))
    matchmaking.record_connected(room_of(first).pk, [mine, other], at(14.4))
    matchmaking.record_connected(room_of(first).pk, [mine], at(14.9))
    assert race_of(first) == race_of(second)
    assert race_of(first).state == "countdown"


def test_three_race_without_the_one_who_left() -> None:
    (first, second, third), (mine, other, _) = counting(3)
    matchmaking.record_connected(room_of(first).pk, [mine, other], at(14))
    assert (race_of(first).state, race_of(first)) == ("countdown", race_of(second))
    assert Entrant.objects.get(player=third).state == "absent"


@pytest.mark.parametrize(("second", "here"), [(14, False), (15, True)])
def test_countdown_goes_on_without_signs_or_time(second: int, here: bool) -> None:
    (first, _), (mine, _other) = counting()
    Entrant.objects.update(here_until=None)
    matchmaking.record_connected(room_of(first).pk, [mine] if here else [], at(second))
    assert race_of(first).state == "countdown"


def started(count: int, left_at: float, *, dealt: int = 1) -> tuple[list[User], Race]:
    """Start a match whose last player closes the last connection at `left_at`; the first `dealt` get their cards."""
    players, entrants = counting(count)
    race = race_of(players[0])
    matchmaking.record_connected(race.room_id, entrants, at(15.5))
    matchmaking.record_disconnected(entrants[-1], at(left_at))
    assert race_start.begin_due(at(18.2)) == [race.pk]
    race_start.mark_dealt(Entrant.objects.filter(pk__in=entrants[:dealt]).values_list("attempt", flat=True), at(18.2))
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
    assert [matchmaking.pop_note(one.pk) for one in (first, second)] == [
        matchmaking.Note.ALONE,
        matchmaking.Note.ABSENT,
    ]
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
    race_start.mark_dealt(race.entrants.values_list("attempt", flat=True), at(19))
    assert at(19) not in due_steps.times_due(snapshot.read_rooms([race.room_id])[race.room_id])


async def test_closing_the_last_connection_is_recorded(watch: Any, hub: RoomHub, other_hub: RoomHub) -> None:
    house = await house_of(2)
    await Room.objects.filter(pk=house.room.pk).aupdate(kind=Room.Kind.QUICK)
    await sync_to_async(house.start)(60)
    mine, other = (
        watch(house, player, at=at_hub) for player, at_hub in zip(house.players, (hub, other_hub), strict=True)
    )

    await mine.watch()
    await other.watch()
    entrants = [(await sync_to_async(house.entrant)(place)).pk for place in range(2)]
    await sync_to_async(matchmaking.record_connected)(house.room.pk, entrants)
    await other.leave()
    left = await Entrant.objects.aget(pk=entrants[1])
    assert left.here_until is not None
    assert left.here_until <= timezone.now() + matchmaking.DISCONNECT_GRACE
