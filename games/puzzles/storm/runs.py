"""Runs of a storm: one puzzle after another, ever harder, until three minutes are over.

The clock is the server's. It starts with the first move, so that loading the page costs no time. A wrong move ends its
puzzle and costs ten seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from random import sample
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.puzzles import store
from games.puzzles.daily import MAX_TURNS
from games.puzzles.models import StoredPuzzle, StormRun
from games.puzzles.move_check import loss_after, position_at, steps_after
from games.puzzles.open_view import Step
from games.puzzles.puzzle import Puzzle
from games.puzzles.votes import unpopular

DURATION: Final = timedelta(minutes=3)
#: Time that a wrong move costs.
PENALTY: Final = timedelta(seconds=10)
#: Puzzles in a run, more than anyone solves in its time.
LENGTH: Final = 100


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
        left = max(end - now, timedelta()) if run.at < len(run.puzzles) else timedelta()
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


def begin(player: int) -> StormRun | None:
    """Create a run of random short puzzles; None if there are no puzzles."""
    puzzles = draw_puzzles()
    if not puzzles:
        return None
    return StormRun.objects.create(player_id=player, day=timezone.now().date(), puzzles=puzzles)


def begin_for_race(player: int, puzzles: list[int], starts_at: datetime) -> StormRun:
    """Create a racer's run, whose clock starts at `starts_at`."""
    return StormRun.objects.create(
        player_id=player, day=starts_at.date(), puzzles=puzzles, begun_at=starts_at, for_race=True
    )


def draw_puzzles() -> list[int]:
    """Return the primary keys of random short puzzles in the order of a run; empty if there are no puzzles.

    The puzzle of the day is left out, so that a storm shows nothing of it, and so are unpopular puzzles.
    """
    store.ensure_any()
    today = timezone.now().date()
    short = StoredPuzzle.objects.filter(turns__lte=MAX_TURNS).exclude(days__day=today).exclude(pk__in=unpopular())
    return _mixed(sorted(short.order_by("?").values_list("mu", "pk", "variant")[:LENGTH]))


def _mixed(puzzles: Iterable[tuple[float, int, str]]) -> list[int]:
    """Return the primary keys of rated puzzles in rounds of one of each variant, the easiest ones first."""
    by_variant = defaultdict[str, list[int]](list)
    for _, key, variant in puzzles:
        by_variant[variant].append(key)
    rounds = zip_longest(*by_variant.values())
    return [key for one in rounds for key in sample(one, len(one)) if key is not None]


def own_run(player: int | None, public_id: UUID) -> StormRun:
    """Return a player's own run, outside races.

    :raises Refusal: NOT_FOUND for another player's, or if there is none.
    """
    run = StormRun.objects.filter(player=player, public_id=public_id, for_race=False).first() if player else None
    if run is None:
        raise Refusal(ErrorCode.NOT_FOUND, "there is no such storm of yours")
    return run


def current_puzzle(run: StormRun) -> StormPuzzle | None:
    """Return the puzzle that the player is to solve; None after the last one."""
    if run.at == len(run.puzzles):
        return None
    stored = StoredPuzzle.objects.get(pk=run.puzzles[run.at])
    puzzle = Puzzle.from_json(stored.contents)
    return StormPuzzle(stored.variant, stored.turns, position_at(puzzle, run.turn))


@transaction.atomic
def play(key: int, at: int, turn: int, token: str) -> StormReply:
    """Check a move at a turn of the run's puzzle number `at`, both counted from 0, and store the progress.

    The first move starts the clock. The last move may be repeated: it gets the same reply and changes nothing.

    :raises Refusal: STALE if the run is at another turn, CLOSED if it is over, NOT_BEGUN before a race, or the rules'
        error for a move that is not legal; nothing changes.
    """
    return play_locked(StormRun.objects.select_for_update().get(pk=key), at, turn, token)


def play_locked(run: StormRun, at: int, turn: int, token: str) -> StormReply:
    """Play a move as `play` does, in a run whose row the caller has locked."""
    now = timezone.now()
    if run.begun_at is not None and now < run.begun_at:
        raise Refusal(ErrorCode.NOT_BEGUN)
    is_repeated = [at, turn, token] == run.last_move
    if not is_repeated and StormState.of(run, now).is_over:
        raise Refusal(ErrorCode.CLOSED, "this storm is over")
    if not is_repeated and (at, turn) != (run.at, run.turn):
        raise Refusal(ErrorCode.STALE, "the storm has gone on", at=run.at, turn=run.turn)
    puzzle = Puzzle.from_json(StoredPuzzle.objects.get(pk=run.puzzles[at]).contents)
    is_right = loss_after(puzzle, turn, token) is None
    steps = steps_after(puzzle, turn) if is_right else []
    if not is_repeated:
        run.last_move = [at, turn, token]
        run.begun_at = run.begun_at or now
        _advance(run, puzzle, now, is_right=is_right)
    return StormReply(is_right, StormState.of(run, now), steps, current_puzzle(run) if run.at > at else None)


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
    """Move a guest's runs to an account."""
    StormRun.objects.filter(player=before).update(player=after)
