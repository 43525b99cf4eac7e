"""Tries at puzzles: check the player's moves, and store the progress."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from games.core import events
from games.core.errors import ErrorCode, Refusal
from games.db.players import player_services
from games.puzzles import daily, history, reviews
from games.puzzles.losses.refutations import best_game
from games.puzzles.models import MissedPuzzle, PuzzleTry, SeenPuzzle, StoredPuzzle
from games.puzzles.move_check import Step, check_move, step_of, steps_of
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
        allowed = 1 if row.review_on else daily.tries_for(row.puzzle) if row.day else None
        is_solved, before, after = row.solved_at is not None, row.mu_before, row.mu_after
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
    """Answer to a move: the progress, the place in which the player has `seen` the puzzle, the steps that follow a
    right move, or the loss after a wrong one (`games.puzzles.move_check.Verdict`).
    """

    progress: Progress
    seen: str
    steps: list[Step]
    loss: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class OpenedPuzzle:
    """A puzzle as a player finds it: the progress, the `day` whose puzzle it is now, the mistake with which the player
    has `missed` it, and the place in which they have `seen` it, empty for visitors.
    """

    progress: Progress
    day: date | None
    missed: MissedPuzzle | None
    seen: str


def open_puzzle(player: int | None, puzzle: StoredPuzzle, now: datetime) -> OpenedPuzzle:
    """Return a puzzle as a player or visitor finds it, and store that the player sees it."""
    seen = history.mark_seen(player, puzzle.pk, history.Place.PAGE) if player else ""
    missed = reviews.missed_puzzle(player, puzzle.pk)
    fresh = _new_try(puzzle, missed, now)
    row = (_tries_like(player, fresh).first() if player else None) or fresh
    row.puzzle = puzzle
    return OpenedPuzzle(Progress.of(row), fresh.day, missed, seen)


def _new_try(puzzle: StoredPuzzle, missed: MissedPuzzle | None, now: datetime) -> PuzzleTry:
    """Return a new try of no player yet: of the day whose puzzle it is now, or else of its review, if that is due."""
    day = daily.open_day(puzzle, now)
    review_on = missed.due_on if missed and not day and missed.due_on <= now.date() else None
    return PuzzleTry(puzzle=puzzle, day=day, review_on=review_on)


def _tries_like(player: int, fresh: PuzzleTry) -> QuerySet[PuzzleTry]:
    """Return the tries of a player at a puzzle, latest first; of its day or a review, only this one."""
    own = PuzzleTry.objects.filter(player=player, puzzle=fresh.puzzle_id).order_by("-pk")
    if fresh.day:
        return own.filter(day=fresh.day)
    return own.filter(review_on=fresh.review_on) if fresh.review_on else own


def play(
    player: int, stored: StoredPuzzle, turn: int, token: str, now: datetime, *, mistakes: int | None = None
) -> Reply:
    """Check a move, store the progress, and rate the try if the move decides it. Turns are counted from 0.

    `mistakes` is the number of wrong moves so far. With it, a client may send its last move again: nothing changes, and
    the reply is the same, except that it explains a loss once that is done.

    :raises Refusal: STALE if the try is at another turn or has other mistakes, CLOSED if it is over, SESSION_EXPIRED if
        the guest has just signed in elsewhere and no longer exists, or the rules' error for an illegal move; nothing
        changes.
    """
    try:
        return _play(player, stored, turn, token, now, mistakes=mistakes)
    except IntegrityError:
        if player_services().names_of([player]):
            raise
        raise Refusal(ErrorCode.SESSION_EXPIRED, "you have signed in elsewhere") from None


@transaction.atomic
def _play(player: int, stored: StoredPuzzle, turn: int, token: str, now: datetime, *, mistakes: int | None) -> Reply:
    seen = history.mark_seen(player, stored.pk, history.Place.PAGE)
    row = _locked_try(player, stored, now)
    move = [turn, row.mistakes if mistakes is None else mistakes, token]
    is_repeated = move == row.last_move
    if not is_repeated and Progress.of(row).is_over:
        raise Refusal(ErrorCode.CLOSED, "this try is over")
    if not is_repeated and move[:2] != [row.turn, row.mistakes]:
        raise Refusal(ErrorCode.STALE, f"the try is at turn {row.turn}", turn=row.turn, mistakes=row.mistakes)
    verdict = check_move(Puzzle.from_json(stored.contents), turn, token)
    if not is_repeated:
        if row.day is not None and not row.first_move:
            row.first_move = verdict.token
        row.last_move = move
        _advance(row, now, seen, is_right=verdict.is_right)
        if verdict.loss == {}:
            explain = partial(events.request_task, "talon.explain_loss", stored.pk, turn, verdict.token)
            transaction.on_commit(explain)
    return Reply(Progress.of(row), seen, verdict.steps, verdict.loss)


def _locked_try(player: int, stored: StoredPuzzle, now: datetime) -> PuzzleTry:
    """Return the player's try, locked; create it if there is none."""
    fresh = _new_try(stored, reviews.missed_puzzle(player, stored.pk), now)
    row = _tries_like(player, fresh).select_for_update().first()
    if row is None:
        tries = PuzzleTry.objects.select_for_update()
        row, _ = tries.get_or_create(player_id=player, puzzle=stored, day=fresh.day, review_on=fresh.review_on)
    row.puzzle = stored
    return row


def _advance(row: PuzzleTry, now: datetime, seen: str, *, is_right: bool) -> None:
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
    may_rate = Progress.of(row).is_decided and not was_decided and seen == history.Place.PAGE and not row.review_on
    own = PuzzleTry.objects.filter(player=row.player_id, puzzle=row.puzzle_id)
    if may_rate and not own.exclude(pk=row.pk).exists():
        rated_tries.rate(row, row.puzzle)
    row.save()


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
