"""The puzzle of the day: the same for everyone, variants in turn, and streaks."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import product

import pytest

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.manifests import SHORT_VARIANTS
from games.puzzles import daily, history, tries
from games.puzzles.models import DailyPuzzle, PuzzleTry, StoredPuzzle
from games.puzzles.puzzle import Puzzle
from tests.games.puzzles.puzzles import GENEROUS, LABYRINTH, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
TODAY = NOW.date()
DAY = timedelta(days=1)


@pytest.fixture
def guest(db: None) -> User:
    return create_guest()


def test_the_puzzle_of_a_day_is_drawn_once() -> None:
    for _ in range(5):
        stored_puzzle()
    assert len({daily.puzzle_of(TODAY) for _ in range(5)}) == 1
    (drawn,) = DailyPuzzle.objects.all()
    assert daily.open_day(drawn.puzzle, NOW) == TODAY
    assert daily.open_day(drawn.puzzle, NOW + DAY) is None


def test_weekdays_have_the_short_games_and_weekends_the_others_in_turn() -> None:
    names = ["braid", "labyrinth", "plot", "stonewall"]
    for name in names * 8:
        stored_puzzle(GENEROUS, variant=name)
    monday = TODAY - TODAY.weekday() * DAY
    drawn = [daily.puzzle_of(monday + n * DAY).variant for n in range(14)]
    weekdays, weekends = drawn[:5] + drawn[7:12], drawn[5:7] + drawn[12:]
    assert set(weekdays) == set(SHORT_VARIANTS) == {"labyrinth", "stonewall"}
    assert weekdays[::2] == [weekdays[0]] * 5
    assert sorted(weekends) == ["braid", "braid", "plot", "plot"]


def test_no_puzzle_comes_twice_before_all_have_come() -> None:
    stored = {stored_puzzle() for _ in range(4)}
    drawn = [daily.puzzle_of(TODAY + n * DAY) for n in range(5)]
    assert set(drawn[:4]) == stored
    assert drawn[4] in stored


def test_long_puzzles_wait_until_there_are_no_short_ones() -> None:
    long = stored_puzzle(turns=daily.MAX_TURNS + 1)
    assert daily.puzzle_of(TODAY) == long
    short = stored_puzzle(turns=daily.MAX_TURNS)
    assert [daily.puzzle_of(TODAY + n * DAY) for n in (1, 2)] == [short, short]


def test_difficulty_follows_the_grade_of_the_day() -> None:
    """Five puzzles of each grade, the easiest ones first."""
    puzzles = [stored_puzzle(GENEROUS, mu=1000 + n) for n in range(25)]
    sunday = TODAY + (6 - TODAY.weekday()) * DAY
    week = [daily.puzzle_of(sunday - n * DAY) for n in range(7)]
    assert daily.puzzle_of(sunday) in puzzles[20:]
    grades = [puzzles.index(puzzle) // 5 + 1 for puzzle in reversed(week)]
    assert grades[0] == 1
    assert grades[-1] == 5
    assert all(abs(grade - daily.grade_of(sunday - (6 - n) * DAY)) <= 1 for n, grade in enumerate(grades)), grades


def test_puzzles_that_only_ask_whether_to_draw_are_not_drawn() -> None:
    for _ in range(5):
        stored_puzzle(contents=LABYRINTH.to_json() | {"losses": [{"d": None}] * 3})
    varied = stored_puzzle(GENEROUS)
    assert daily.puzzle_of(TODAY) == varied


def test_puzzles_that_players_know_come_last(guest: User) -> None:
    known, new = stored_puzzle(GENEROUS), stored_puzzle(GENEROUS)
    history.mark_seen(guest.pk, known.pk, history.Place.STORM)
    assert [daily.puzzle_of(TODAY + n * DAY) for n in (0, 1)] == [new, known]


@pytest.mark.parametrize(
    "ways", [(24,), (8,), (9,), (2, 2, 2), (3, 3), (4, 4, 4), (2, 12), (9, 9), (5, 6, 7), (2, 2), (7,)]
)
def test_guessing_solves_a_days_puzzle_at_most_once_in_eight(ways: tuple[int, ...]) -> None:
    """Someone who tries the ways in a random order makes 0 to k − 1 wrong moves at each turn."""
    losses = [dict.fromkeys(map(str, range(k - 1))) for k in ways]
    tries = daily.tries_for(StoredPuzzle(contents={"losses": losses}))
    games = [sum(game) for game in product(*map(range, ways))]
    lucky = [sum(wrong < limit for wrong in games) / len(games) for limit in range(1, daily.TRIES + 1)]
    assert tries == max([n for n, chance in enumerate(lucky, 1) if chance <= 1 / 8], default=1)


def test_puzzles_that_are_easy_to_guess_are_not_drawn() -> None:
    easy = {"losses": [{"t0-f": None, "d": None}, {"d": None}]}
    for _ in range(5):
        stored_puzzle(contents=easy)
    fair = stored_puzzle(GENEROUS)
    assert daily.puzzle_of(TODAY) == fair


def tried(player: User, ago: int, *, solved: bool = True) -> None:
    then = NOW - ago * DAY
    end = {"solved_at": then} if solved else {"failed_at": then}
    PuzzleTry.objects.create(player=player, puzzle=stored_puzzle(), day=TODAY - ago * DAY, **end)


@pytest.mark.parametrize(
    ("solved", "streak"),
    [([], 0), ([0], 1), ([1], 1), ([2], 1), ([3], 0), ([0, 1, 2], 3), ([0, 2, 3], 3), ([0, 3], 1), ([-1, 0, 1], 2)],
)
def test_streak_counts_solved_days_up_to_today_or_yesterday(guest: User, solved: list[int], streak: int) -> None:
    for ago in solved:
        tried(guest, ago)
    assert daily.streak_of(guest.pk, NOW) == streak


@pytest.mark.parametrize(("minutes", "streak"), [(-1, 1), (4, 1), (6, 0)])
def test_a_puzzle_opened_before_midnight_counts_until_five_past(guest: User, minutes: int, streak: int) -> None:
    puzzle = daily.puzzle_of(TODAY)
    midnight = datetime.combine(TODAY + DAY, time(), UTC)
    assert daily.open_day(puzzle, midnight - timedelta(minutes=2)) == TODAY
    now = midnight + timedelta(minutes=minutes)
    for turn, n in enumerate(Puzzle.from_json(puzzle.contents).turns):
        reply = tries.play(guest.pk, puzzle, turn, Puzzle.from_json(puzzle.contents).line[n], now)
    assert (reply.progress.solved, daily.streak_of(guest.pk, now)) == (True, streak)


def test_days_cannot_be_filled_in_later(guest: User) -> None:
    """A wrong move on each of five days, and all five solved on the last one: only that day counts."""
    days = [NOW + n * DAY for n in range(5)]
    puzzles = [daily_puzzle(now.date()) for now in days]
    for puzzle, now in zip(puzzles, days, strict=True):
        tries.play(guest.pk, puzzle, 0, wrong(GENEROUS, 0), now)
    replies = []
    for puzzle in puzzles:
        for turn in range(len(GENEROUS.turns)):
            reply = tries.play(guest.pk, puzzle, turn, right(GENEROUS, turn), days[-1])
        replies.append(reply.progress)
    assert [progress.solved for progress in replies] == [True] * 5
    assert [progress.review for progress in replies] == [True] * 4 + [False]
    assert daily.streak_of(guest.pk, days[-1]) == 1


def daily_puzzle(day: date) -> StoredPuzzle:
    puzzle = stored_puzzle(GENEROUS)
    DailyPuzzle.objects.create(day=day, puzzle=puzzle)
    return puzzle


def test_results_are_those_of_the_day() -> None:
    puzzle, other = daily_puzzle(TODAY), wrong(GENEROUS, 0)
    assert daily.results_of(stored_puzzle(), TODAY) is None
    assert daily.results_of(puzzle, TODAY - DAY) is None, "not before its day"
    for mistakes, end, now in ((0, "solved", NOW), (1, "solved", NOW), (3, "failed", NOW), (0, "open", NOW + DAY)):
        player = create_guest().pk
        for _ in range(mistakes):
            tries.play(player, puzzle, 0, other, NOW)
        for turn in range({"solved": len(GENEROUS.turns), "failed": 0, "open": 1}[end]):
            tries.play(player, puzzle, turn, right(GENEROUS, turn), now)
    assert daily.results_of(puzzle, TODAY) == {"finished": 3, "solved": 2, "first_move": other}
    PuzzleTry.objects.filter(solved_at__isnull=False).update(solved_at=NOW + DAY)
    assert daily.results_of(puzzle, TODAY) == {"finished": 3, "solved": 0, "first_move": other}, "too late"


def test_the_first_move_is_spelled_as_in_the_puzzle(guest: User) -> None:
    """Moves to the same position are the same answer."""
    puzzle = daily_puzzle(TODAY)
    tries.play(guest.pk, puzzle, 0, right(GENEROUS, 0), NOW)
    tries.play(guest.pk, puzzle, 1, wrong(GENEROUS, 1), NOW)
    assert PuzzleTry.objects.get().first_move == right(GENEROUS, 0)


def test_failed_and_unlimited_tries_count_for_no_streak(guest: User) -> None:
    tried(guest, 0)
    tried(guest, 1, solved=False)
    PuzzleTry.objects.create(player=guest, puzzle=stored_puzzle(), solved_at=NOW)
    tried(create_guest(), 1)
    assert daily.streak_of(guest.pk, NOW) == 1
