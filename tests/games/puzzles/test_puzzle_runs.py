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
from games.puzzles import history, housekeeping, selection, shipped_file
from games.puzzles.models import DailyPuzzle, PuzzleRun, PuzzleTry, SeenPuzzle, StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.puzzles.runs import puzzle_runs
from games.puzzles.runs.run_board import best_of, board_of, own_runs, place_of
from games.rules.cards import FRENCH_SUITS
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()
TODAY = NOW.date()


@pytest.fixture
def guest() -> User:
    return User.objects.create(username="guest-storm", is_guest=True)


@pytest.fixture
def run(player: User) -> PuzzleRun:
    """A run of a Stonewall of two turns, then a Labyrinth of three."""
    puzzles = [stored_puzzle(STONEWALL).pk, stored_puzzle(LABYRINTH).pk]
    return PuzzleRun.objects.create(player=player, day=NOW.date(), puzzles=puzzles, begun_at=timezone.now())


def play(run: PuzzleRun, at: int, turn: int, token: str, player: int | None = None) -> puzzle_runs.RunReply:
    return puzzle_runs.play(puzzle_runs.own_run(player or run.player_id, "storm", run.public_id).pk, at, turn, token)


def refusal(run: PuzzleRun, *move: Any, **options: Any) -> ErrorCode:
    with pytest.raises(Refusal) as refused:
        play(run, *move, **options)
    return refused.value.code


def test_a_run_mixes_variants_from_easy_to_hard(player: User) -> None:
    hard, easy, middle = (stored_puzzle(STONEWALL, mu=mu).pk for mu in (1900, 1100, 1500))
    hardest, easier = (stored_puzzle(LABYRINTH, mu=mu).pk for mu in (2000, 1200))
    stored_puzzle(STONEWALL, turns=4)
    DailyPuzzle.objects.create(day=timezone.now().date(), puzzle=stored_puzzle(STONEWALL))
    stored_puzzle(STONEWALL, withdrawn="unpopular")
    run = puzzle_runs.begin(player.pk, "storm")
    puzzle_runs.show(run.pk)
    run.refresh_from_db()
    rounds = [set(run.puzzles[:2]), set(run.puzzles[2:4]), set(run.puzzles[4:])]
    assert rounds == [{easy, easier}, {middle, hardest}, {hard}]


def test_right_moves_lead_to_the_next_puzzle(run: PuzzleRun) -> None:
    first = play(run, 0, 0, right(STONEWALL, 0))
    assert (first.right, first.state.turn, first.next) == (True, 1, None)
    assert [step["token"] for step in first.steps] == list(STONEWALL.line[: STONEWALL.turns[1]])
    second = play(run, 0, 1, right(STONEWALL, 1))
    assert (second.state.at, second.state.turn, second.state.solved) == (1, 0, 1)
    assert second.next is not None
    assert (second.next["variant"], second.next["turns"]) == (LABYRINTH.variant, 3)
    assert second.next["step"]["legal"] == LABYRINTH.table_at(LABYRINTH.turns[0]).legal_moves()


def test_a_wrong_move_ends_its_puzzle_and_costs_ten_seconds(run: PuzzleRun) -> None:
    reply = play(run, 0, 0, wrong(STONEWALL, 0))
    assert (reply.right, reply.steps, reply.state.solved, reply.state.mistakes) == (False, [], 0, 1)
    assert reply.state.ms_left <= 170_000
    assert reply.next is not None
    run.refresh_from_db()
    assert run.missed == run.puzzles[:1]


def test_a_run_ends_after_its_last_puzzle(run: PuzzleRun) -> None:
    play(run, 0, 0, wrong(STONEWALL, 0))
    reply = play(run, 1, 0, wrong(LABYRINTH, 0))
    assert (reply.state.ms_left, reply.next) == (0, None)
    assert refusal(run, 2, 0, "d") == ErrorCode.CLOSED


def test_a_repeated_move_gets_its_reply_and_counts_once(run: PuzzleRun) -> None:
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
    PuzzleRun.objects.update(begun_at=timezone.now() - timedelta(minutes=3))
    assert play(run, 1, 0, wrong(LABYRINTH, 0)).state.ms_left == 0


