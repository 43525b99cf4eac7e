"""Making puzzles while the site is idle: when, of which variant, from which games, and no near-duplicates."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.analysis.models import Analysis
from games.core.background_threads import BackgroundJob
from games.core.registry import Providers
from games.deals import sealed_stock, stock_filling
from games.puzzles import history, shipped_file, store
from games.puzzles.generation import likeness, puzzle_filling, sources
from games.puzzles.generation.generator import puzzles_along
from games.puzzles.models import SeenPuzzle, StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.puzzles.tasks import fill_puzzles
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, UNEXPLAINED, stored_puzzle
from tests.games.puzzles.test_sources import lost_game

pytestmark = pytest.mark.django_db(transaction=True)

POSITIONS = [LABYRINTH.table_at(n).position() for n in range(len(LABYRINTH.line))]


@pytest.fixture
def idle(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PUZZLE_STOCK = 2
    monkeypatch.setattr(puzzle_filling, "A_DAY", 0)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(stock_filling, "pauses", Providers())
    monkeypatch.setenv("TALON_NO_NUMBA", "1")


@pytest.mark.usefixtures("idle")
def test_the_variant_of_which_a_keen_player_has_the_fewest_left_is_next(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(shipped_file, "first_rows", lambda _: [])
        assert puzzle_filling.next_variant() is None, "no variant has a puzzle"
    labyrinths = [stored_puzzle() for _ in range(3)]
    stored_puzzle(STONEWALL)
    assert puzzle_filling.next_variant() == "stonewall"
    stored_puzzle(STONEWALL)
    assert puzzle_filling.next_variant() is None
    keen, other = create_guest(), create_guest()
    for puzzle in labyrinths[:2]:
        history.mark_seen(keen.pk, puzzle.pk, history.Place.STORM)
    history.mark_seen(other.pk, labyrinths[2].pk, history.Place.PAGE)
    assert puzzle_filling.next_variant() == "labyrinth"
    stored_puzzle()
    assert puzzle_filling.next_variant() is None, "each player has two left"
    history.mark_seen(keen.pk, labyrinths[2].pk, history.Place.RACE)
    assert puzzle_filling.next_variant() == "labyrinth"
    SeenPuzzle.objects.update(seen_at=timezone.now() - timedelta(days=8))
    assert puzzle_filling.next_variant() is None, "the player has gone"
    monkeypatch.setattr(puzzle_filling, "A_DAY", 9)
    assert puzzle_filling.next_variant() == "stonewall", "some every day"
    settings.PUZZLE_STOCK = 0
    assert puzzle_filling.next_variant() is None


@pytest.mark.usefixtures("idle", "requested_tasks")
def test_nothing_is_made_while_the_site_is_busy(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_puzzle()
    monkeypatch.setattr(puzzle_filling, "_filling", BackgroundJob("test", lambda: None))
    assert not puzzle_filling.is_busy()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getloadavg", lambda: (99.0, 0.0, 0.0))
        assert puzzle_filling.is_busy()
    with monkeypatch.context() as patch:
        patch.setattr(sealed_stock, "next_variant", lambda: "braid")
        assert puzzle_filling.is_busy()
    lost_game(ada)
    Analysis.objects.update(state=Analysis.State.WORKING, done_at=None)
    assert puzzle_filling.is_busy()
    assert puzzle_filling.start_filling() is None
    Analysis.objects.update(state=Analysis.State.DONE, done_at=timezone.now())
    stock_filling.pauses.register(lambda: True)
    assert puzzle_filling.start_filling() is None
    stock_filling.pauses.clear()
    thread = puzzle_filling.start_filling()
    assert thread is not None
    thread.join(60)
    fill_puzzles()  # the lock is free again
    assert puzzle_filling._filling._running.acquire(timeout=60)


@pytest.mark.usefixtures("idle", "requested_tasks")
def test_a_players_game_comes_before_simulated_ones(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_puzzle(UNEXPLAINED)
    attempt = lost_game(ada)
    games = iter([(attempt.pk, POSITIONS), None])
    searched: list[int] = []

    def search(_variant: str, positions: Sequence[str], **_: object) -> list[Puzzle]:
        searched.append(len(positions))
        return [LABYRINTH] if positions else []

    monkeypatch.setattr(sources, "next_game", lambda _: next(games))
    monkeypatch.setattr(puzzle_filling, "search", search)
    puzzle_filling._fill()
    assert searched == [len(POSITIONS)], "the stock is full after it"
    stored = StoredPuzzle.objects.latest("pk")
    assert (stored.source, stored.source_n, stored.themes.exists()) == (attempt, 0, True)


@pytest.mark.usefixtures("idle", "requested_tasks")
def test_an_interrupted_search_is_made_again(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_puzzle(LABYRINTH)
    User.objects.update(preferences={"puzzles_from_practice": True})
    lost_game(ada)

    def search(*_: object, **__: object) -> list[Puzzle]:
        monkeypatch.setattr(puzzle_filling, "is_busy", lambda: True)
        return []

    monkeypatch.setattr(puzzle_filling, "search", search)
    puzzle_filling._fill()
    assert sources.next_game("labyrinth") is not None


@pytest.mark.usefixtures("idle")
def test_near_duplicates_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    stored_puzzle(LABYRINTH)
    tail = Puzzle("labyrinth", POSITIONS[2], LABYRINTH.line[2:], LABYRINTH.finish, LABYRINTH.losses[1:])
    found = iter([[tail], [UNEXPLAINED]])
    monkeypatch.setattr(puzzle_filling, "search", lambda *_, **__: next(found))
    puzzle_filling._fill()
    starts = {contents["start"] for contents in StoredPuzzle.objects.values_list("contents", flat=True)}
    assert starts == {LABYRINTH.start, UNEXPLAINED.start}


def test_puzzles_with_the_same_end_are_near_duplicates() -> None:
    stored_puzzle(LABYRINTH)
    tail = Puzzle("labyrinth", POSITIONS[2], LABYRINTH.line[2:], LABYRINTH.finish, LABYRINTH.losses[1:])
    assert store.has_near(tail)
    moved = LABYRINTH.start.replace("4S", "x").replace("9S", "4S").replace("x", "9S")
    assert store.has_near(Puzzle("labyrinth", moved, LABYRINTH.line, (), LABYRINTH.losses)), "two cards swapped"
    assert not store.has_near(UNEXPLAINED), "another deal"
    assert not store.has_near(Puzzle("labyrinth", LABYRINTH.start, LABYRINTH.line[:3])), "another last move"


def test_a_position_that_differs_enough_is_no_near_duplicate(monkeypatch: pytest.MonkeyPatch) -> None:
    stored_puzzle(LABYRINTH)
    moved = LABYRINTH.start.replace("4S", "x").replace("9S", "4S").replace("x", "9S")
    monkeypatch.setattr(likeness, "MIN_MOVED", 2)
    assert not store.has_near(Puzzle("labyrinth", moved, LABYRINTH.line, (), LABYRINTH.losses))


@pytest.mark.usefixtures("idle")
def test_a_search_runs_in_a_process_that_can_be_stopped() -> None:
    begun = time.monotonic()
    assert list(puzzle_filling.search("tarot", [], stop=lambda: time.monotonic() > begun)) == []
    (found,) = puzzle_filling.search("labyrinth", POSITIONS, stop=lambda: False)
    assert found.start in POSITIONS
    assert found.line == next(puzzles_along("labyrinth", POSITIONS, Random(1))).line
