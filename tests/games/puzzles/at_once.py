"""Concurrent tries and draws, on a database with several connections.

`test_at_once.py` runs `main` with DATABASE_URL set to a migrated, empty database.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.core.errors import ErrorCode, Refusal
from games.puzzles import daily, tries
from games.puzzles.models import DailyPuzzle, PuzzleRating, PuzzleTry, StoredPuzzle
from games.puzzles.ratings import rating_model
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.ratings.rating_model import SETTLED, RatingEstimate
from tests.concurrency import run_together
from tests.games.puzzles.puzzles import LABYRINTH, right, stored_puzzle, wrong

ROUNDS = 20
TODAY = date(2026, 11, 26)


def draw_a_day_once(number: int) -> None:
    """Three processes ask for the puzzle of a day that none has yet: all get the same."""
    for _ in range(3):
        stored_puzzle()
    day = TODAY + timedelta(days=number)
    drawn = run_together(*[lambda: daily.puzzle_of(day)] * 3)
    assert len(set(drawn)) == 1, drawn
    assert DailyPuzzle.objects.get(day=day).puzzle == drawn[0]


def move_in_two_tabs(number: int) -> None:
    """Two tabs make the right move at once: one is too late."""
    del number
    player, stored = create_guest().pk, stored_puzzle()
    outcomes = run_together(*[lambda: tries.play(player, stored, 0, right(LABYRINTH, 0), TODAY)] * 2)
    refusals = [outcome.code for outcome in outcomes if isinstance(outcome, Refusal)]
    assert refusals == [ErrorCode.STALE], outcomes
    assert PuzzleTry.objects.get(player=player).turn == 1


def make_mistakes_in_two_tabs(number: int) -> None:
    """Both mistakes count."""
    del number
    player, stored = create_guest().pk, stored_puzzle()
    outcomes = run_together(*[lambda: tries.play(player, stored, 0, wrong(LABYRINTH, 0), TODAY)] * 2)
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    assert PuzzleTry.objects.get(player=player).mistakes == 2


def merge_while_the_account_tries(number: int) -> None:
    """A guest signs in to an account that begins the same puzzle: the account has one try, and the guest is gone."""
    user, guest, stored = User.objects.create_user(f"solver {number}"), create_guest(), stored_puzzle()
    PuzzleTry.objects.create(player=guest, puzzle=stored)
    outcomes = run_together(
        lambda: merge_guest(guest, user), lambda: tries.play(user.pk, stored, 0, right(LABYRINTH, 0), TODAY)
    )
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    assert [(row.player, row.turn) for row in PuzzleTry.objects.filter(puzzle=stored)] == [(user, 1)]


def fail_together(number: int) -> None:
    """Three equal players fail at a puzzle: its rating moves three times."""
    players, stored = [User.objects.create_user(f"settled {number} {n}").pk for n in range(3)], stored_puzzle()
    for player in players:
        PuzzleRating.objects.create(player_id=player, sigma=SETTLED)
    expected = RatingEstimate(stored.mu, stored.sigma)
    for _ in players:
        _, expected = rating_model.rate(RatingEstimate(sigma=SETTLED), expected, solved=False)
    moves = [
        partial(tries.play, player, StoredPuzzle.objects.get(pk=stored.pk), 0, wrong(LABYRINTH, 0), TODAY)
        for player in players
    ]
    outcomes = run_together(*moves)
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    stored.refresh_from_db()
    assert (stored.mu, stored.sigma) == expected


def fail_at_two_puzzles(number: int) -> None:
    """A player without a rating fails at two puzzles at once: each change builds on the other."""
    player = User.objects.create_user(f"two boards {number}").pk
    moves = [partial(tries.play, player, stored_puzzle(), 0, wrong(LABYRINTH, 0), TODAY) for _ in range(2)]
    outcomes = run_together(*moves)
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    first, second = PuzzleTry.objects.filter(player=player).order_by("-mu_before")
    assert (first.mu_after, second.mu_after) == (second.mu_before, estimate_of(player).mu)


SCENARIOS = (
    draw_a_day_once,
    move_in_two_tabs,
    make_mistakes_in_two_tabs,
    merge_while_the_account_tries,
    fail_together,
    fail_at_two_puzzles,
)


def main() -> None:
    for scenario in SCENARIOS:
        for number in range(ROUNDS):
            scenario(number)
        print("ok", scenario.__name__)
