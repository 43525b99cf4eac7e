"""Puzzle storm: the sequence, moves and the clock, the board, and what is kept of runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import User
from games.core.errors import ErrorCode, Refusal
from games.puzzles import housekeeping
from games.puzzles.models import DailyPuzzle, PuzzleTry, PuzzleVote, StormRun
from games.puzzles.storm import runs
from games.puzzles.storm.storm_board import board_of, own_best, place_on
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()


@pytest.fixture
def guest() -> User:
    return User.objects.create(username="guest-storm", is_guest=True)


@pytest.fixture
def run(player: User) -> StormRun:
    """A run of a Stonewall of two turns, then a Labyrinth of three."""
    puzzles = [stored_puzzle(STONEWALL).pk, stored_puzzle(LABYRINTH).pk]
    return StormRun.objects.create(player=player, day=NOW.date(), puzzles=puzzles)


def play(run: StormRun, at: int, turn: int, token: str, player: int | None = None) -> runs.StormReply:
    return runs.play(runs.own_run(player or run.player_id, run.public_id).pk, at, turn, token)


def refusal(run: StormRun, *move: Any, **options: Any) -> ErrorCode:
    with pytest.raises(Refusal) as refused:
        play(run, *move, **options)
    return refused.value.code


def test_a_run_mixes_variants_from_easy_to_hard(player: User) -> None:
    hard, easy, middle = (stored_puzzle(STONEWALL, mu=mu).pk for mu in (1900, 1100, 1500))
    hardest, easier = (stored_puzzle(LABYRINTH, mu=mu).pk for mu in (2000, 1200))
    stored_puzzle(STONEWALL, turns=4)
    DailyPuzzle.objects.create(day=timezone.now().date(), puzzle=stored_puzzle(STONEWALL))
    disliked = stored_puzzle(STONEWALL)
    for name in ("A", "B", "C"):
        PuzzleVote.objects.create(player=User.objects.create_user(name), puzzle=disliked, vote="bad")
    run = runs.begin(player.pk)
    assert run is not None
    rounds = [set(run.puzzles[:2]), set(run.puzzles[2:4]), set(run.puzzles[4:])]
    assert rounds == [{easy, easier}, {middle, hardest}, {hard}]


def test_right_moves_lead_to_the_next_puzzle(run: StormRun) -> None:
    first = play(run, 0, 0, right(STONEWALL, 0))
    assert (first.right, first.state.turn, first.next) == (True, 1, None)
    assert [step["token"] for step in first.steps] == list(STONEWALL.line[: STONEWALL.turns[1]])
    second = play(run, 0, 1, right(STONEWALL, 1))
    assert (second.state.at, second.state.turn, second.state.solved) == (1, 0, 1)
    assert second.next is not None
    assert (second.next.variant, second.next.turns) == (LABYRINTH.variant, 3)
    assert second.next.step["legal"] == LABYRINTH.table_at(LABYRINTH.turns[0]).legal_moves()


def test_a_wrong_move_ends_its_puzzle_and_costs_ten_seconds(run: StormRun) -> None:
    reply = play(run, 0, 0, wrong(STONEWALL, 0))
    assert (reply.right, reply.steps, reply.state.solved, reply.state.mistakes) == (False, [], 0, 1)
    assert reply.state.ms_left == 170_000
    assert reply.next is not None
    run.refresh_from_db()
    assert run.missed == run.puzzles[:1]


def test_a_run_ends_after_its_last_puzzle(run: StormRun) -> None:
    play(run, 0, 0, wrong(STONEWALL, 0))
    reply = play(run, 1, 0, wrong(LABYRINTH, 0))
    assert (reply.state.ms_left, reply.next) == (0, None)
    assert refusal(run, 2, 0, "d") == ErrorCode.CLOSED


def test_a_repeated_move_gets_its_reply_and_counts_once(run: StormRun) -> None:
    """As after a lost reply: within a puzzle, at its end, after a wrong move, and when the time is up."""
    for at, turn, token in [
        (0, 0, right(STONEWALL, 0)),
        (0, 1, right(STONEWALL, 1)),
        (1, 0, wrong(LABYRINTH, 0)),
    ]:
        first, again = (play(run, at, turn, token) for _ in range(2))
        assert (first.right, first.steps, first.next) == (again.right, again.steps, again.next)
        assert replace(first.state, ms_left=0) == replace(again.state, ms_left=0)
        assert refusal(run, at, turn, wrong(STONEWALL, 0) + "x") in {ErrorCode.STALE, ErrorCode.CLOSED}
    StormRun.objects.update(begun_at=timezone.now() - timedelta(minutes=3))
    assert play(run, 1, 0, wrong(LABYRINTH, 0)).state.ms_left == 0


def test_the_clock_starts_with_the_first_move_and_ends_the_run(run: StormRun) -> None:
    assert runs.StormState.of(run, NOW + timedelta(days=1)).ms_left == 180_000
    play(run, 0, 0, right(STONEWALL, 0))
    run.refresh_from_db()
    assert run.begun_at is not None
    assert runs.StormState.of(run, run.begun_at + timedelta(seconds=179)).ms_left == 1000
    StormRun.objects.update(begun_at=timezone.now() - timedelta(minutes=3))
    assert refusal(run, 0, 1, right(STONEWALL, 1)) == ErrorCode.CLOSED


def test_bad_moves_change_nothing(run: StormRun) -> None:
    assert refusal(run, 0, 1, right(STONEWALL, 1)) == ErrorCode.STALE
    assert refusal(run, 1, 0, right(LABYRINTH, 0)) == ErrorCode.STALE
    assert refusal(run, 0, 0, "t0-t99") == ErrorCode.INVALID_TOKEN
    assert refusal(run, 0, 0, "u") == ErrorCode.ILLEGAL_MOVE
    run.refresh_from_db()
    assert (run.at, run.turn, run.mistakes, run.begun_at) == (0, 0, 0, None)


def test_only_the_own_run_can_be_played(run: StormRun, guest: User) -> None:
    assert refusal(run, 0, 0, right(STONEWALL, 0), player=guest.pk) == ErrorCode.NOT_FOUND
    with pytest.raises(Refusal):
        runs.own_run(None, run.public_id)
    with pytest.raises(Refusal):
        runs.own_run(run.player_id, uuid4())


def test_a_storm_leaves_tries_alone(run: StormRun) -> None:
    play(run, 0, 0, right(STONEWALL, 0))
    assert not PuzzleTry.objects.exists()


def test_the_board_has_each_players_best_of_the_day(guest: User) -> None:
    today = NOW.date()
    player, other, third = map(User.objects.create_user, ("First", "Other", "Third"))
    for owner, solved, day in (
        (player, 5, today),
        (player, 7, today),
        (player, 9, today - timedelta(days=1)),
        (other, 7, today),
        (third, 3, today),
        (guest, 8, today),
    ):
        StormRun.objects.create(player=owner, day=day, puzzles=[], solved=solved, begun_at=NOW)
    rows = [(row.place, row.player_id, row.solved) for row in board_of(today)]
    assert rows == [(1, player.pk, 7), (1, other.pk, 7), (3, third.pk, 3)]
    assert (place_on(today, 7), place_on(today, 5), place_on(today, 2)) == (1, 3, 4)
    assert (own_best(player.pk, today).today, own_best(player.pk, today).ever) == (7, 9)


def test_storms_are_deleted_after_a_year(run: StormRun) -> None:
    old = StormRun.objects.create(player=run.player, day=NOW.date() - timedelta(days=400), puzzles=[])
    (kind,) = housekeeping.KINDS
    assert kind.remove_batch(NOW - kind.age) == 1
    assert list(StormRun.objects.all()) == [run]
    assert old.day < run.day
