"""A simulated year of a keen player on a site that makes puzzles at night: nothing is shown twice.

Everything is a tenth of its size: the puzzles a day, the stock and those held back for coming days.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from games.puzzles import daily, selection, store, tries
from games.puzzles.generation import puzzle_filling
from games.puzzles.models import SeenPuzzle, StoredPuzzle
from games.puzzles.runs import puzzle_runs
from tests.games.puzzles.puzzles import GENEROUS, stored_puzzle, wrong

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

NAMES = ("braid", "braid-either", "labyrinth", "pigtail", "plot", "stonewall")
A_DAY = 4


@pytest.fixture
def small_site(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PUZZLE_STOCK //= 10
    sizes = (
        (daily, "AHEAD"),
        (daily, "LEFT_OVER"),
        (puzzle_runs, "LENGTH"),
        (puzzle_runs, "ENOUGH"),
        (puzzle_filling, "A_DAY"),
    )
    for module, name in sizes:
        monkeypatch.setattr(module, name, getattr(module, name) // 10)
    monkeypatch.setattr(puzzle_filling, "A_DAY", 0)  # so that only the stock of unseen ones counts
    monkeypatch.setattr(puzzle_filling, "is_busy", lambda: False)
    monkeypatch.setattr(store, "has_near", lambda _: False)
    monkeypatch.setattr(puzzle_filling, "PuzzleRow", SimpleNamespace(of=lambda puzzle: puzzle))
    monkeypatch.setattr(puzzle_filling, "search", lambda variant, *_, **__: [replace(GENEROUS, variant=variant)] * 2)
    monkeypatch.setattr(store, "add", lambda rows, **_: [stored_puzzle(GENEROUS, variant=row.variant) for row in rows])
    for name in NAMES * 10:
        stored_puzzle(GENEROUS, variant=name)


@pytest.mark.usefixtures("small_site")
def test_nothing_repeats_in_a_year(player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []
    for day in range(365):
        now = datetime(2027, 1, 1, 20, tzinfo=UTC) + timedelta(days=day)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        daily.reserve(now.date())
        shown += seen_on(player.pk, now)
        assert len(set(shown)) == len(shown), f"day {day}"
        SeenPuzzle.objects.filter(seen_at__lt=now - timedelta(days=1), puzzle__in=shown[-A_DAY:]).update(seen_at=now)
        puzzle_filling._fill()
    assert len(shown) == 365 * A_DAY == SeenPuzzle.objects.count()
    assert len(shown) < StoredPuzzle.objects.count() < 1.2 * len(shown), "no more than are needed"


def seen_on(player: int, now: datetime) -> Iterator[int]:
    """See the day's puzzle, two puzzles of a storm or race, and another one; yield their keys."""
    todays = daily.puzzle_of(now.date())
    tries.open_puzzle(player, todays, now)
    yield todays.pk
    if now.weekday():
        run = puzzle_runs.begin(player, "storm")
        puzzle_runs.show(run.pk)
    else:
        run = puzzle_runs.begin_for_race(player, puzzle_runs.draw_puzzles([player]), now)
        puzzle_runs.show_current(run)
    puzzle_runs.play(run.pk, 0, 0, wrong(GENEROUS, 0))
    run.refresh_from_db()
    assert now.weekday() == 0 or run.standing == "listed"
    yield from run.puzzles[:2]
    following = selection.next_puzzle(player, None)
    assert following is not None
    tries.open_puzzle(player, following, now)
    yield following.pk
