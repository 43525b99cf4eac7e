"""Runs: one puzzle after another. A storm or a race lasts three minutes; a streak ends with a mistake.

The clock is the server's. It starts when the page has loaded and asks for the first puzzle. Suits are renamed, because
anyone can read the shipped puzzles and their answers (docs/puzzles.md, "Puzzle storm and streak").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from random import Random, sample
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Max
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.fairplay.pace import implausibilities
from games.puzzles import history, reviews, selection, store
from games.puzzles.daily import MAX_TURNS
from games.puzzles.models import PuzzleRun, StoredPuzzle
from games.puzzles.move_check import Step, check_move, position_at
from games.puzzles.puzzle import Puzzle
from games.puzzles.runs.renamed_suits import renamed

DURATION: Final = timedelta(minutes=3)
#: Time that a wrong move costs.
PENALTY: Final = timedelta(seconds=10)
#: Time in which a streak must be finished, so that it belongs to one month.
STREAK_DURATION: Final = timedelta(days=1)
#: Puzzles in a storm, more than anyone solves in its time.
LENGTH: Final = 100
#: The fewest new puzzles in a storm that is listed; with fewer, puzzles that the player knows follow.
ENOUGH: Final = 30
#: Written in place of a move to skip a puzzle, and how often a streak allows that.
SKIP: Final = "skip"
MOST_SKIPS: Final = 1

Kind = PuzzleRun.Kind
_Standing = PuzzleRun.Standing


@dataclass(frozen=True, slots=True)
class RunState:
    """State of a run. `at` counts the puzzles before the current one, `turn` its turns found; `ms_left` is 0 at the
    end.
    """

    at: int
    turn: int
    solved: int
    mistakes: int
    skips_left: int
    ms_left: int

    @classmethod
    def of(cls, run: PuzzleRun, now: datetime) -> RunState:
        """Return the state of a run at a time."""
        is_streak, has_begun = run.kind == Kind.STREAK, run.begun_at is not None
        duration = STREAK_DURATION if is_streak else DURATION - run.mistakes * PENALTY
        is_done = (is_streak and run.mistakes > 0) or (has_begun and run.at >= len(run.puzzles))
        left = timedelta() if is_done else max((run.begun_at or now) + duration - now, timedelta())
        skips_left = MOST_SKIPS - run.skips if is_streak else 0
        return cls(run.at, run.turn, run.solved, run.mistakes, skips_left, left // timedelta(milliseconds=1))

    @property
    def is_over(self) -> bool:
        """True if the run takes no more moves."""
        return self.ms_left == 0


RunPuzzle = dict[str, Any]
"""`variant`, `turns` and `step` of a run's puzzle. Its number stays hidden, so that it cannot be tried elsewhere."""


@dataclass(frozen=True, slots=True)
class RunReply:
    """Answer to a move: the steps that follow a right one, and the next puzzle after the last move of one or a wrong
    one.
    """

    right: bool
    state: RunState
    steps: list[Step]
    next: RunPuzzle | None


def begin(player: int, kind: str) -> PuzzleRun:
    """Return a run that shows nothing yet, of which there is one at a time, or the player's unfinished streak.

    :raises Refusal: NO_PUZZLES if there are none.
    """
    store.ensure_any()
    if not selection.offered().filter(selection.ASKS_WIN, turns__lte=MAX_TURNS).exists():
        raise Refusal(ErrorCode.NO_PUZZLES)
    if kind == Kind.STREAK and (unfinished := unfinished_streak(player)) is not None:
        return unfinished
    day = timezone.now().date()
    return PuzzleRun.objects.get_or_create(player_id=player, kind=kind, begun_at=None, defaults={"day": day})[0]


def unfinished_streak(player: int) -> PuzzleRun | None:
    """Return a player's latest streak if it has begun and is not over."""
    last = PuzzleRun.objects.filter(player=player, kind=Kind.STREAK, begun_at__isnull=False).order_by("pk").last()
    return None if last is None or RunState.of(last, timezone.now()).is_over else last


