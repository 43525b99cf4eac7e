"""Concurrent tries and draws, on a database with several connections.

`test_at_once.py` runs `main` with DATABASE_URL set to a migrated, empty database.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.core.errors import ErrorCode, Refusal
from games.puzzles import daily, history, tries
from games.puzzles.models import DailyPuzzle, PuzzleRating, PuzzleRun, PuzzleTry, SeenPuzzle, StoredPuzzle
from games.puzzles.ratings import rating_model
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.ratings.rating_model import SETTLED, RatingEstimate
from games.puzzles.runs import puzzle_runs
from tests.concurrency import run_together
from tests.games.puzzles.puzzles import LABYRINTH, right, stored_puzzle, wrong

ROUNDS = 20
NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
TODAY = NOW.date()


def draw_a_day_once(number: int) -> None:
    """Three processes ask for the puzzle of a day that none has yet: all get the same."""
    for _ in range(3):
        stored_puzzle()
    day = TODAY + timedelta(days=number)
    drawn = run_together(*[lambda: daily.puzzle_of(day)] * 3)
    assert len(set(drawn)) == 1, drawn
    assert DailyPuzzle.objects.get(day=day).puzzle == drawn[0]


def move_in_two_tabs(number: int) -> None:
    """A right move is sent twice at once: both get the same reply, and it counts once."""
    del number
    player, stored = create_guest().pk, stored_puzzle()
    outcomes = run_together(*[lambda: tries.play(player, stored, 0, right(LABYRINTH, 0), NOW)] * 2)
    assert outcomes[0] == outcomes[1], outcomes
    assert PuzzleTry.objects.get(player=player).turn == 1


def repeat_a_mistake(number: int) -> None:
    """A wrong move is sent three times at once: all get the same reply, and it costs one try."""
    del number
    player, stored = create_guest().pk, stored_puzzle()
    move = partial(tries.play, player, stored, 0, wrong(LABYRINTH, 0), NOW, mistakes=0)
    first, *others = run_together(*[move] * 3)
    assert others == [first, first], (first, others)
    assert PuzzleTry.objects.get(player=player).mistakes == 1


def repeat_a_storm_move(number: int) -> None:
    """A wrong move of a storm is sent three times at once: it ends one puzzle."""
    del number
    puzzles = [stored_puzzle().pk, stored_puzzle().pk]
    key = PuzzleRun.objects.create(player=create_guest(), day=TODAY, puzzles=puzzles, begun_at=timezone.now()).pk
    replies = run_together(*[lambda: puzzle_runs.play(key, 0, 0, wrong(LABYRINTH, 0))] * 3)
    results = [(reply.state.at, reply.right) for reply in replies if isinstance(reply, puzzle_runs.RunReply)]
    assert results == [(1, False)] * 3, replies
    assert PuzzleRun.objects.get(pk=key).mistakes == 1


def start_a_storm_in_two_tabs(number: int) -> None:
    """Two tabs start a storm and ask for its first puzzle: it is one run, listed, and its puzzle seen once."""
    del number
    stored_puzzle()
    player = create_guest().pk
    first, second = run_together(*[lambda: puzzle_runs.begin(player, "storm")] * 2)
    assert first == second, (first, second)
    run = PuzzleRun.objects.get(player=player)
    shown = run_together(*[lambda: puzzle_runs.show(run.pk)] * 2)
    assert [type(one) for one in shown] == [tuple, tuple], shown
    assert SeenPuzzle.objects.filter(player=player).count() == 1


def see_a_puzzle_in_two_tabs(number: int) -> None:
    """A puzzle is opened on its page and shown in a storm at once: it counts as seen in the storm."""
    del number
    player, stored = create_guest().pk, stored_puzzle()
    outcomes = run_together(
        *[partial(history.mark_seen, player, stored.pk, place) for place in (history.Place.PAGE, history.Place.STORM)]
    )
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    assert SeenPuzzle.objects.get(player=player, puzzle=stored).place == "storm"


def make_mistakes_in_two_tabs(number: int) -> None:
    """Two tabs make different moves: one is too late, and the other counts."""
    del number
    player, stored = create_guest().pk, stored_puzzle()
    moves = [partial(tries.play, player, stored, 0, move(LABYRINTH, 0), NOW, mistakes=0) for move in (right, wrong)]
    outcomes = run_together(*moves)
    assert [outcome.code for outcome in outcomes if isinstance(outcome, Refusal)] == [ErrorCode.STALE], outcomes
    row = PuzzleTry.objects.get(player=player)
    assert row.turn + row.mistakes == 1


def merge_while_the_account_tries(number: int) -> None:
    """A guest signs in to an account that begins the same puzzle: the account has one try, and the guest is gone."""
    user, guest, stored = User.objects.create_user(f"solver {number}"), create_guest(), stored_puzzle()
    PuzzleTry.objects.create(player=guest, puzzle=stored)
    outcomes = run_together(
        lambda: merge_guest(guest, user), lambda: tries.play(user.pk, stored, 0, right(LABYRINTH, 0), NOW)
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
        partial(tries.play, player, StoredPuzzle.objects.get(pk=stored.pk), 0, wrong(LABYRINTH, 0), NOW)
        for player in players
    ]
    outcomes = run_together(*moves)
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    stored.refresh_from_db()
    assert (stored.mu, stored.sigma) == expected


def fail_at_two_puzzles(number: int) -> None:
    """A player without a rating fails at two puzzles at once: each change builds on the other."""
    player = User.objects.create_user(f"two boards {number}").pk
    moves = [partial(tries.play, player, stored_puzzle(), 0, wrong(LABYRINTH, 0), NOW) for _ in range(2)]
    outcomes = run_together(*moves)
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    first, second = PuzzleTry.objects.filter(player=player).order_by("-mu_before")
    assert (first.mu_after, second.mu_after) == (second.mu_before, estimate_of(player).mu)


SCENARIOS = (
    draw_a_day_once,
    move_in_two_tabs,
    make_mistakes_in_two_tabs,
    repeat_a_mistake,
    repeat_a_storm_move,
    start_a_storm_in_two_tabs,
    see_a_puzzle_in_two_tabs,
    merge_while_the_account_tries,
    fail_together,
    fail_at_two_puzzles,
)


def main() -> None:
    for scenario in SCENARIOS:
        for number in range(ROUNDS):
            scenario(number)
        print("ok", scenario.__name__)