def test_the_clock_starts_with_the_first_puzzle_and_ends_the_run(player: User) -> None:
    stored_puzzle(STONEWALL)
    run = puzzle_runs.begin(player.pk, "storm")
    assert puzzle_runs.RunState.of(run, NOW + timedelta(days=1)).ms_left == 180_000
    assert refusal(run, 0, 0, right(STONEWALL, 0)) == ErrorCode.NOT_BEGUN
    state, first = puzzle_runs.show(run.pk)
    assert (state.ms_left, puzzle_runs.show(run.pk)[1]) == (180_000, first), "shown again after a reload"
    run.refresh_from_db()
    assert run.begun_at is not None
    assert puzzle_runs.RunState.of(run, run.begun_at + timedelta(seconds=179)).ms_left == 1000
    PuzzleRun.objects.update(begun_at=timezone.now() - timedelta(minutes=3))
    assert refusal(run, 0, 0, right(STONEWALL, 0)) == ErrorCode.CLOSED


def test_bad_moves_change_nothing(run: PuzzleRun) -> None:
    assert refusal(run, 0, 1, right(STONEWALL, 1)) == ErrorCode.STALE
    assert refusal(run, 1, 0, right(LABYRINTH, 0)) == ErrorCode.STALE
    assert refusal(run, 0, 0, "t0-t99") == ErrorCode.INVALID_TOKEN
    assert refusal(run, 0, 0, "u") == ErrorCode.ILLEGAL_MOVE
    run.refresh_from_db()
    assert (run.at, run.turn, run.mistakes, run.moves) == (0, 0, 0, [])


def test_only_the_own_run_can_be_played(run: PuzzleRun, guest: User) -> None:
    assert refusal(run, 0, 0, right(STONEWALL, 0), player=guest.pk) == ErrorCode.NOT_FOUND
    with pytest.raises(Refusal):
        puzzle_runs.own_run(None, "storm", run.public_id)
    with pytest.raises(Refusal):
        puzzle_runs.own_run(run.player_id, "storm", uuid4())


def test_a_storm_leaves_tries_alone(run: PuzzleRun) -> None:
    play(run, 0, 0, right(STONEWALL, 0))
    assert not PuzzleTry.objects.exists()


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> list[StoredPuzzle]:
    """Puzzles enough for storms that count."""
    monkeypatch.setattr(puzzle_runs, "ENOUGH", 2)
    return [stored_puzzle(STONEWALL) for _ in range(4)]


