"""Runs of a storm: one puzzle after another, ever harder, until three minutes are over.

The clock is the server's. It starts when the page has loaded and asks for the first puzzle. A wrong move ends its
puzzle and costs ten seconds.

A player's first run of a day is listed on the board, if all of its puzzles are new to the player. The suits of the
puzzles are renamed, because anyone can read the shipped puzzles and their answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from random import Random, sample
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.fairplay.pace import implausibilities
from games.puzzles import history, selection
from games.puzzles.daily import MAX_TURNS
from games.puzzles.models import StoredPuzzle, StormRun
from games.puzzles.move_check import loss_after, position_at, steps_after
from games.puzzles.open_view import Step
from games.puzzles.puzzle import Puzzle
from games.puzzles.storm.renamed_suits import renamed

DURATION: Final = timedelta(minutes=3)
#: Time that a wrong move costs.
PENALTY: Final = timedelta(seconds=10)
#: Puzzles in a run, more than anyone solves in its time.
LENGTH: Final = 100
#: The fewest new puzzles in a run that is listed; with fewer, puzzles that the player knows follow.
ENOUGH: Final = 30

_Standing = StormRun.Standing


@dataclass(frozen=True, slots=True)
class StormState:
    """State of a run. `at` counts the puzzles before the current one, `turn` its turns found; `ms_left` is 0 at the
    end.
    """

    at: int
    turn: int
    solved: int
    mistakes: int
    ms_left: int

    @classmethod
    def of(cls, run: StormRun, now: datetime) -> StormState:
        """Return the state of a run at a time."""
        end = (run.begun_at or now) + DURATION - run.mistakes * PENALTY
        has_more = run.begun_at is None or run.at < len(run.puzzles)
        left = max(end - now, timedelta()) if has_more else timedelta()
        return cls(run.at, run.turn, run.solved, run.mistakes, left // timedelta(milliseconds=1))

    @property
    def is_over(self) -> bool:
        """True if the run takes no more moves."""
        return self.ms_left == 0


@dataclass(frozen=True, slots=True)
class StormPuzzle:
    """A puzzle of a run as the player sees it. Its number stays hidden, so that it cannot be tried elsewhere first."""

    variant: str
    turns: int
    step: Step


@dataclass(frozen=True, slots=True)
class StormReply:
    """Answer to a move: the steps that follow a right one, and the next puzzle after the last move of one or a wrong
    one.
    """

    right: bool
    state: StormState
    steps: list[Step]
    next: StormPuzzle | None


def begin(player: int) -> StormRun:
    """Return a run that shows nothing yet; there is one at a time.

    :raises Refusal: NO_PUZZLES if there are none.
    """
    if not selection.offered().filter(turns__lte=MAX_TURNS).exists():
        raise Refusal(ErrorCode.NO_PUZZLES)
    day = timezone.now().date()
    return StormRun.objects.get_or_create(player_id=player, begun_at=None, for_race=False, defaults={"day": day})[0]


def begin_for_race(player: int, puzzles: list[int], starts_at: datetime) -> StormRun:
    """Create a racer's run, whose clock starts at `starts_at`."""
    return StormRun.objects.create(
        player_id=player, day=starts_at.date(), puzzles=puzzles, begun_at=starts_at, for_race=True
    )


@transaction.atomic
def show(key: int) -> tuple[StormState, StormPuzzle | None]:
    """Return the state of a run and the puzzle to solve, and start the clock if it is the first.

    :raises Refusal: NO_PUZZLES if there are none.
    """
    run, now = StormRun.objects.select_for_update().get(pk=key), timezone.now()
    if run.begun_at is None:
        drawn = draw_puzzles([run.player_id])
        if not drawn:
            raise Refusal(ErrorCode.NO_PUZZLES)
        run.puzzles, run.begun_at = [one.key for one in drawn], now
        _enter(run, now, is_new=all(one.is_new for one in drawn) and len(drawn) >= ENOUGH)
    return StormState.of(run, now), show_current(run)


def _enter(run: StormRun, now: datetime, *, is_new: bool) -> None:
    """Save a run as one of a day; list it on the board if it is the player's first, and of new puzzles."""
    run.day = now.date()
    others = StormRun.objects.filter(player=run.player_id, day=run.day).exclude(standing=_Standing.PRACTICE)
    is_first = not others.exclude(pk=run.pk).exists()
    run.standing = _Standing.LISTED if is_first and is_new else _Standing.PRACTICE
    try:
        with transaction.atomic():
            run.save()
    except IntegrityError:  # another tab was first
        run.standing = _Standing.PRACTICE
        run.save()


def draw_puzzles(players: Collection[int]) -> list[selection.Drawn]:
    """Draw short puzzles in the order of a run: new ones if there are enough; empty if there are no puzzles."""
    drawn = selection.draw(players, MAX_TURNS, LENGTH, ENOUGH)
    return _mixed(sorted(drawn, key=lambda one: (one.mu, one.key)))


