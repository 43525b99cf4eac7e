"""Tries at puzzles: check the player's moves, and store the progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from games.core.errors import ErrorCode, Refusal
from games.db.players import player_services
from games.puzzles import daily, history
from games.puzzles.losses.explained_losses import explain
from games.puzzles.models import PuzzleTry, StoredPuzzle
from games.puzzles.move_check import losing_token, loss_after, steps_after
from games.puzzles.open_view import Step, step_of, steps_of
from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings import rated_tries

#: The most wrong moves that are counted.
MOST_MISTAKES: Final = 9999


@dataclass(frozen=True, slots=True)
class Progress:
    """State of a try: the turns found, and the wrong moves. `tries_left` is None if any number is allowed.

    `rating_change` is by how many points the try changed the player's rating; None if it is not rated, or not yet.
    `late` says that the day's puzzle was solved after its day, and so counts for no streak.
    """

    turn: int = 0
    mistakes: int = 0
    tries_left: int | None = None
    solved: bool = False
    failed: bool = False
    rating_change: int | None = None
    late: bool = False

    @classmethod
    def of(cls, row: PuzzleTry) -> Progress:
        """Return the state stored in a row."""
        left = None if row.day is None else max(0, daily.tries_for(row.puzzle) - row.mistakes)
        change, is_solved = rated_tries.change_of(row), row.solved_at is not None
        is_late = row.day is not None and is_solved and not daily.counts(row)
        return cls(row.turn, row.mistakes, left, is_solved, row.failed_at is not None, change, is_late)

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


def open_puzzle(player: int | None, puzzle: StoredPuzzle, now: datetime) -> Progress:
    """Return a player's progress as `progress_of` does, and store that the player sees the puzzle."""
    if player is not None:
        history.mark_seen(player, puzzle.pk, history.Place.PAGE)
    return progress_of(player, puzzle, now)


def progress_of(player: int | None, puzzle: StoredPuzzle, now: datetime) -> Progress:
    """Return a player's progress; for a visitor and before the first move, that of a new try."""
    day = daily.open_day(puzzle, now)
    row = player and _tries_at(player, puzzle, day).select_related("puzzle").first()
    return Progress.of(row) if row else Progress(tries_left=None if day is None else daily.tries_for(puzzle))


def _tries_at(player: int, puzzle: StoredPuzzle, day: date | None) -> QuerySet[PuzzleTry]:
    """Return the tries of a player at a puzzle, latest first; on its day, only the one of the day."""
    own = PuzzleTry.objects.filter(player=player, puzzle=puzzle).order_by("-pk")
    return own if day is None else own.filter(day=day)


def play(
    player: int, stored: StoredPuzzle, turn: int, token: str, now: datetime, *, mistakes: int | None = None
) -> Reply:
    """Check a move at a turn, counted from 0, store the progress, and rate the try if the move decides it.

    With `mistakes`, the number of wrong moves before it, the last move may be repeated: it gets the same reply and
    changes nothing.

    :raises Refusal: STALE if the try is at another turn or has other mistakes, CLOSED if it is over, SESSION_EXPIRED if
        the guest has just signed in elsewhere and no longer exists, or the rules' error for an illegal move; nothing
        changes.
    """
    try:
        reply = _play(player, stored, turn, token, now, mistakes=mistakes)
    except IntegrityError:
        if player_services().names_of([player]):
            raise
        raise Refusal(ErrorCode.SESSION_EXPIRED, "you have signed in elsewhere") from None
    return replace(reply, loss=explain(stored, turn, token)) if reply.loss == {} else reply


@transaction.atomic
def _play(player: int, stored: StoredPuzzle, turn: int, token: str, now: datetime, *, mistakes: int | None) -> Reply:
    puzzle = Puzzle.from_json(stored.contents)
    row = _locked_try(player, stored, now)
    move = [turn, row.mistakes if mistakes is None else mistakes, token]
    is_repeated = move == row.last_move
    if not is_repeated and Progress.of(row).is_over:
        raise Refusal(ErrorCode.CLOSED, "this try is over")
    if not is_repeated and move[:2] != [row.turn, row.mistakes]:
        raise Refusal(ErrorCode.STALE, f"the try is at turn {row.turn}", turn=row.turn, mistakes=row.mistakes)
    loss = loss_after(puzzle, turn, token)
    steps = steps_after(puzzle, turn) if loss is None else []
    if not is_repeated:
        if row.day is not None and not row.first_move:
            row.first_move = losing_token(puzzle, turn, token) or puzzle.line[puzzle.turns[turn]]
        row.last_move = move
        _advance(row, now, is_right=loss is None)
    return Reply(Progress.of(row), steps, loss)


def _locked_try(player: int, stored: StoredPuzzle, now: datetime) -> PuzzleTry:
    """Return the player's try, locked; create it if there is none."""
    day = daily.open_day(stored, now)
    row = _tries_at(player, stored, day).select_for_update().first()
    if row is None:
        history.mark_seen(player, stored.pk, history.Place.PAGE)
        tries = PuzzleTry.objects.select_for_update()
        row, _ = tries.get_or_create(player_id=player, puzzle=stored, day=day)
    row.puzzle = stored
    return row


def _advance(row: PuzzleTry, now: datetime, *, is_right: bool) -> None:
    """Store the outcome of a move."""
    was_decided = row.mistakes > 0
    if is_right:
        row.turn += 1
        row.solved_at = now if row.turn == row.puzzle.turns else None
    else:
        row.mistakes = min(row.mistakes + 1, MOST_MISTAKES)
        row.failed_at = now if row.day is not None and row.mistakes >= daily.tries_for(row.puzzle) else None
    if Progress.of(row).is_decided and not was_decided and _is_new(row):
        rated_tries.rate(row, row.puzzle)
    row.save()


def _is_new(row: PuzzleTry) -> bool:
    """Return whether the player had not seen the puzzle in a storm or race, nor tried it before."""
    is_first = not _tries_at(row.player_id, row.puzzle, None).exclude(pk=row.pk).exists()
    return is_first and history.place_of(row.player_id, row.puzzle_id) == history.Place.PAGE


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
    history.hand_over(before, after)


def win_of(puzzle: Puzzle, progress: Progress) -> list[Step]:
    """Return the steps of the whole win from the start of the puzzle.

    :raises Refusal: while the player may still find it.
    """
    check_over(progress)
    table = puzzle.table_at(0)
    return [step_of(table), *steps_of(table, (*puzzle.line, *puzzle.finish))]
