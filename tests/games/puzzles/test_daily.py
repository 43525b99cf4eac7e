"""The puzzle of the day: the same for everyone, variants in turn, and streaks."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.puzzles import daily, shipped_file
from games.puzzles.models import DailyPuzzle, PuzzleTry, StoredPuzzle
from games.puzzles.shipped_file import PuzzleRow
from tests.games.puzzles.puzzles import LABYRINTH, stored_puzzle

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 26)
DAY = timedelta(days=1)


@pytest.fixture
def guest(db: None) -> User:
    return create_guest()


def test_the_puzzle_of_a_day_is_drawn_once() -> None:
    for _ in range(5):
        stored_puzzle()
    assert len({daily.puzzle_of(TODAY) for _ in range(5)}) == 1
    (drawn,) = DailyPuzzle.objects.all()
    assert daily.is_puzzle_of(TODAY, drawn.puzzle)
    assert not daily.is_puzzle_of(TODAY + DAY, drawn.puzzle)


def test_without_puzzles_there_is_none_of_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_file, "first_rows", lambda _: [])
    with pytest.raises(StoredPuzzle.DoesNotExist):
        daily.puzzle_of(TODAY)


def test_shipped_puzzles_are_drawn_on_a_new_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_file, "first_rows", lambda _: [PuzzleRow.of(LABYRINTH)])
    assert daily.puzzle_of(TODAY).contents["start"] == LABYRINTH.start


def test_variants_take_turns() -> None:
    names = ["labyrinth", "plot", "stonewall"]
    for name in names * 3:
        stored_puzzle(variant=name)
    drawn = [daily.puzzle_of(TODAY + n * DAY).variant for n in range(9)]
    assert sorted(drawn[:3]) == names
    assert drawn == drawn[:3] * 3


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


def test_puzzles_close_to_the_end_of_the_game_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily, "DRAWN_FROM", 2)
    near = {stored_puzzle(moves=moves) for moves in (10, 20)}
    for moves in (40, 30, 50):
        stored_puzzle(moves=moves)
    assert daily.puzzle_of(TODAY) in near


def test_puzzles_that_players_know_come_last(guest: User) -> None:
    known, new = stored_puzzle(moves=10), stored_puzzle(moves=90)
    PuzzleTry.objects.create(player=guest, puzzle=known)
    assert [daily.puzzle_of(TODAY + n * DAY) for n in (0, 1)] == [new, known]


def tried(player: User, ago: int, *, solved: bool = True) -> None:
    now = timezone.now()
    end = {"solved_at": now} if solved else {"failed_at": now}
    PuzzleTry.objects.create(player=player, puzzle=stored_puzzle(), day=TODAY - ago * DAY, **end)


@pytest.mark.parametrize(
    ("solved", "streak"),
    [([], 0), ([0], 1), ([1], 1), ([2], 0), ([0, 1, 2], 3), ([1, 2, 3], 3), ([0, 2, 3], 1), ([-1, 0, 1], 2)],
)
def test_streak_counts_solved_days_up_to_today_or_yesterday(guest: User, solved: list[int], streak: int) -> None:
    for ago in solved:
        tried(guest, ago)
    assert daily.streak_of(guest.pk, TODAY) == streak


def test_failed_and_unlimited_tries_count_for_no_streak(guest: User) -> None:
    tried(guest, 0)
    tried(guest, 1, solved=False)
    PuzzleTry.objects.create(player=guest, puzzle=stored_puzzle(), solved_at=timezone.now())
    tried(create_guest(), 1)
    assert daily.streak_of(guest.pk, TODAY) == 1
