"""Puzzle races: the same puzzles for everyone at the same second, moves, places and the end."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import merge_guest
from games.core.errors import ErrorCode, Refusal
from games.puzzles.models import PuzzleRun, PuzzleTry
from games.puzzles.runs import puzzle_runs
from games.puzzles.runs.run_board import best_of, board_of
from games.races import finishing, reconciler, rooms, seats, starting, storms, unseen_deals
from games.races.bots import seating
from games.races.live import snapshot
from games.races.made_to_order import prepare
from games.races.models import Race
from games.races.results import download
from tests.games.puzzles.puzzles import STONEWALL, right, wrong
from tests.games.races.conftest import House
from tests.games.races.runs import refused
from tests.games.races.storms import end, house_of_puzzles, pass_time, play, racing_house, solve, storm

pytestmark = pytest.mark.django_db(transaction=True)


def results(house: House) -> list[tuple[Any, ...]]:
    columns = ("state", "place", "cards_up", "elapsed_ms", "tokens")
    return list(house.race.entrants.order_by("pk").values_list(*columns))


def change(house: House, name: str, limit_s: int = 300) -> None:
    rooms.change(house.room.pk, house.players[0].pk, name, limit_s=limit_s, seats=16, public=True, free_undo=False)


def test_a_room_has_puzzles_in_place_of_a_deal(player: User) -> None:
    house = house_of_puzzles(2)
    race = house.race
    assert (race.variant, race.game, race.options, race.limit_s) == ("puzzles", "puzzles", {}, 180)
    assert race.puzzles is not None
    assert (len(race.puzzles), race.deal, race.has_deal, race.rated) == (3, None, True, False)
    rooms.close(house.room)
    assert (house.race.state, house.race.puzzles) == ("void", None)
    code = refused(lambda: rooms.open_room(player, "puzzles", {"draw": 3}, limit_s=300, seats=2))
    assert code == ErrorCode.BAD_OPTION, "puzzles have no options"


def test_all_racers_get_the_same_puzzles_at_the_same_time() -> None:
    house = house_of_puzzles(3)
    house.start(countdown=15)
    for place in range(3):
        run = storm(house, place)
        assert (run.puzzles, run.begun_at, run.kind) == (house.race.puzzles, house.race.starts_at, "race")


def test_no_puzzle_leaves_before_the_start() -> None:
    house = house_of_puzzles(2)
    house.start(countdown=60)
    with pytest.raises(Refusal) as refusal:
        storms.current(house.race.pk, house.players[0].pk)
    assert refusal.value.code == ErrorCode.NOT_BEGUN
    assert 50_000 < refusal.value.data["starts_in"] <= 60_000
    assert refused(lambda: play(house, 0, 0, 0, right(STONEWALL, 0))) == ErrorCode.NOT_BEGUN
    assert house.states() == "countdown seated seated"
    # Nor is a move accepted by the run itself.
    assert refused(lambda: puzzle_runs.play(storm(house, 0).pk, 0, 0, right(STONEWALL, 0))) == ErrorCode.NOT_BEGUN


def test_the_first_puzzle_makes_a_player_a_racer_and_others_are_absent() -> None:
    house = house_of_puzzles(3)
    house.start()
    for place in (0, 1):
        _state, puzzle = storms.current(house.race.pk, house.players[place].pk)
        assert puzzle is not None
        assert puzzle["turns"] == len(STONEWALL.turns)
    assert refused(lambda: play(house, 2, 0, 0, right(STONEWALL, 0))) == ErrorCode.NOT_BEGUN
    pass_time(house, 11)
    assert refused(lambda: storms.current(house.race.pk, house.players[2].pk)) == ErrorCode.CLOSED, "too late"
    reconciler.reconcile(timezone.now() + starting.GRACE)
    assert house.states() == "racing racing racing absent"
    assert refused(lambda: storms.current(house.race.pk, house.players[2].pk)) == ErrorCode.CLOSED
    assert refused(lambda: play(house, 2, 0, 0, right(STONEWALL, 0))) == ErrorCode.CLOSED


def test_moves_are_judged_as_in_a_storm() -> None:
    house = racing_house(2)
    solve(house, 0, 0)
    reply = play(house, 0, 1, 0, wrong(STONEWALL, 0))
    assert (reply.right, reply.state.solved, reply.state.mistakes) == (False, 1, 1)
    assert 160_000 < reply.state.ms_left <= 170_000
    assert refused(lambda: play(house, 0, 1, 0, right(STONEWALL, 0))) == ErrorCode.STALE
    assert storm(house, 1).at == 0
    # A reload shows the same puzzle again.
    state, puzzle = storms.current(house.race.pk, house.players[0].pk)
    assert (state.at, state.solved, puzzle is None) == (2, 1, False)
    assert not PuzzleTry.objects.exists()


def test_others_have_no_run_here(player: User) -> None:
    house = racing_house(2)
    for stranger in (player.pk, None):
        assert refused(partial(storms.current, house.race.pk, stranger)) == ErrorCode.NOT_FOUND
        assert refused(partial(storms.play, house.race.pk, stranger, 0, 0, "d")) == ErrorCode.NOT_FOUND
    # A racer's run is no storm outside the race.
    own = storm(house, 0)
    assert refused(lambda: puzzle_runs.own_run(own.player_id, "storm", own.public_id)) == ErrorCode.NOT_FOUND


def test_a_storm_takes_no_moves_once_its_time_is_up() -> None:
    house = racing_house(2)
    play(house, 0, 0, 0, wrong(STONEWALL, 0))
    pass_time(house, 171)
    assert refused(lambda: play(house, 0, 1, 0, right(STONEWALL, 0))) == ErrorCode.CLOSED
    state, puzzle = storms.current(house.race.pk, house.players[0].pk)
    assert (state.ms_left, puzzle) == (0, None)
    play(house, 1, 0, 0, right(STONEWALL, 0))


def after(house: House, seconds: float) -> datetime:
    start = house.race.starts_at
    assert start is not None
    return start + timedelta(seconds=seconds)


def test_a_race_ends_without_connections() -> None:
    house = racing_house(2)
    solve(house, 1, 0)
    reconciler.reconcile(after(house, 179))
    assert house.states() == "racing racing racing"
    reconciler.reconcile(after(house, 180))
    run, race = storm(house, 1), house.race
    assert (race.state, race.finished_at is None) == ("finished", False)
    assert results(house) == [("timed_out", 2, 0, 0, 0), ("timed_out", 1, 1, run.solved_ms, 0)]
    assert refused(lambda: play(house, 1, 1, 0, right(STONEWALL, 0))) == ErrorCode.CLOSED


def lose_time(house: House, *places: int) -> None:
    """Let racers play a wrong move at their first puzzle."""
    for place in places:
        play(house, place, 0, 0, wrong(STONEWALL, 0))


def test_a_race_ends_early_if_all_have_lost_time() -> None:
    house = racing_house(2)
    lose_time(house, 0, 1)
    reconciler.reconcile(after(house, 169))
    assert house.states() == "racing racing racing"
    reconciler.reconcile(after(house, 170))
    race = house.race
    assert race.state == "finished"
    assert race.ends_at is not None
    assert race.finished_at is not None
    assert race.finished_at < race.ends_at


def test_asking_for_a_puzzle_after_the_time_ends_the_race() -> None:
    house = racing_house(2)
    lose_time(house, 0, 1)
    pass_time(house, 170)
    for place, states in ((0, "racing timed_out racing"), (0, "racing timed_out racing"), (1, "timed_out timed_out")):
        state, puzzle = storms.current(house.race.pk, house.players[place].pk)
        assert (state.ms_left, puzzle) == (0, None)
        assert house.states().endswith(states)
    assert house.race.state == "finished"


def test_the_last_puzzle_ends_the_race_with_its_move() -> None:
    house = racing_house(2)
    for place, states in ((0, "racing timed_out racing"), (1, "finished timed_out timed_out")):
        solve(house, place, 0)
        for at in (1, 2):
            play(house, place, at, 0, wrong(STONEWALL, 0))
        assert house.states() == states


def test_a_move_takes_four_queries_in_a_transaction(django_assert_num_queries: Any) -> None:
    house = racing_house(2)
    race, player = house.race.pk, house.players[0].pk
    with django_assert_num_queries(6):  # BEGIN, the seat, the run, the puzzle, the update, COMMIT
        storms.play(race, player, 0, 0, right(STONEWALL, 0))


def test_places_are_by_puzzles_solved_then_by_the_last_ones_time() -> None:
    house = racing_house(5)
    start = house.race.starts_at
    assert start is not None
    scores = [(5, 100), (5, 90), (5, 90), (7, 170), (0, None)]
    for place, (solved, seconds) in enumerate(scores):
        solved_at = None if seconds is None else start + timedelta(seconds=seconds)
        PuzzleRun.objects.filter(pk=storm(house, place).pk).update(solved=solved, solved_at=solved_at)
    end(house)
    assert [place for _state, place, *_others in results(house)] == [4, 2, 2, 1, 5]


def test_leaving_ends_the_storm_but_keeps_what_was_solved() -> None:
    house = racing_house(2)
    solve(house, 0, 0)
    house_ms = storm(house, 0).solved_ms
    seats.leave(house.room.pk, house.players[0].pk)
    assert house.states() == "racing retired racing"
    assert refused(lambda: play(house, 0, 1, 0, right(STONEWALL, 0))) == ErrorCode.CLOSED
    seats.leave(house.room.pk, house.players[1].pk)
    assert house.race.state == "finished"
    assert results(house) == [("retired", 1, 1, house_ms, 0), ("retired", 2, 0, 0, 0)]


def test_a_guest_who_signs_in_goes_on_solving(ada: User) -> None:
    house = racing_house(2)
    solve(house, 0, 0)
    merge_guest(house.players[0], ada)
    reply = storms.play(house.race.pk, ada.pk, 1, 0, right(STONEWALL, 0))
    assert (reply.right, reply.state.solved) == (True, 1)


def test_an_erased_racer_keeps_the_result() -> None:
    house = racing_house(2)
    solve(house, 0, 0)
    User.objects.filter(pk=house.players[0].pk).update(is_guest=False)
    erase_player(User.objects.get(pk=house.players[0].pk))
    assert not PuzzleRun.objects.filter(solved=1).exists()
    end(house)
    assert [(state, place, solved) for state, place, solved, *_ in results(house)] == [
        ("retired", 1, 1), ("timed_out", 2, 0),
    ]  # fmt: skip


def test_a_racer_whose_storm_is_lost_is_retired() -> None:
    house = racing_house(2)
    PuzzleRun.objects.filter(entrant=house.entrant(0)).delete()
    reconciler.reconcile()
    assert house.states() == "racing retired racing"


def test_a_cancelled_countdown_deletes_the_storms() -> None:
    house = house_of_puzzles(2)
    house.start(countdown=60)
    seats.leave(house.room.pk, house.players[0].pk)
    assert house.states() == "open seated"
    assert not PuzzleRun.objects.exists()
    assert house.race.has_deal


def test_a_spoiled_race_is_void() -> None:
    house = racing_house(2)
    assert finishing.void(house.race.pk, Race.Void.SERVER_FAULT)
    assert house.states() == "void absent absent"
    assert refused(lambda: play(house, 0, 0, 0, right(STONEWALL, 0))) == ErrorCode.CLOSED


def test_a_finished_race_has_no_file_and_a_rematch_other_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    house = racing_house(2)
    monkeypatch.setattr(unseen_deals, "puzzles_for", lambda _race: [99])
    end(house)
    assert not download.is_public(house.race)
    assert refused(lambda: download.race_file(house.race)) == ErrorCode.NOT_FOUND
    seats.sit(house.room.pk, house.players[0])
    assert (house.race.number, house.race.puzzles) == (2, [99])


def test_racers_storms_are_not_on_the_storm_leaderboard(ada: User) -> None:
    day, values = timezone.now().date(), {"player": ada, "puzzles": [], "begun_at": timezone.now()}
    PuzzleRun.objects.create(day=day, solved=9, kind="race", **values)
    assert (board_of("storm", day), best_of(ada.pk, "storm")) == ([], None)
    PuzzleRun.objects.create(day=day, solved=2, standing="listed", **values)
    assert [row.solved for row in board_of("storm", day)] == [2]
    assert best_of(ada.pk, "storm") == 2


def test_a_host_changes_between_puzzles_and_cards() -> None:
    house = house_of_puzzles(1)
    assert refused(lambda: seating.add_bot(house.room.pk, house.players[0].pk, "pip")) == ErrorCode.BAD_OPTION
    change(house, "stonewall")
    race = house.race
    assert (race.puzzles, race.has_deal, race.limit_s, race.free_undo) == (None, True, 300, False)
    seating.add_bot(house.room.pk, house.players[0].pk, "pip")
    change(house, "puzzles", limit_s=7)
    race = house.race
    assert (race.deal, race.has_deal, race.limit_s, race.free_undo) == (None, True, 180, True)
    assert race.entrants.count() == 1
    # A search for a deal that was ordered before is called off.
    Race.objects.filter(pk=race.pk).update(puzzles=None)
    assert not prepare(race.pk)


def test_without_puzzles_there_is_no_race(monkeypatch: pytest.MonkeyPatch, player: User) -> None:
    monkeypatch.setattr(puzzle_runs, "draw_puzzles", list)
    room = rooms.open_room(player, "puzzles", limit_s=300, seats=2)
    facts = snapshot.read_rooms([room.pk])[room.pk].to_come
    assert facts is not None
    assert facts.message.deal.state == "none"
    assert not unseen_deals.assign_deal(Race.objects.get())
