"""Tries: right and wrong moves, refusals, the limit of the day, and what a reply may show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.core.errors import ErrorCode, Refusal
from games.puzzles import daily, tries
from games.puzzles.losses import refutations
from games.puzzles.models import DailyPuzzle, PuzzleTry, StoredPuzzle
from games.puzzles.move_check import check_move, position_at
from games.puzzles.puzzle import Puzzle
from games.puzzles.tasks import explain_loss
from games.puzzles.tries import Progress, Reply
from tests.games.puzzles.puzzles import GENEROUS, LABYRINTH, STONEWALL, UNEXPLAINED, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
TODAY = NOW.date()


@pytest.fixture
def guest(db: None) -> User:
    return create_guest()


@pytest.fixture
def stored(db: None) -> StoredPuzzle:
    return stored_puzzle()


@pytest.fixture
def todays(db: None) -> StoredPuzzle:
    stored = stored_puzzle(GENEROUS)
    DailyPuzzle.objects.create(day=TODAY, puzzle=stored)
    return stored


def play(player: User, stored: StoredPuzzle, turn: int, token: str, now: datetime = NOW, **options: Any) -> Reply:
    return tries.play(player.pk, stored, turn, token, now, **options)


def solve(player: User, stored: StoredPuzzle, puzzle: Puzzle = LABYRINTH) -> list[Reply]:
    return [play(player, stored, turn, right(puzzle, turn)) for turn in range(len(puzzle.turns))]


def refused(player: User, stored: StoredPuzzle, turn: int, token: str, **options: Any) -> Refusal:
    before = list(PuzzleTry.objects.values())
    with pytest.raises(Refusal) as error:
        play(player, stored, turn, token, **options)
    assert list(PuzzleTry.objects.values()) == before, "a refused move changes nothing"
    return error.value


@pytest.mark.parametrize("puzzle", [LABYRINTH, STONEWALL], ids=lambda puzzle: puzzle.variant)
def test_right_moves_solve_it_and_forced_ones_follow(guest: User, puzzle: Puzzle) -> None:
    stored = stored_puzzle(puzzle)
    replies = solve(guest, stored, puzzle)
    assert [step["token"] for reply in replies for step in reply.steps] == list(puzzle.line)
    assert [len(reply.steps) for reply in replies[:-1]] == [
        after - turn for turn, after in zip(puzzle.turns, puzzle.turns[1:], strict=False)
    ]
    assert [reply.progress.solved for reply in replies] == [False] * (len(replies) - 1) + [True]
    assert {reply.loss for reply in replies} == {None}
    row = PuzzleTry.objects.get()
    assert (row.turn, row.mistakes, row.failed_at, row.solved_at is None) == (len(puzzle.turns), 0, None, False)


def test_another_token_for_the_right_position_is_right(guest: User, stored: StoredPuzzle) -> None:
    """All legal moves are accepted or known to lose: none leads to a position without a verdict."""
    for turn, n in enumerate(LABYRINTH.turns):
        for token in LABYRINTH.table_at(n).legal_moves():
            verdict = check_move(LABYRINTH, turn, token)
            table = LABYRINTH.table_at(n)
            table.push(token)
            assert verdict.is_right == (table.position() == LABYRINTH.table_at(n + 1).position())


def test_a_move_at_another_turn_is_stale(guest: User, stored: StoredPuzzle) -> None:
    """As from a second tab that has not seen the first one's move."""
    ahead = refused(guest, stored, 1, right(LABYRINTH, 1))
    assert (ahead.code, ahead.data) == (ErrorCode.STALE, {"turn": 0, "mistakes": 0})
    play(guest, stored, 0, right(LABYRINTH, 0))
    behind = refused(guest, stored, 0, wrong(LABYRINTH, 0))
    assert (behind.code, behind.data) == (ErrorCode.STALE, {"turn": 1, "mistakes": 0})