def begin_for_race(player: int, puzzles: list[int], starts_at: datetime) -> PuzzleRun:
    """Create a racer's run, whose clock starts at `starts_at`."""
    return PuzzleRun.objects.create(
        player_id=player, day=starts_at.date(), puzzles=puzzles, begun_at=starts_at, kind=Kind.RACE
    )


@transaction.atomic
def show(key: int) -> tuple[RunState, RunPuzzle | None]:
    """Return the state of a run and the puzzle to solve, and start the clock if it is the first.

    :raises Refusal: NO_PUZZLES if there are none.
    """
    run, now = PuzzleRun.objects.select_for_update().get(pk=key), timezone.now()
    if run.begun_at is None:
        if run.kind == Kind.STREAK:
            _extend(run)
        else:
            run.puzzles = draw_puzzles([run.player_id])
        if not run.puzzles:
            raise Refusal(ErrorCode.NO_PUZZLES)
        run.begun_at = now
        is_enough = run.kind == Kind.STREAK or len(run.puzzles) >= ENOUGH
        _enter(run, now, is_new=is_enough and history.are_new(run.player_id, run.puzzles))
    return RunState.of(run, now), show_current(run)


def _enter(run: PuzzleRun, now: datetime, *, is_new: bool) -> None:
    """Save a run as one of a day, and list it on the board if it is of new puzzles; a storm, if it is the first."""
    run.day = now.date()
    others = PuzzleRun.objects.filter(player=run.player_id, kind=Kind.STORM, day=run.day).exclude(pk=run.pk)
    is_first = run.kind == Kind.STREAK or not others.exclude(standing=_Standing.PRACTICE).exists()
    run.standing = _Standing.LISTED if is_first and is_new else _Standing.PRACTICE
    try:
        with transaction.atomic():
            run.save()
    except IntegrityError:  # another tab was first
        run.standing = _Standing.PRACTICE
        run.save()


def draw_puzzles(players: Collection[int]) -> list[int]:
    """Draw short puzzles for a storm that none of the players has seen; too few are followed by those seen by few.

    Return their primary keys, in rounds of one of each variant, easy ones first; empty if there are no puzzles.
    """
    store.ensure_any()
    found = selection.offered().filter(selection.ASKS_WIN, turns__lte=MAX_TURNS).defer("contents")
    drawn = list(found.filter(history.unseen_by(players)).order_by("?")[:LENGTH])
    if len(drawn) < ENOUGH:
        known = found.filter(seen__player__in=players).annotate(by=Count("seen"), last=Max("seen__seen_at"))
        drawn += known.order_by("by", "last", "pk")[: LENGTH - len(drawn)]
    by_variant = defaultdict[str, list[int]](list)
    for one in sorted(drawn, key=lambda one: (one.mu, one.pk)):
        by_variant[one.variant].append(one.pk)
    rounds = zip_longest(*by_variant.values())
    return [key for row in rounds for key in sample(row, len(row)) if key is not None]


def own_run(player: int | None, kind: str, public_id: UUID) -> PuzzleRun:
    """Return a player's own run, outside races.

    :raises Refusal: NOT_FOUND for another player's, or if there is none.
    """
    run = PuzzleRun.objects.filter(player=player, kind=kind, public_id=public_id).first() if player else None
    if run is None:
        raise Refusal(ErrorCode.NOT_FOUND, f"there is no such {kind} of yours")
    return run


def show_current(run: PuzzleRun) -> RunPuzzle | None:
    """Return the puzzle that the player is to solve, and store that it is seen; None after the last one."""
    if run.at >= len(run.puzzles):
        return None
    stored, puzzle = _puzzle(run, run.at)
    history.mark_seen(run.player_id, stored.pk, history.Place(run.kind))
    return {"variant": stored.variant, "turns": stored.turns, "step": position_at(puzzle, run.turn)}


def _puzzle(run: PuzzleRun, at: int) -> tuple[StoredPuzzle, Puzzle]:
    """Return a puzzle of a run with its suits renamed: in a race, in the same way for everyone."""
    stored = StoredPuzzle.objects.get(pk=run.puzzles[at])
    chance = Random(f"{run.puzzles[: at + 1]}")  # noqa: S311 - repeatable; the order of the puzzles is secret
    return stored, renamed(Puzzle.from_json(stored.contents), chance)


