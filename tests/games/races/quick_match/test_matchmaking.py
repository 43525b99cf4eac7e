"""Quick matches: how two players meet, and how their race starts."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.core.errors import ErrorCode, Refusal
from games.deals import sealed_stock
from games.manifests import SHORT_VARIANTS
from games.models import Attempt
from games.races import rooms, seats, starting
from games.races.attendance import roll_call
from games.races.attendance.roll_call import Note, note_for
from games.races.live import due_steps, protocol, snapshot
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking, open_seeks
from games.rules import CATALOGUE
from tests.concurrency import run_together
from tests.games.races.quick_match.queue_players import (
    ALL,
    answer,
    counting,
    enter,
    is_seated,
    pair,
    quick_room,
    race_of,
    room_of,
    stay,
)
from tests.games.races.runs import T0, Run, at, refused

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_player_waits_in_a_rated_hostless_room() -> None:
    player = enter(0, "plot")
    race = race_of(player)
    assert (race.state, race.rated, race.variant, race.limit_s) == ("open", True, "plot", 1200)
    assert (race.room.kind, race.room.host, race.room.seats) == ("quick", None, 2)
    assert race.gathers_until is None
    assert {race.opened_at, race.room.made_at, race.entrants.get().joined_at} == {at(0)}
    matchmaking.advance_all(at(60))
    assert race_of(player).state == "open"


def test_two_in_front_of_the_room_race_within_five_seconds() -> None:
    first, second = enter(0, "plot", "braid"), enter(2, "braid", "plot")
    assert race_of(first) == race_of(second)
    assert race_of(first).gathers_until == at(17)
    answer(second, 2)
    assert race_of(first).state == "open"
    answer(first, 2.5)
    race = race_of(first)
    assert (race.state, race.starts_at) == ("countdown", at(7.5))
    assert list(race.entrants.values_list("attempt__free_undo", flat=True)) == [False] * 2


def test_a_match_is_a_duel() -> None:
    pair()
    third = enter(1, "plot")
    assert race_of(third).entrants.count() == 1


def test_different_wishes_are_different_races() -> None:
    first, second = enter(0, "plot"), enter(0, "braid")
    matchmaking.advance_all(at(60))
    assert (race_of(first).variant, race_of(second).variant) == ("plot", "braid")


def test_the_game_is_one_that_both_want() -> None:
    first = enter(0, "plot", "tarot")
    Race.objects.filter(room=room_of(first)).update(variant="plot")
    second = enter(1, "tarot", "braid")
    race = race_of(first)
    assert (race, race.variant, room_of(first).variant) == (race_of(second), "tarot", "tarot")
    assert race.deal is not None
    assert race.deal.variant == "tarot"


def test_a_closed_page_is_no_ones_opponent() -> None:
    gone = enter(0, "plot", stays=False)
    late = enter(5, "plot")
    assert race_of(late).entrants.count() == 1
    matchmaking.advance_all(at(15))
    assert not is_seated(gone)
    assert Room.objects.filter(closed_at=None).get() == room_of(late)


def test_a_player_whose_page_was_closed_may_sit_elsewhere_at_once() -> None:
    player, room = enter(0, "plot", stays=False), Run.of(1).room
    seats.sit(room.pk, player, now=at(6))
    assert room_of(player) == room


def test_open_seeks_show_who_waits_for_which_games_and_since_when() -> None:
    enter(0, "plot", "braid")
    enter(0, "tarot", stays=False)
    pair("stonewall")
    since = int(at(0).timestamp() * 1000)
    guest = {"name": "", "avatar": "/avatars/guest.svg", "variants": ["braid", "plot"], "since": since}
    assert open_seeks.read(at(6)) == {"now": since + 6000, "seeks": [guest]}


def test_a_seek_is_hidden_soon_after_its_page_was_closed() -> None:
    seek = Entrant.objects.get(player=enter(0, "plot"))
    roll_call.record_left([seek.pk], at(10))
    assert len(open_seeks.read(at(11))["seeks"]) == 1, "another page may be loading"
    assert open_seeks.read(at(12))["seeks"] == []
    roll_call.record_present([seek.pk], at(12))
    assert len(open_seeks.read(at(13))["seeks"]) == 1
    both = Entrant.objects.filter(player__in=pair("stonewall"))
    roll_call.record_left([entrant.pk for entrant in both], at(14))
    assert not both.filter(here_until__lt=at(60)), "a match keeps its own deadline"


@pytest.mark.usefixtures("missed")
def test_a_player_who_does_not_answer_loses_the_seat() -> None:
    first, second = enter(0, "plot"), enter(60, "plot")
    answer(second, 61)
    matchmaking.advance_all(at(74.9))
    assert is_seated(first)
    matchmaking.advance_all(at(75))
    assert not is_seated(first)
    assert (race_of(second).state, race_of(second).gathers_until) == ("open", None)
    assert [note_for(first.pk), note_for(second.pk)] == [Note.MISSED, None]
    enter(70, "tarot")
    third = enter(80, "plot")
    assert race_of(third) == race_of(second), "first in line"
    assert not Entrant.objects.filter(race=race_of(third)).exclude(answered_at=None).exists(), "both are asked again"


def test_an_opponent_who_answers_and_goes_is_not_raced_against() -> None:
    first, second = pair()
    answer(first, 1)
    Entrant.objects.filter(player=first).update(here_until=at(6))
    answer(second, 14)
    assert race_of(second).state == "open"
    matchmaking.advance_all(at(15))
    assert not is_seated(first)
    assert is_seated(second)


def test_the_opponent_waits_again_if_one_leaves() -> None:
    first, second = pair()
    answer(first, 1)
    seats.leave(room_of(second).pk, second.pk, at(2))
    assert (race_of(first).state, race_of(first).gathers_until) == ("open", None)
    third = enter(3, "plot")
    assert race_of(third).gathers_until == at(18)
    answer(third, 4)
    assert race_of(first).state == "open", "the first one has not come to this match"


@pytest.mark.usefixtures("missed")
def test_a_start_is_called_off_if_the_opponent_goes() -> None:
    first, second = counting()
    deal = race_of(first).deal_id
    Entrant.objects.filter(player=second).update(here_until=at(1))
    starting.look_again(room_of(first).pk, at(1.5))
    race = race_of(first)
    assert (race.state, race.starts_at, race.gathers_until, race.deal_id) == ("open", None, None, deal)
    assert not is_seated(second)
    assert not Attempt.objects.exists()
    assert [note_for(one.pk) for one in (first, second)] == [Note.ALONE, Note.ABSENT]


def test_the_room_shows_the_time_to_answer() -> None:
    first = enter(0, "plot")

    def shown_to(player: User) -> int | None:
        facts = snapshot.read_rooms([room_of(first).pk])[room_of(first).pk]
        return snapshot.you_message(facts, player.pk).answer_by

    assert shown_to(first) is None
    second = enter(60, "plot")
    assert [shown_to(first), shown_to(second)] == [protocol.clock(at(75))] * 2
    answer(first, 62)
    assert [shown_to(first), shown_to(second)] == [None, protocol.clock(at(75))]


def test_only_players_with_an_opponent_answer() -> None:
    first = enter(0, "plot")
    run = Run.of(2)
    Race.objects.filter(pk=run.race.pk).update(gathers_until=at(60))
    for room, player in ((room_of(first), first), (run.room, run.players[0])):
        assert refused(partial(matchmaking.answer, room.pk, player.pk, at(1))) == ErrorCode.NOT_ENTERED


def test_watched_matches_advance() -> None:
    first = quick_room(create_guest(), create_guest())
    facts = snapshot.read_rooms([first.pk])[first.pk]
    step = due_steps.gathering_step(facts)
    assert step is not None
    step()
    assert Race.objects.get(room=first).gathers_until is not None, "both want a rematch"
    room = Run.of(2).room
    assert due_steps.gathering_step(snapshot.read_rooms([room.pk])[room.pk]) is None


def test_two_who_wait_alone_meet() -> None:
    """Two processes have each made a room at the same moment."""
    first, second = enter(0, "plot"), create_guest()
    left = room_of(first)
    lone = quick_room(second)
    matchmaking.advance_room(left.pk, at(1))
    assert room_of(first) == room_of(second) == lone
    assert race_of(first).gathers_until == at(16)
    left.refresh_from_db()
    assert left.closed_at == at(1)
    assert Race.objects.get(room=left).void == "not_started"


def test_a_player_who_is_gone_is_not_moved() -> None:
    gone, other = enter(0, "plot", stays=False), create_guest()
    quick_room(other)
    matchmaking.advance_room(room_of(gone).pk, at(6))
    assert room_of(gone) != room_of(other)


def test_a_deleted_players_seat_is_free() -> None:
    first, second = pair()
    second.delete()
    matchmaking.advance_all(at(1))
    assert race_of(first).gathers_until is None


def test_a_match_waits_for_its_deal() -> None:
    first, second = pair()
    deal = race_of(first).deal
    Race.objects.update(deal=None)
    answer(first, 1)
    answer(second, 1)
    matchmaking.advance_all(at(30))
    assert race_of(first).state == "open"
    Race.objects.update(deal=deal)
    matchmaking.advance_all(at(31))
    assert race_of(first).starts_at == at(36)


def test_another_game_replaces_one_without_a_deal() -> None:
    first, second = pair("plot", "tarot")
    failed = race_of(first)
    Race.objects.filter(pk=failed.pk).update(deal=None, deal_failed=True)
    matchmaking.advance_all(at(1))
    race = race_of(second)
    assert (race, race.deal_failed, {race.variant, failed.variant}) == (failed, False, {"plot", "tarot"})
    assert race.deal is not None


def test_entering_again_keeps_the_seat_with_new_wishes() -> None:
    player = enter(0, "plot", stays=False)
    room = matchmaking.enter(player, ["plot", "tarot"], at(8))
    entrant = Entrant.objects.get(player=player)
    assert room == room_of(player)
    assert (entrant.wishes, entrant.here_until) == (["tarot", "plot"], at(8) + roll_call.PRESENT_FOR)


@pytest.mark.parametrize("in_room", [True, False], ids=["seated in a room", "in a countdown"])
def test_a_player_with_another_race_cannot_enter(in_room: bool) -> None:
    player = Run.of(1, name="plot").players[0] if in_room else counting()[0]
    enter(1, "braid")
    before = list(Room.objects.values()), list(Entrant.objects.values())
    with pytest.raises(Refusal) as refused:
        matchmaking.enter(player, ["braid"], at(1))
    assert (refused.value.code, refused.value.data) == (ErrorCode.ALREADY_RACING, {"room": room_of(player).code})
    assert (list(Room.objects.values()), list(Entrant.objects.values())) == before


def test_a_player_too_late_for_a_seat_gets_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """For example if the opponent was found by another player first."""
    found, lock_room = room_of(enter(0, "plot")), rooms.lock_room

    def lock_too_late(room_id: int) -> Room:
        if room_id == found.pk:
            raise Refusal(ErrorCode.ROOM_CLOSED)
        return lock_room(room_id)

    monkeypatch.setattr(rooms, "lock_room", lock_too_late)
    assert race_of(enter(1, "plot")).entrants.count() == 1


def test_wishes_are_variants() -> None:
    for wishes in ([], ["klondike"], ["plot", "klondike"]):
        assert refused(partial(matchmaking.enter, create_guest(), wishes, T0)) == ErrorCode.BAD_OPTION
    assert not Room.objects.exists()


def test_many_processes_start_a_match_once() -> None:
    players = [*pair("plot"), *pair("braid")]
    Entrant.objects.update(answered_at=at(1))
    assert run_together(*[partial(matchmaking.advance_all, at(1))] * 4) == [None] * 4
    races = {race_of(player).pk: race_of(player) for player in players}
    assert sorted(race.variant for race in races.values()) == ["braid", "plot"]
    for race in races.values():
        assert (race.state, race.entrants.count()) == ("countdown", 2)
        assert all(entrant.attempt for entrant in race.entrants.all())


def test_many_players_enter_at_once() -> None:
    players = [create_guest() for _ in range(4)]
    run_together(*(partial(matchmaking.enter, player, ["plot"], at(0)) for player in players))
    for player in players:
        stay(player)
    for _ in range(2):
        matchmaking.advance_all(at(1))
    assert [race_of(player).entrants.count() for player in players] == [2] * 4


def test_players_without_wishes_meet_in_the_same_game() -> None:
    room, guest = quick_room(), create_guest()
    seats.sit(room.pk, guest, now=at(0))  # through the room's page
    stay(guest)
    enter(0, "braid")
    assert race_of(guest).entrants.count() == 1
    enter(0, "plot")
    assert race_of(guest).entrants.count() == 2


def test_a_room_that_closes_is_not_joined() -> None:
    first = enter(0, "plot")
    Room.objects.filter(pk=room_of(first).pk).update(closed_at=at(1))
    assert race_of(enter(2, "plot")).entrants.count() == 1


def test_a_new_room_gets_a_short_game_if_the_player_wants_one() -> None:
    assert {matchmaking.choose_variant(ALL) for _ in range(16)} == set(SHORT_VARIANTS)
    assert race_of(enter(0, "braid", "stonewall")).variant == "stonewall"
    assert race_of(enter(1, "braid")).variant == "braid"


def test_a_new_room_gets_a_game_with_spare_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """More deals than the coming days need; if there are none, any of the chosen games."""
    stock = {name: Counter({"easy": sealed_stock.RESERVED_FOR_DAYS}) for name in CATALOGUE}
    monkeypatch.setattr(sealed_stock, "levels", lambda: stock)
    assert race_of(enter(0, "plot")).variant == "plot"
    stock["tarot"]["hard"] = 1
    assert {matchmaking.choose_variant(["plot", "tarot"]) for _ in range(8)} == {"tarot"}


def test_a_rematch_in_the_same_room_is_a_match() -> None:
    first, second = counting()
    room = room_of(first)
    starting.start_racing(at(5))
    rooms_before = Room.objects.count()
    starting.mark_dealt(Attempt.objects.values_list("pk", flat=True), at(5))
    for player in (first, second):
        seats.leave(room.pk, player.pk, at(6))
    for player in (first, second):
        seats.sit(room.pk, player, now=at(7))
    matchmaking.advance_room(room.pk, at(7))
    assert (race_of(first).number, race_of(first).gathers_until) == (2, at(22))
    assert Room.objects.count() == rooms_before