@pytest.mark.django_db(transaction=True)
def test_an_unknown_loss_is_explained_in_the_background(
    guest: User, requested_tasks: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reply waits for nothing, a repetition requests nothing, and both it and the next player get the reason."""
    stored, token = stored_puzzle(UNEXPLAINED), wrong(UNEXPLAINED, 0)
    replies = [play(guest, stored, 0, token, mistakes=0) for _ in range(2)]
    assert [(reply.loss, reply.progress.mistakes) for reply in replies] == [({}, 1)] * 2
    ((name, *args),) = requested_tasks
    assert name == explain_loss.name
    for _ in range(2):  # two players were first
        explain_loss(*args)
        monkeypatch.setattr(refutations, "prove_lost", None)
    stored.refresh_from_db()
    assert sum(loss is not None for turn in stored.contents["losses"] for loss in turn.values()) == 1
    again, other = (play(player, stored, 0, token, mistakes=0) for player in (guest, create_guest()))
    assert again.loss == other.loss == {"goal": 52, **stored.contents["losses"][0][token]}
    assert again.progress == replies[0].progress
    assert len(requested_tasks) == 1


def test_a_repeated_wrong_move_costs_one_try(guest: User, todays: StoredPuzzle) -> None:
    """As after lost replies. The next wrong move, even the same one, costs another try."""
    for mistakes in range(daily.TRIES):
        replies = [play(guest, todays, 0, wrong(LABYRINTH, 0), mistakes=mistakes) for _ in range(3)]
        assert replies == [replies[0]] * 3
        assert replies[0].loss
        assert replies[0].progress.mistakes == mistakes + 1
    assert replies[0].progress.failed
    assert refused(guest, todays, 0, wrong(LABYRINTH, 0), mistakes=daily.TRIES).code == ErrorCode.CLOSED


def test_repeated_right_moves_count_once(guest: User, stored: StoredPuzzle) -> None:
    for turn in range(len(LABYRINTH.turns)):
        first, again = (play(guest, stored, turn, right(LABYRINTH, turn), mistakes=0) for _ in range(2))
        assert first == again
        assert first.steps
    assert first.progress.solved


def test_another_move_in_place_of_a_repetition_is_stale(guest: User, stored: StoredPuzzle) -> None:
    """It learns nothing of whether it would have been right."""
    play(guest, stored, 0, wrong(LABYRINTH, 0), mistakes=0)
    refusal = refused(guest, stored, 0, right(LABYRINTH, 0), mistakes=0)
    assert (refusal.code, refusal.data) == (ErrorCode.STALE, {"turn": 0, "mistakes": 1})


@pytest.mark.parametrize(
    ("token", "code"),
    [
        ("t0-f", ErrorCode.ILLEGAL_MOVE),
        ("t1-t0", ErrorCode.ILLEGAL_MOVE),
        ("t99-f", ErrorCode.INVALID_TOKEN),
        ("", ErrorCode.INVALID_TOKEN),
        ("\0", ErrorCode.INVALID_TOKEN),
        ("t3-f d", ErrorCode.INVALID_TOKEN),
    ],
)
def test_illegal_and_malformed_moves_are_refused(
    guest: User, stored: StoredPuzzle, token: str, code: ErrorCode
) -> None:
    assert refused(guest, stored, 0, token).code == code
    assert not PuzzleTry.objects.exists()


def test_undo_is_not_a_legal_move(guest: User, stored: StoredPuzzle) -> None:
    play(guest, stored, 0, right(LABYRINTH, 0))
    assert refused(guest, stored, 1, "u").code == ErrorCode.ILLEGAL_MOVE


def test_a_solved_puzzle_takes_no_more_moves(guest: User, stored: StoredPuzzle) -> None:
    solve(guest, stored)
    assert refused(guest, stored, len(LABYRINTH.turns), right(LABYRINTH, 0)).code == ErrorCode.CLOSED
    assert refused(guest, stored, 0, right(LABYRINTH, 0)).code == ErrorCode.CLOSED


def test_players_tries_are_separate(guest: User, stored: StoredPuzzle) -> None:
    other = create_guest()
    play(guest, stored, 0, right(LABYRINTH, 0))
    play(guest, stored, 1, wrong(LABYRINTH, 1))
    assert tries.open_puzzle(other.pk, stored, NOW).progress == Progress()
    assert play(other, stored, 0, right(LABYRINTH, 0)).progress == Progress(turn=1)
    assert tries.open_puzzle(guest.pk, stored, NOW).progress == Progress(turn=1, mistakes=1)


def test_three_mistakes_on_the_day_end_the_try(guest: User, todays: StoredPuzzle) -> None:
    play(guest, todays, 0, right(LABYRINTH, 0))
    replies = [play(guest, todays, 1, wrong(LABYRINTH, 1)) for _ in range(daily.TRIES)]
    assert [reply.progress.tries_left for reply in replies] == [2, 1, 0]
    assert [reply.progress.failed for reply in replies] == [False, False, True]
    assert refused(guest, todays, 1, right(LABYRINTH, 1)).code == ErrorCode.CLOSED
    assert daily.streak_of(guest.pk, NOW) == 0


def test_later_days_allow_any_number_of_mistakes(guest: User, todays: StoredPuzzle) -> None:
    later = NOW + timedelta(days=1)
    for _ in range(2 * daily.TRIES):
        reply = play(guest, todays, 0, wrong(LABYRINTH, 0), later)
    assert reply.progress == Progress(mistakes=2 * daily.TRIES)
    assert PuzzleTry.objects.get().day is None


def test_a_try_begun_on_the_day_keeps_its_limit(guest: User, todays: StoredPuzzle) -> None:
    """Otherwise a player could wait for midnight after two mistakes."""
    for _ in range(daily.TRIES - 1):
        play(guest, todays, 0, wrong(LABYRINTH, 0))
    assert play(guest, todays, 0, wrong(LABYRINTH, 0), NOW + timedelta(days=1)).progress.failed


def test_the_limit_is_shown_before_the_first_move(guest: User, todays: StoredPuzzle) -> None:
    assert tries.open_puzzle(None, todays, NOW).progress.tries_left == daily.TRIES
    assert tries.open_puzzle(guest.pk, todays, NOW).progress.tries_left == daily.TRIES
    assert tries.open_puzzle(guest.pk, todays, NOW + timedelta(days=1)).progress.tries_left is None


def test_position_follows_the_progress(guest: User, stored: StoredPuzzle) -> None:
    for turn, n in enumerate(LABYRINTH.turns):
        progress = tries.open_puzzle(guest.pk, stored, NOW).progress
        table = LABYRINTH.table_at(n)
        assert position_at(LABYRINTH, progress.turn)["legal"] == table.legal_moves()
        play(guest, stored, turn, right(LABYRINTH, turn))
    end = position_at(LABYRINTH, tries.open_puzzle(guest.pk, stored, NOW).progress.turn)
    assert end["view"]["cards_up"] == LABYRINTH.table_at(len(LABYRINTH.line)).cards_up


def test_the_win_is_shown_only_when_the_try_is_over(guest: User, todays: StoredPuzzle) -> None:
    for _ in range(daily.TRIES):
        progress = tries.open_puzzle(guest.pk, todays, NOW).progress
        with pytest.raises(Refusal) as error:
            tries.win_of(LABYRINTH, progress)
        assert error.value.code == ErrorCode.FORBIDDEN
        play(guest, todays, 0, wrong(LABYRINTH, 0))
    steps = tries.win_of(LABYRINTH, tries.open_puzzle(guest.pk, todays, NOW).progress)
    assert [step["token"] for step in steps] == [None, *LABYRINTH.line, *LABYRINTH.finish]
    assert steps[-1]["view"]["won"]