@transaction.atomic
def play(key: int, at: int, turn: int, token: str) -> RunReply:
    """Check a move at a turn of the run's puzzle number `at`, both counted from 0, and store the progress.

    The last move may be repeated: it gets the same reply and changes nothing. In place of a move, `SKIP` goes on to a
    streak's next puzzle.

    :raises Refusal: STALE if the run is at another turn, CLOSED if it is over, NOT_BEGUN before the start, or the
        rules' error for a move that is not legal; nothing changes.
    """
    return play_locked(PuzzleRun.objects.select_for_update().get(pk=key), at, turn, token)


def play_locked(run: PuzzleRun, at: int, turn: int, token: str) -> RunReply:
    """Play a move as `play` does, in a run whose row the caller has locked."""
    now = timezone.now()
    if run.begun_at is None or now < run.begun_at:
        raise Refusal(ErrorCode.NOT_BEGUN)
    state, is_repeated = RunState.of(run, now), [at, turn, token] == run.last_move
    if not is_repeated and state.is_over:
        raise Refusal(ErrorCode.CLOSED, f"this {run.kind} is over")
    if not is_repeated and (at, turn) != (run.at, run.turn):
        raise Refusal(ErrorCode.STALE, f"the {run.kind} has gone on", at=run.at, turn=run.turn)
    _, puzzle = _puzzle(run, at)
    is_skip = token == SKIP and (is_repeated or state.skips_left > 0)
    verdict = None if is_skip else check_move(puzzle, turn, token)
    if not is_repeated:
        run.last_move = [at, turn, token]
        if verdict is None:
            run.skips, run.turn = run.skips + 1, 0
        else:
            _note(run, token, now)
            _advance(run, puzzle, now, is_right=verdict.is_right)
        _extend(run)
        run.save()
    is_right, steps = (verdict.is_right, verdict.steps) if verdict else (False, [])
    return RunReply(is_right, RunState.of(run, now), steps, show_current(run) if run.at > at else None)


def _note(run: PuzzleRun, token: str, now: datetime) -> None:
    """Note when a move was made. The first one decides the run's day; moves faster than hands keep it off the board."""
    assert run.begun_at is not None
    if not run.moves and run.kind != Kind.RACE and now.date() != run.day:
        _enter(run, now, is_new=run.standing == _Standing.LISTED)
    run.moves = [*run.moves, [token, (now - run.begun_at) // timedelta(milliseconds=1)]]
    tokens, clock = zip(*run.moves, strict=True)
    if run.standing == _Standing.LISTED and implausibilities(tokens, clock, clock[-1], ()):
        run.standing = _Standing.TOO_FAST


def _advance(run: PuzzleRun, puzzle: Puzzle, now: datetime, *, is_right: bool) -> None:
    """Set the outcome of the last move."""
    turn = run.turn + 1 if is_right else 0
    if not is_right:
        at, turn_before, token = run.last_move or []
        reviews.miss(run.player_id, run.puzzles[at], turn_before, token, now.date())
        run.missed = [*run.missed, run.puzzles[at]]
    elif turn == len(puzzle.turns):
        run.solved, run.solved_at, turn = run.solved + 1, now, 0
    run.turn = turn


def _extend(run: PuzzleRun) -> None:
    """Draw the next puzzle of a streak once one is needed. Without a new one, the streak becomes practice."""
    if run.kind != Kind.STREAK or run.mistakes or run.at < len(run.puzzles):
        return
    following = selection.draw_harder(run.player_id, run.puzzles)
    if following is None:
        return
    run.puzzles = [*run.puzzles, following.pk]
    if run.standing == _Standing.LISTED and not history.are_new(run.player_id, [following.pk]):
        run.standing = _Standing.PRACTICE


def hand_over(before: int, after: int) -> None:
    """Move a guest's runs to an account, as practice. Otherwise the best of several guests could be handed over."""
    runs = PuzzleRun.objects.filter(player=before)
    runs.filter(begun_at=None).delete()
    runs.update(player=after, standing=_Standing.PRACTICE)