def _mixed(puzzles: Iterable[selection.Drawn]) -> list[selection.Drawn]:
    """Return rated puzzles in rounds of one of each variant, the easiest ones first."""
    by_variant = defaultdict[str, list[selection.Drawn]](list)
    for one in puzzles:
        by_variant[one.variant].append(one)
    rounds = zip_longest(*by_variant.values())
    return [one for row in rounds for one in sample(row, len(row)) if one is not None]


def own_run(player: int | None, public_id: UUID) -> StormRun:
    """Return a player's own run, outside races.

    :raises Refusal: NOT_FOUND for another player's, or if there is none.
    """
    run = StormRun.objects.filter(player=player, public_id=public_id, for_race=False).first() if player else None
    if run is None:
        raise Refusal(ErrorCode.NOT_FOUND, "there is no such storm of yours")
    return run


def show_current(run: StormRun) -> StormPuzzle | None:
    """Return the puzzle that the player is to solve, and store that it is seen; None after the last one."""
    if run.at == len(run.puzzles):
        return None
    stored, puzzle = _puzzle(run, run.at)
    history.mark_seen(run.player_id, stored.pk, history.Place.RACE if run.for_race else history.Place.STORM)
    return StormPuzzle(stored.variant, stored.turns, position_at(puzzle, run.turn))


def _puzzle(run: StormRun, at: int) -> tuple[StoredPuzzle, Puzzle]:
    """Return a puzzle of a run with its suits renamed: in a race, in the same way for everyone."""
    stored = StoredPuzzle.objects.get(pk=run.puzzles[at])
    chance = Random(f"{run.puzzles} {at}")  # noqa: S311 - repeatable; the order of the puzzles is secret
    return stored, renamed(Puzzle.from_json(stored.contents), chance)


@transaction.atomic
def play(key: int, at: int, turn: int, token: str) -> StormReply:
    """Check a move at a turn of the run's puzzle number `at`, both counted from 0, and store the progress.

    The last move may be repeated: it gets the same reply and changes nothing.

    :raises Refusal: STALE if the run is at another turn, CLOSED if it is over, NOT_BEGUN before the start, or the
        rules' error for a move that is not legal; nothing changes.
    """
    return play_locked(StormRun.objects.select_for_update().get(pk=key), at, turn, token)


def play_locked(run: StormRun, at: int, turn: int, token: str) -> StormReply:
    """Play a move as `play` does, in a run whose row the caller has locked."""
    now = timezone.now()
    if run.begun_at is None or now < run.begun_at:
        raise Refusal(ErrorCode.NOT_BEGUN)
    is_repeated = [at, turn, token] == run.last_move
    if not is_repeated and StormState.of(run, now).is_over:
        raise Refusal(ErrorCode.CLOSED, "this storm is over")
    if not is_repeated and (at, turn) != (run.at, run.turn):
        raise Refusal(ErrorCode.STALE, "the storm has gone on", at=run.at, turn=run.turn)
    _, puzzle = _puzzle(run, at)
    is_right = loss_after(puzzle, turn, token) is None
    steps = steps_after(puzzle, turn) if is_right else []
    if not is_repeated:
        run.last_move = [at, turn, token]
        _note(run, token, now)
        _advance(run, puzzle, now, is_right=is_right)
    return StormReply(is_right, StormState.of(run, now), steps, show_current(run) if run.at > at else None)


def _note(run: StormRun, token: str, now: datetime) -> None:
    """Note when a move was made. The first one decides the run's day; moves faster than hands keep it off the board."""
    assert run.begun_at is not None
    if not run.moves and not run.for_race and now.date() != run.day:
        _enter(run, now, is_new=run.standing == _Standing.LISTED)
    run.moves = [*run.moves, [token, (now - run.begun_at) // timedelta(milliseconds=1)]]
    tokens, clock = zip(*run.moves, strict=True)
    if run.standing == _Standing.LISTED and implausibilities(tokens, clock, clock[-1], ()):
        run.standing = _Standing.TOO_FAST


def _advance(run: StormRun, puzzle: Puzzle, now: datetime, *, is_right: bool) -> None:
    """Store the outcome of a move."""
    turn = run.turn + 1 if is_right else 0
    if not is_right:
        run.missed = [*run.missed, run.puzzles[run.at]]
    elif turn == len(puzzle.turns):
        run.solved, run.solved_at, turn = run.solved + 1, now, 0
    run.turn = turn
    run.save()


def hand_over(before: int, after: int) -> None:
    """Move a guest's runs to an account, as practice. Otherwise the best of several guests could be handed over."""
    runs = StormRun.objects.filter(player=before)
    runs.filter(begun_at=None).delete()
    runs.update(player=after, standing=_Standing.PRACTICE)
