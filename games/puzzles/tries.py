"""Tries at puzzles: check the player's moves, and store the progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.db.players import player_services
from games.puzzles import daily
from games.puzzles.loss_explanations import explain
from games.puzzles.models import PuzzleTry, StoredPuzzle
from games.puzzles.move_check import loss_after, steps_after
from games.puzzles.open_view import Step, step_of, steps_of
from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings import rated_tries


@dataclass(frozen=True, slots=True)
class Progress:
    """State of a try: the turns found, and the wrong moves. `tries_left` is None if any number is allowed.

    `rating_change` is by how many points the try changed the player's rating; None if it is not rated, or not yet.
    """

    turn: int = 0
    mistakes: int = 0
    tries_left: int | None = None
    solved: bool = False
    failed: bool = False
    rating_change: int | None = None

    @classmethod
    def of(cls, row: PuzzleTry) -> Progress:
        """Return the state stored in a row."""
        left = None if row.day is None else max(0, daily.TRIES - row.mistakes)
        change = rated_tries.change_of(row)
        return cls(row.turn, row.mistakes, left, row.solved_at is not None, row.failed_at is not None, change)

    @property
    def is_over(self) -> bool:
        """True if the try takes no more moves."""
        return self.solved or self.failed

    @property
    def is_decided(self) -> bool:
        """True once the player has solved the puzzle or made the first wrong move: later moves change no rating."""
        return self.solved or self.mistakes > 0


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer to a move: the steps that follow a right one, or the loss after a wrong one, and the progress."""

    progress: Progress
    steps: Sequence[Step] = ()
    loss: dict[str, Any] | None = None


def progress_of(player: int | None, puzzle: StoredPuzzle, today: date) -> Progress:
    """Return a player's progress; for a visitor and before the first move, that of a new try."""
    row = player and PuzzleTry.objects.filter(player=player, puzzle=puzzle).first()
    if row:
        return Progress.of(row)
    return Progress(tries_left=daily.TRIES if daily.is_puzzle_of(today, puzzle) else None)


def play(
    player: int, stored: StoredPuzzle, turn: int, token: str, today: date, *, mistakes: int | None = None
) -> Reply:
    """Check a move at a turn, counted from 0, store the progress, and rate the try if the move decides it.

    With `mistakes`, the number of wrong moves before it, the last move may be repeated: it gets the same reply and
    changes nothing.

    :raises Refusal: STALE if the try is at another turn or has other mistakes, CLOSED if it is over, SESSION_EXPIRED if
        the guest has just signed in elsewhere and no longer exists, or the rules' error for an illegal move; nothing
        changes.
    """
    try:
        reply = _play(player, stored, turn, token, today, mistakes=mistakes)
    except IntegrityError:
        if player_services().names_of([player]):
            raise
        raise Refusal(ErrorCode.SESSION_EXPIRED, "you have signed in elsewhere") from None
    return replace(reply, loss=explain(stored, turn, token)) if reply.loss == {} else reply


@transaction.atomic
def _play(player: int, stored: StoredPuzzle, turn: int, token: str, today: date, *, mistakes: int | None) -> Reply:
    day = today if daily.is_puzzle_of(today, stored) else None
    puzzle = Puzzle.from_json(stored.contents)
    tries = PuzzleTry.objects.select_for_update()
    row, _ = tries.get_or_create(player_id=player, puzzle=stored, defaults={"day": day})
    move = [turn, row.mistakes if mistakes is None else mistakes, token]
    is_repeated = move == row.last_move
    if not is_repeated and Progress.of(row).is_over:
        raise Refusal(ErrorCode.CLOSED, "this try is over")
    if not is_repeated and move[:2] != [row.turn, row.mistakes]:
        raise Refusal(ErrorCode.STALE, f"the try is at turn {row.turn}", turn=row.turn, mistakes=row.mistakes)
    loss = loss_after(puzzle, turn, token)
    steps = steps_after(puzzle, turn) if loss is None else []
    if not is_repeated:
        row.last_move = move
        _advance(row, stored, is_right=loss is None)
    return Reply(Progress.of(row), steps, loss)


def _advance(row: PuzzleTry, stored: StoredPuzzle, *, is_right: bool) -> None:
    """Store the outcome of a move."""
    was_decided = row.mistakes > 0
    if is_right:
        row.turn += 1
        row.solved_at = timezone.now() if row.turn == stored.turns else None
    else:
        row.mistakes += 1
        row.failed_at = timezone.now() if row.day is not None and row.mistakes >= daily.TRIES else None
    if Progress.of(row).is_decided and not was_decided:
        rated_tries.rate(row, stored)
    row.save()


def check_over(progress: Progress) -> None:
    """Check that a try is over.

    :raises Refusal: FORBIDDEN while the player may still find the solution.
    """
    if not progress.is_over:
        raise Refusal(ErrorCode.FORBIDDEN, "solve the puzzle first")


def hand_over(before: int, after: int) -> None:
    """Move a guest's tries to an account. Of a puzzle or day that both have tried, the account keeps its own."""
    own = PuzzleTry.objects.filter(player=after)
    days = own.exclude(day=None)
    added = PuzzleTry.objects.filter(player=before).exclude(puzzle__in=own.values("puzzle"))
    added.exclude(day__in=days.values("day")).update(player=after)


def win_of(puzzle: Puzzle, progress: Progress) -> list[Step]:
    """Return the steps of the whole win from the start of the puzzle.

    :raises Refusal: while the player may still find it.
    """
    check_over(progress)
    table = puzzle.table_at(0)
    return [step_of(table), *steps_of(table, (*puzzle.line, *puzzle.finish))]
