"""Tries at puzzles: check the player's moves, and store the progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from games.core.errors import ErrorCode, Refusal
from games.db.players import player_services
from games.puzzles import daily, history, reviews
from games.puzzles.losses.explained_losses import explain
from games.puzzles.losses.tried_games import best_game
from games.puzzles.models import MissedPuzzle, PuzzleTry, SeenPuzzle, StoredPuzzle
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
    `late` says that the day's puzzle was solved after its day, and so counts for no streak, and `review` that the
    player had missed the puzzle before (`games.puzzles.reviews`).
    """

    turn: int = 0
    mistakes: int = 0
    tries_left: int | None = None
    solved: bool = False
    failed: bool = False
    rating_change: int | None = None
    late: bool = False
    review: bool = False

    @classmethod
    def of(cls, row: PuzzleTry) -> Progress:
        """Return the state stored in a row."""
        allowed, is_solved, before, after = _allowed(row), row.solved_at is not None, row.mu_before, row.mu_after
        return cls(
            turn=row.turn,
            mistakes=row.mistakes,
            tries_left=None if allowed is None else max(0, allowed - row.mistakes),
            solved=is_solved,
            failed=row.failed_at is not None,
            rating_change=None if before is None or after is None else round(after) - round(before),
            late=row.day is not None and is_solved and not daily.counts(row),
            review=row.review_on is not None,
        )

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
    dates = _dates(player, puzzle, now)
    row = (player and _tries_at(player, puzzle, dates).first()) or PuzzleTry(**dates)
    row.puzzle = puzzle
    return Progress.of(row)


def _dates(player: int | None, puzzle: StoredPuzzle, now: datetime) -> dict[str, Any]:
    """Return the `day` of a player's try at a puzzle, if it is a day's puzzle now, or else the day of its review."""
    day = daily.open_day(puzzle, now)
    return {"day": day, "review_on": None if day else reviews.due_on(player, puzzle.pk, now.date())}


def _tries_at(player: int, puzzle: StoredPuzzle, dates: dict[str, Any]) -> QuerySet[PuzzleTry]:
    """Return the tries of a player at a puzzle, latest first; of its day or a review, only this one."""
    own = PuzzleTry.objects.filter(player=player, puzzle=puzzle).order_by("-pk")
    return own.filter(**{name: day for name, day in dates.items() if day})


def _allowed(row: PuzzleTry) -> int | None:
    """Return the number of wrong moves that end a try; None if it allows any."""
    if row.review_on is not None:
        return 1
    return None if row.day is None else daily.tries_for(row.puzzle)


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
    dates = _dates(player, stored, now)
    row = _tries_at(player, stored, dates).select_for_update().first()
    if row is None:
        history.mark_seen(player, stored.pk, history.Place.PAGE)
        tries = PuzzleTry.objects.select_for_update()
        row, _ = tries.get_or_create(player_id=player, puzzle=stored, **dates)
    row.puzzle = stored
    return row


def _advance(row: PuzzleTry, now: datetime, *, is_right: bool) -> None:
    """Store the outcome of a move."""
    was_decided = row.mistakes > 0
    if is_right:
        row.turn += 1
        row.solved_at = now if row.turn == row.puzzle.turns else None
        if row.solved_at and row.review_on:
            reviews.succeed(row.player_id, row.puzzle_id, now.date())
    else:
        row.mistakes = min(row.mistakes + 1, MOST_MISTAKES)
        row.failed_at = now if Progress.of(row).tries_left == 0 else None
        if not was_decided and row.last_move:
            turn, _, token = row.last_move
            reviews.miss(row.player_id, row.puzzle_id, turn, token, now.date())
    if Progress.of(row).is_decided and not was_decided and _is_new(row):
        rated_tries.rate(row, row.puzzle)
    row.save()


def _is_new(row: PuzzleTry) -> bool:
    """Return whether the player had not seen the puzzle in a run, nor tried it before."""
    is_first = row.review_on is None and not _tries_at(row.player_id, row.puzzle, {}).exclude(pk=row.pk).exists()
    return is_first and history.place_of(row.player_id, row.puzzle_id) == history.Place.PAGE


def check_over(progress: Progress) -> None:
    """Check that a try is over.

    :raises Refusal: FORBIDDEN while the player may still find the solution.
    """
    if not progress.is_over:
        raise Refusal(ErrorCode.FORBIDDEN, "solve the puzzle first")


def hand_over(before: int, after: int) -> None:
    """Move a guest's tries, history and missed puzzles to an account. Of what both have, the account keeps its own."""
    days = PuzzleTry.objects.filter(player=after).exclude(day=None).values("day")
    PuzzleTry.objects.filter(player=before, day__in=days).delete()
    kinds: tuple[QuerySet[Any], ...] = PuzzleTry.objects.all(), SeenPuzzle.objects.all(), MissedPuzzle.objects.all()
    for rows in kinds:
        own = rows.filter(player=after).values("puzzle")
        rows.filter(player=before).exclude(puzzle__in=own).update(player=after)


def win_of(puzzle: Puzzle, progress: Progress) -> list[Step]:
    """Return the steps of the whole win from the start of the puzzle, or of the game after the loss it asks for.

    :raises Refusal: while the player may still find it.
    """
    check_over(progress)
    table = puzzle.table_at(0)
    tokens = best_game(puzzle.table_at(1).position()) if puzzle.wins else puzzle.finish
    return [step_of(table), *steps_of(table, (*puzzle.line, *tokens))]
