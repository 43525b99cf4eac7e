"""Quick matches: matching of players, and their start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.core.errors import ErrorCode, Refusal
from games.deals import sealed_stock
from games.manifests import SHORT_VARIANTS
from games.races import reconciler, rooms, seats, starting
from games.races.live import due_steps, protocol, snapshot
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.rules import CATALOGUE
from tests.concurrency import run_together
from tests.games.races.quick_match.queue_players import (
    ALL,
    confirm,
    counting,
    enter,
    pair,
    quick_room,
    race_of,
    room_of,
    state_of,
    turn_away,
)
from tests.games.races.runs import T0, Run, at, refused

pytestmark = pytest.mark.django_db(transaction=True)


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
    reconciler.reconcile(at(11))
    race = race_of(third)
    assert (race.state, race.starts_at, race.entrants.count()) == ("countdown", at(21), 3)
    assert list(race.entrants.values_list("attempt__free_undo", flat=True)) == [False] * 3


def gathering_step(room: Room) -> Callable[[], object] | None:
    return due_steps.gathering_step(snapshot.read_rooms([room.pk])[room.pk])


def test_a_watched_room_is_tended_every_second() -> None:
    first, second = enter(0, "plot"), enter(1, "plot")
    seats.set_ready(room_of(first).pk, first.pk, ready=True, now=at(1))
    assert [state_of(first), state_of(second), race_of(first).gathers_until] == ["ready", "ready", None]
    tend = gathering_step(room_of(first))
    assert tend is not None
    tend()
    assert race_of(first).gathers_until is not None
    assert gathering_step(Run.of(1).room) is None, "other rooms are not"


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
    lone = quick_room(second)
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
    other = enter(0, "plot")
    enter(1, "plot")
    matchmaking.advance_all(at(2))
    assert room_of(lone) == room_of(other)


def test_common_wishes_are_matched_in_a_third_room() -> None:
    first, second = enter(0, "plot"), enter(0, "braid")
    Entrant.objects.filter(player=first).update(wishes=["plot", "tarot"])
    Entrant.objects.filter(player=second).update(wishes=["tarot", "braid"])
    left = {room_of(first).pk, room_of(second).pk}
    assert matchmaking.advance_room(room_of(first).pk, at(1))
    race = race_of(first)
    assert (race.variant, race.entrants.count(), race.gathers_until) == ("tarot", 2, None)
    assert [state_of(first), state_of(second)] == ["joined", "joined"]
    confirm(first, 2)
    confirm(second, 2)
    assert race_of(first).gathers_until == at(10)
    assert not Room.objects.filter(pk__in=left, closed_at=None).exists()


@pytest.mark.parametrize("returns", [True, False])
def test_an_absent_player_has_fifteen_seconds_to_return(returns: bool) -> None:
    away = enter(0, "plot")
    turn_away(away, 5)
    matchmaking.advance_all(at(300))
    assert state_of(away) == "joined"
    enter(300, "plot")
    matchmaking.advance_all(at(314.9))
    assert state_of(away) == "joined"
    if returns:
        seats.set_ready(room_of(away).pk, away.pk, ready=True, now=at(314.9))
        matchmaking.advance_all(at(316))
        assert race_of(away).gathers_until == at(324)
        matchmaking.advance_all(at(324))
        assert race_of(away).state == "countdown"
    else:
        matchmaking.advance_all(at(315))
        assert not Entrant.objects.filter(player=away).exists()
        assert seats.room_of(away.pk) is None


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
def test_a_player_left_alone_confirms_the_next_opponent() -> None:
    first, second = enter(0, "plot"), enter(60, "plot")
    seats.leave(room_of(first).pk, first.pk, at(61))
    matchmaking.advance_all(at(80))
    assert not matchmaking.pop_note(first.pk), "leaving before confirming is no missed match"
    assert state_of(second) == "joined"
    late = create_guest()
    seats.sit(room_of(second).pk, late, now=at(600))  # through the room's page
    confirm(late, 601)
    assert (state_of(second), race_of(second).gathers_until) == ("joined", None)


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
    closed = quick_room()
    rooms.close(closed, at(1))
    turn_away(away, 5)
    first, _ = enter(100, "plot"), enter(101, "plot")
    in_closed_room = Race.objects.filter(room=closed).select_related("room")
    monkeypatch.setattr(matchmaking, "_joinable_races", lambda *_: in_closed_room)
    matchmaking.advance_all(at(109))
    assert race_of(first).state == "countdown"
    assert (race_of(away).state, state_of(away)) == ("open", "joined")


def test_a_deleted_players_seat_is_free() -> None:
    first, second = pair()
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


@pytest.mark.parametrize("in_room", [True, False], ids=["seated in a room", "in a countdown"])
def test_a_player_with_another_race_cannot_enter(in_room: bool) -> None:
    player = Run.of(1, name="plot").players[0] if in_room else counting()[0]
    enter(9, "braid")
    before = list(Room.objects.values()), list(Entrant.objects.values())
    with pytest.raises(Refusal) as refused:
        matchmaking.enter(player, ["braid"], at(9))
    assert (refused.value.code, refused.value.data) == (ErrorCode.ALREADY_RACING, {"room": room_of(player).code})
    assert (list(Room.objects.values()), list(Entrant.objects.values())) == before


def test_a_player_too_late_for_a_seat_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """For example if the room fills up after it was found."""
    found, sit = room_of(enter(0, "plot")), seats.sit

    def sit_too_late(room_id: int, player: User, **rest: Any) -> Entrant:
        if room_id == found.pk:
            raise Refusal(ErrorCode.ROOM_FULL)
        return sit(room_id, player, **rest)

    monkeypatch.setattr(seats, "sit", sit_too_late)
    assert state_of(enter(1, "plot")) == "joined"


def test_wishes_are_variants() -> None:
    for wishes in ([], ["klondike"], ["plot", "klondike"]):
        assert refused(partial(matchmaking.enter, create_guest(), wishes, T0)) == ErrorCode.BAD_OPTION
    assert not Room.objects.exists()


def test_a_countdown_or_running_race_is_not_joined() -> None:
    first, _ = counting()
    race = race_of(first)
    with pytest.raises(Refusal):
        turn_away(first, 9)
    assert state_of(first) == "ready", "the countdown ends the check for absence"
    assert room_of(enter(9, "plot")) != race.room
    starting.start_racing(at(18))
    starting.mark_dealt(list(race.entrants.values_list("attempt", flat=True)), at(18))
    assert room_of(enter(19, "plot")) != race.room


def test_two_processes_tend_at_once() -> None:
    players = [*pair("plot"), *pair("braid")]

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
    first, second = pair("plot", "tarot")
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
    lone = quick_room(create_guest())
    Race.objects.filter(room=lone).update(deal=None, deal_failed=True)
    room = room_of(first)
    matchmaking.advance_room(room.pk, at(1))
    assert room_of(first) == room


def test_a_waiting_player_is_not_moved_to_an_empty_room() -> None:
    empty = quick_room()
    lone = create_guest()
    other = quick_room(lone)
    assert not matchmaking.advance_room(other.pk, at(1))
    assert room_of(lone) == other
    assert Race.objects.get(room=empty).entrants.count() == 0


def test_a_waiting_player_takes_the_last_free_seat() -> None:
    first = enter(0, "plot")
    lone = quick_room(create_guest(), size=2)
    assert matchmaking.advance_room(room_of(first).pk, at(1))
    assert room_of(first) == lone
    assert Race.objects.get(room=lone).entrants.count() == 2


def test_players_without_wishes_meet_in_the_same_game() -> None:
    room = quick_room()
    guest = create_guest()
    seats.sit(room.pk, guest, now=at(0))
    enter(0, "braid")
    assert not matchmaking.advance_room(room.pk, at(1))
    Race.objects.exclude(room=room).update(variant="plot")
    assert matchmaking.advance_room(room.pk, at(2))
    assert race_of(guest).entrants.count() == 2


def test_a_new_room_gets_a_short_game_if_the_player_wants_one() -> None:
    assert {matchmaking._new_race(ALL, T0).variant for _ in range(16)} == set(SHORT_VARIANTS)
    assert race_of(enter(0, "braid", "stonewall")).variant == "stonewall"
    assert race_of(enter(1, "braid")).variant == "braid"


def test_a_new_room_gets_a_game_with_spare_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """More deals than the coming days need; if there are none, any of the chosen games."""
    stock = {name: Counter({"easy": sealed_stock.RESERVED_FOR_DAYS}) for name in CATALOGUE}
    monkeypatch.setattr(sealed_stock, "levels", lambda: stock)
    assert race_of(enter(0, "plot")).variant == "plot"
    stock["tarot"]["hard"] = 1
    assert {matchmaking._new_race(["plot", "tarot"], T0).variant for _ in range(8)} == {"tarot"}
