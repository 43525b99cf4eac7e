"""Puzzle storm: the sequence, moves and the clock, the board, and what is kept of runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import merge_guest
from games.core.errors import ErrorCode, Refusal
from games.puzzles import history, housekeeping
from games.puzzles.daily import MAX_TURNS
from games.puzzles.models import DailyPuzzle, PuzzleTry, StoredPuzzle, StormRun
from games.puzzles.puzzle import Puzzle
from games.puzzles.storm import runs
from games.puzzles.storm.storm_board import board_of, own_storms, place_of
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, right, starters, stored_puzzle, wrong

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()
TODAY = NOW.date()


@pytest.fixture
def guest() -> User:
    return User.objects.create(username="guest-storm", is_guest=True)


@pytest.fixture
def run(player: User) -> StormRun:
    """A run of a Stonewall of two turns, then a Labyrinth of three."""
    puzzles = [stored_puzzle(STONEWALL).pk, stored_puzzle(LABYRINTH).pk]
    return StormRun.objects.create(player=player, day=NOW.date(), puzzles=puzzles, begun_at=timezone.now())


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
    stored_puzzle(STONEWALL, withdrawn="unpopular")
    run = runs.begin(player.pk)
    runs.show(run.pk)
    run.refresh_from_db()
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
    assert reply.state.ms_left <= 170_000
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


def test_the_clock_starts_with_the_first_puzzle_and_ends_the_run(player: User) -> None:
    stored_puzzle(STONEWALL)
    run = runs.begin(player.pk)
    assert runs.StormState.of(run, NOW + timedelta(days=1)).ms_left == 180_000
    assert refusal(run, 0, 0, right(STONEWALL, 0)) == ErrorCode.NOT_BEGUN
    state, first = runs.show(run.pk)
    assert (state.ms_left, runs.show(run.pk)[1]) == (180_000, first), "shown again after a reload"
    run.refresh_from_db()
    assert run.begun_at is not None
    assert runs.StormState.of(run, run.begun_at + timedelta(seconds=179)).ms_left == 1000
    StormRun.objects.update(begun_at=timezone.now() - timedelta(minutes=3))
    assert refusal(run, 0, 0, right(STONEWALL, 0)) == ErrorCode.CLOSED


def test_bad_moves_change_nothing(run: StormRun) -> None:
    assert refusal(run, 0, 1, right(STONEWALL, 1)) == ErrorCode.STALE
    assert refusal(run, 1, 0, right(LABYRINTH, 0)) == ErrorCode.STALE
    assert refusal(run, 0, 0, "t0-t99") == ErrorCode.INVALID_TOKEN
    assert refusal(run, 0, 0, "u") == ErrorCode.ILLEGAL_MOVE
    run.refresh_from_db()
    assert (run.at, run.turn, run.mistakes, run.moves) == (0, 0, 0, [])


def test_only_the_own_run_can_be_played(run: StormRun, guest: User) -> None:
    assert refusal(run, 0, 0, right(STONEWALL, 0), player=guest.pk) == ErrorCode.NOT_FOUND
    with pytest.raises(Refusal):
        runs.own_run(None, run.public_id)
    with pytest.raises(Refusal):
        runs.own_run(run.player_id, uuid4())


def test_a_storm_leaves_tries_alone(run: StormRun) -> None:
    play(run, 0, 0, right(STONEWALL, 0))
    assert not PuzzleTry.objects.exists()


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> list[StoredPuzzle]:
    """Puzzles enough for storms that count."""
    monkeypatch.setattr(runs, "ENOUGH", 2)
    return [stored_puzzle(STONEWALL) for _ in range(4)]


def started(player: User) -> StormRun:
    run = runs.begin(player.pk)
    runs.show(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.usefixtures("pool")
def test_only_the_first_storm_of_a_day_is_listed(player: User) -> None:
    first, second = started(player), started(player)
    assert (first.standing, second.standing) == ("listed", "practice")
    StormRun.objects.filter(pk=first.pk).update(day=NOW.date() - timedelta(days=1))
    assert started(player).standing == "listed", "a new day"


@pytest.mark.usefixtures("pool")
def test_a_storm_with_known_puzzles_is_practice(player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for puzzle in StoredPuzzle.objects.all()[1:]:
        history.mark_seen(player.pk, puzzle.pk, history.Place.PAGE)
    assert started(player).standing == "practice"


@pytest.mark.usefixtures("pool")
def test_one_run_waits_at_a_time(player: User) -> None:
    assert len({runs.begin(player.pk) for _ in range(20)}) == 1
    waiting = StormRun.objects.get()
    runs.show(waiting.pk)
    assert runs.begin(player.pk) != waiting


@pytest.mark.usefixtures("pool")
def test_a_run_belongs_to_the_day_of_its_first_move(player: User) -> None:
    """Begun three days ago and started today; and started before midnight, with the first move after it."""
    StormRun.objects.filter(pk=runs.begin(player.pk).pk).update(day=NOW.date() - timedelta(days=3))
    run = started(player)
    assert (run.day, run.standing) == (timezone.now().date(), "listed")
    StormRun.objects.filter(pk=run.pk).update(day=NOW.date() - timedelta(days=1))
    play(run, 0, 0, right(STONEWALL, 0))
    run.refresh_from_db()
    assert (run.day, run.standing) == (timezone.now().date(), "listed")


def test_a_storm_faster_than_hands_is_not_listed_nor_a_second_one(
    player: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "ENOUGH", 2)
    for _ in range(20):
        stored_puzzle(STONEWALL)
    run = started(player)
    for at in range(12):
        for turn in range(len(STONEWALL.turns)):
            play(run, at, turn, right(STONEWALL, turn))
            StormRun.objects.update(begun_at=F("begun_at") - timedelta(milliseconds=20))
    run.refresh_from_db()
    assert (run.solved, run.standing) == (12, "too fast")
    assert (board_of(run.day), started(player).standing) == ([], "practice")


@pytest.mark.usefixtures("pool")
def test_a_guests_storms_become_practice_in_an_account(guest: User) -> None:
    account = User.objects.create_user("Ada")
    mine, theirs = started(account), started(guest)
    runs.begin(guest.pk)
    merge_guest(guest, account)
    assert list(StormRun.objects.order_by("pk").values_list("pk", "player", "standing")) == [
        (mine.pk, account.pk, "listed"),
        (theirs.pk, account.pk, "practice"),
    ]


def test_a_script_that_remembers_gets_no_better() -> None:
    """It solves the puzzles that it has seen before, whatever their suits are called, and none else."""
    shipped = [puzzle for puzzle in starters() if len(puzzle.turns) <= MAX_TURNS]
    for puzzle in shipped + shipped:
        stored_puzzle(puzzle)
    player, known, scores = User.objects.create_user("Script"), set[int](), []
    for _ in range(10):
        StormRun.objects.update(day=F("day") - timedelta(days=1))
        run = started(player)
        assert run.standing == "listed"
        while run.mistakes < runs.DURATION / runs.PENALTY:
            puzzle = Puzzle.from_json(StoredPuzzle.objects.get(pk=run.puzzles[run.at]).contents)
            if run.puzzles[run.at] in known:
                for turn in range(len(puzzle.turns)):
                    play(run, run.at, turn, right(puzzle, turn))
            else:
                known.add(run.puzzles[run.at])
                play(run, run.at, 0, wrong(puzzle, 0))
            run.refresh_from_db()
        scores.append(run.solved)
    assert (scores, len(known)) == ([0] * 10, 180)


def storm_of(owner: User, solved: int, standing: str = "listed", day: date = TODAY) -> StormRun:
    return StormRun.objects.create(player=owner, day=day, puzzles=[], solved=solved, standing=standing, begun_at=NOW)


def test_the_boards_have_each_players_listed_storm(guest: User) -> None:
    today = NOW.date()
    player, other, third = map(User.objects.create_user, ("First", "Other", "Third"))
    mine, visitors = storm_of(player, 7), storm_of(guest, 8)
    storm_of(player, 9, day=today - timedelta(days=1))
    for owner, solved in ((other, 7), (third, 3)):
        storm_of(owner, solved)
    practice, fast = storm_of(player, 20, "practice"), storm_of(User.objects.create_user("Fast"), 90, "too fast")
    rows = [(row.place, row.player_id, row.solved) for row in board_of(today)]
    assert rows == [(1, player.pk, 7), (1, other.pk, 7), (3, third.pk, 3)]
    assert [(row.player_id, row.solved) for row in board_of(today, guests=True)] == [(guest.pk, 8)]
    places = [place_of(run, guests=run == visitors) for run in (mine, visitors, practice, fast)]
    assert places == [1, 1, None, None]
    own = own_storms(player.pk)
    assert ([run.solved for run in own.recent], own.best) == ([7, 9], 9)


def test_storms_are_deleted_after_a_year(run: StormRun) -> None:
    old = StormRun.objects.create(player=run.player, day=NOW.date() - timedelta(days=400), puzzles=[])
    (kind,) = housekeeping.KINDS
    assert kind.remove_batch(NOW - kind.age) == 1
    assert list(StormRun.objects.all()) == [run]
    assert old.day < run.day