def started(player: User) -> PuzzleRun:
    run = puzzle_runs.begin(player.pk, "storm")
    puzzle_runs.show(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.usefixtures("pool")
def test_only_the_first_storm_of_a_day_is_listed(player: User) -> None:
    first, second = started(player), started(player)
    assert (first.standing, second.standing) == ("listed", "practice")
    PuzzleRun.objects.filter(pk=first.pk).update(day=NOW.date() - timedelta(days=1))
    assert started(player).standing == "listed", "a new day"


@pytest.mark.usefixtures("pool")
def test_a_storm_with_known_puzzles_is_practice(player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for puzzle in StoredPuzzle.objects.all()[1:]:
        history.mark_seen(player.pk, puzzle.pk, history.Place.PAGE)
    assert started(player).standing == "practice"


@pytest.mark.usefixtures("pool")
def test_one_run_waits_at_a_time(player: User) -> None:
    assert len({puzzle_runs.begin(player.pk, "storm") for _ in range(20)}) == 1
    waiting = PuzzleRun.objects.get()
    puzzle_runs.show(waiting.pk)
    assert puzzle_runs.begin(player.pk, "storm") != waiting


@pytest.mark.usefixtures("pool")
def test_a_run_belongs_to_the_day_of_its_first_move(player: User) -> None:
    """Begun three days ago and started today; and started before midnight, with the first move after it."""
    PuzzleRun.objects.filter(pk=puzzle_runs.begin(player.pk, "storm").pk).update(day=NOW.date() - timedelta(days=3))
    run = started(player)
    assert (run.day, run.standing) == (timezone.now().date(), "listed")
    PuzzleRun.objects.filter(pk=run.pk).update(day=NOW.date() - timedelta(days=1))
    play(run, 0, 0, right(STONEWALL, 0))
    run.refresh_from_db()
    assert (run.day, run.standing) == (timezone.now().date(), "listed")


def test_a_storm_faster_than_hands_is_not_listed_nor_a_second_one(
    player: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzle_runs, "ENOUGH", 2)
    for _ in range(20):
        stored_puzzle(STONEWALL)
    run = started(player)
    for at in range(12):
        for turn in range(len(STONEWALL.turns)):
            play(run, at, turn, right(STONEWALL, turn))
            PuzzleRun.objects.update(begun_at=F("begun_at") - timedelta(milliseconds=20))
    run.refresh_from_db()
    assert (run.solved, run.standing) == (12, "too fast")
    assert (board_of("storm", run.day), started(player).standing) == ([], "practice")


@pytest.mark.usefixtures("pool")
def test_a_guests_storms_become_practice_in_an_account(guest: User) -> None:
    account = User.objects.create_user("Ada")
    mine, theirs = started(account), started(guest)
    puzzle_runs.begin(guest.pk, "storm")
    merge_guest(guest, account)
    assert list(PuzzleRun.objects.order_by("pk").values_list("pk", "player", "standing")) == [
        (mine.pk, account.pk, "listed"),
        (theirs.pk, account.pk, "practice"),
    ]


def test_a_script_that_remembers_gets_no_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """It solves the puzzles that look like some it has seen, whatever their suits are called, and none else."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    for row in shipped_file.first_rows(400):
        stored_puzzle(Puzzle.from_json(row.contents))
    player, known, scores, standings = User.objects.create_user("Script"), set[str](), [], []
    for _ in range(10):
        PuzzleRun.objects.update(day=F("day") - timedelta(days=1))
        run = started(player)
        standings.append(run.standing)
        while run.mistakes < puzzle_runs.DURATION / puzzle_runs.PENALTY and run.at < len(run.puzzles):
            puzzle = Puzzle.from_json(StoredPuzzle.objects.get(pk=run.puzzles[run.at]).contents)
            if (look := without_suits(puzzle)) in known:
                for turn in range(len(puzzle.turns)):
                    play(run, run.at, turn, right(puzzle, turn))
            else:
                known.add(look)
                play(run, run.at, 0, wrong(puzzle, 0))
            run.refresh_from_db()
        scores.append(run.solved)
    assert (scores, len(known)) == ([0] * 10, 180)
    assert set(standings) == {"listed"}


def without_suits(puzzle: Puzzle) -> str:
    tableau, _, _ = puzzle.start.partition(" | f")
    return tableau.translate(str.maketrans("", "", FRENCH_SUITS))


def storm_of(owner: User, solved: int, standing: str = "listed", day: date = TODAY) -> PuzzleRun:
    return PuzzleRun.objects.create(player=owner, day=day, puzzles=[], solved=solved, standing=standing, begun_at=NOW)


def test_the_boards_have_each_players_listed_storm(guest: User) -> None:
    today = NOW.date()
    player, other, third = map(User.objects.create_user, ("First", "Other", "Third"))
    mine, visitors = storm_of(player, 7), storm_of(guest, 8)
    storm_of(player, 9, day=today - timedelta(days=1))
    for owner, solved in ((other, 7), (third, 3)):
        storm_of(owner, solved)
    practice, fast = storm_of(player, 20, "practice"), storm_of(User.objects.create_user("Fast"), 90, "too fast")
    rows = [(row.place, row.player_id, row.solved) for row in board_of("storm", today)]
    assert rows == [(1, player.pk, 7), (1, other.pk, 7), (3, third.pk, 3)]
    assert [(row.player_id, row.solved) for row in board_of("storm", today, guests=True)] == [(guest.pk, 8)]
    places = [place_of(run, guests=run == visitors) for run in (mine, visitors, practice, fast)]
    assert places == [1, 1, None, None]
    assert [run.solved for run in own_runs(player.pk, "storm")] == [7, 9]
    assert best_of(player.pk, "storm") == 9


@pytest.fixture
def ladder() -> list[int]:
    """Puzzles, each harder than the last by more than a streak asks for."""
    return [stored_puzzle(STONEWALL, mu=1000 + 30 * n).pk for n in range(5)]


def streak(player: User) -> PuzzleRun:
    run = puzzle_runs.begin(player.pk, "streak")
    puzzle_runs.show(run.pk)
    run.refresh_from_db()
    return run


def solve(run: PuzzleRun, at: int) -> puzzle_runs.RunReply:
    for turn in range(len(STONEWALL.turns)):
        reply = puzzle_runs.play(run.pk, at, turn, right(STONEWALL, turn))
    run.refresh_from_db()
    return reply


def test_each_puzzle_of_a_streak_is_new_and_a_little_harder(player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "NEAREST", 1)
    known, first, near, second, easy = (stored_puzzle(STONEWALL, mu=mu).pk for mu in (901, 902, 915, 930, 800))
    history.mark_seen(player.pk, known, history.Place.PAGE)
    run = streak(player)
    for at in range(4):
        solve(run, at)
    assert run.puzzles[:4] == [first, second, near, easy], "the hardest ones once none is harder"
    assert (run.standing, run.puzzles[4], run.solved) == ("practice", known, 4)
    assert SeenPuzzle.objects.get(player=player, puzzle=easy).place == "streak"


@pytest.mark.usefixtures("ladder")
def test_a_streak_ends_with_the_first_mistake(player: User) -> None:
    run = streak(player)
    solve(run, 0)
    reply, again = (puzzle_runs.play(run.pk, 1, 0, wrong(STONEWALL, 0)) for _ in range(2))
    assert (reply.right, reply.next, reply.state.solved, reply.state.is_over) == (False, None, 1, True)
    assert reply == again
    run.refresh_from_db()
    assert (run.missed, len(run.puzzles)) == (run.puzzles[1:], 2)
    with pytest.raises(Refusal) as refused:
        puzzle_runs.play(run.pk, 1, 0, right(STONEWALL, 0))
    assert refused.value.code == ErrorCode.CLOSED


@pytest.mark.usefixtures("ladder")
def test_one_puzzle_of_a_streak_may_be_skipped(player: User) -> None:
    """In the middle of it, too; a lost reply can be asked for again. Storms have no skips."""
    run = streak(player)
    puzzle_runs.play(run.pk, 0, 0, right(STONEWALL, 0))
    replies = [puzzle_runs.play(run.pk, 0, 1, puzzle_runs.SKIP) for _ in range(2)]
    assert [replace(reply.state, ms_left=0) for reply in replies] == [puzzle_runs.RunState(1, 0, 0, 0, 0, 0)] * 2
    assert replies[0].next == replies[1].next == puzzle_runs.show(run.pk)[1]
    solve(run, 1)
    storm = PuzzleRun.objects.create(player=player, day=TODAY, puzzles=run.puzzles, begun_at=timezone.now())
    for key, at in ((run.pk, 2), (storm.pk, 0)):
        with pytest.raises(Refusal) as refused:
            puzzle_runs.play(key, at, 0, puzzle_runs.SKIP)
        assert refused.value.code == ErrorCode.INVALID_TOKEN


@pytest.mark.usefixtures("ladder")
def test_an_unfinished_streak_is_resumed_for_a_day(player: User) -> None:
    waiting = puzzle_runs.begin(player.pk, "streak")
    assert puzzle_runs.begin(player.pk, "streak") == waiting
    assert puzzle_runs.unfinished_streak(player.pk) is None
    run = streak(player)
    solve(run, 0)
    assert streak(player) == run == puzzle_runs.unfinished_streak(player.pk)
    assert puzzle_runs.begin(player.pk, "storm") != run
    PuzzleRun.objects.filter(kind="streak").update(begun_at=timezone.now() - puzzle_runs.STREAK_DURATION)
    assert streak(player) != run


@pytest.mark.usefixtures("ladder")
def test_a_streak_belongs_to_the_month_of_its_first_move(player: User) -> None:
    last_month = TODAY.replace(day=1) - timedelta(days=1)
    run = streak(player)
    PuzzleRun.objects.update(day=last_month)
    solve(run, 0)
    assert run.day == timezone.now().date(), "shown before midnight"
    PuzzleRun.objects.update(day=last_month)
    solve(run, 1)
    assert run.day == last_month, "begun before midnight"
    assert [row.solved for row in board_of("streak", last_month, guests=True)] == [2]
    assert board_of("streak", TODAY, guests=True) == []


def test_the_months_board_has_each_players_best_streak(guest: User) -> None:
    player, other = map(User.objects.create_user, ("First", "Other"))
    values = {"day": TODAY, "puzzles": [], "kind": "streak", "begun_at": NOW}
    for owner, solved, standing in (
        (player, 4, "listed"),
        (player, 9, "listed"),
        (other, 9, "listed"),
        (other, 20, "practice"),
        (other, 30, "too fast"),
        (guest, 8, "listed"),
    ):
        PuzzleRun.objects.create(player=owner, solved=solved, standing=standing, **values)
    storm_of(player, 50)
    assert [(row.place, row.player_id, row.solved) for row in board_of("streak", TODAY)] == [
        (1, player.pk, 9),
        (1, other.pk, 9),
    ]
    assert [row.player_id for row in board_of("streak", TODAY, guests=True)] == [guest.pk]
    first = PuzzleRun.objects.get(player=player, kind="streak", solved=4)
    assert place_of(first, guests=False) == 3
    assert best_of(player.pk, "streak") == 9


def test_storms_are_deleted_after_a_year(run: PuzzleRun) -> None:
    old = PuzzleRun.objects.create(player=run.player, day=NOW.date() - timedelta(days=400), puzzles=[])
    (kind,) = housekeeping.KINDS
    assert kind.remove_batch(NOW - kind.age) == 1
    assert list(PuzzleRun.objects.all()) == [run]
    assert old.day < run.day
