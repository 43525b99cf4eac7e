"""The puzzles shipped with the code."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from random import Random, SystemRandom

import pytest
from django.apps import apps

from games.puzzles import shipped_file, store
from games.puzzles.models import StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings.initial_ratings import PUZZLE_SIGMA, initial_rating
from games.puzzles.shipped_file import PuzzleRow
from games.puzzles.themes import themes_of
from games.rules import CATALOGUE, from_position
from games.solver import check_solution
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, starters, stored_puzzle
from tests.games.puzzles.test_generator import check, check_history

#: Puzzles whose losses are proven again; the shape and the win are checked for all.
SAMPLED = 2


def test_every_shipped_puzzle_wins_by_the_rules() -> None:
    for puzzle in starters():
        assert Puzzle.from_json(puzzle.to_json()) == puzzle
        table = from_position(puzzle.start)
        assert CATALOGUE[puzzle.variant].game == table.GAME
        assert table.options == CATALOGUE[puzzle.variant].options
        check_solution(table, (*puzzle.line, *puzzle.finish))
        assert puzzle.turns[0] == 0
        assert puzzle.turns[-1] == len(puzzle.line) - 1
        assert len(puzzle.losses) == len(puzzle.turns)
        assert all(puzzle.line[n] not in losses for n, losses in zip(puzzle.turns, puzzle.losses, strict=True))
        check_history(puzzle)
    assert len({puzzle.start for puzzle in starters()}) == len(starters())


def test_every_game_but_tarot_has_at_least_forty_shipped_puzzles() -> None:
    counts = Counter(puzzle.variant for puzzle in starters())
    others = [name for name, variant in CATALOGUE.items() if variant.game != "tarot"]
    assert sorted(counts) == sorted(others)
    assert min(counts.values()) >= 40


def test_a_sample_of_the_shipped_puzzles_is_proven() -> None:
    seed = SystemRandom().randrange(2**32)
    quick = [puzzle for puzzle in starters() if puzzle.variant in {"labyrinth", "stonewall"}]
    for puzzle in Random(seed).sample(quick, min(SAMPLED, len(quick))):
        check(puzzle, f"seed {seed}, {puzzle.start}")


@pytest.mark.django_db
def test_shipped_puzzles_are_stored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_file, "first_rows", lambda _: [*map(PuzzleRow.of, (LABYRINTH, STONEWALL))])
    store.ensure_any()
    store.ensure_any()
    assert sorted(StoredPuzzle.objects.values_list("variant", flat=True)) == ["labyrinth", "stonewall"]
    stored = StoredPuzzle.objects.get(variant="labyrinth")
    assert Puzzle.from_json(stored.contents) == LABYRINTH
    assert (stored.turns, stored.moves) == (3, 45)
    assert (stored.mu, stored.sigma) == (initial_rating(LABYRINTH), PUZZLE_SIGMA)


@pytest.mark.django_db
def test_puzzles_stored_before_get_initial_ratings() -> None:
    stored = stored_puzzle(STONEWALL)
    import_module("games.puzzles.migrations.0006_ratings").rate_puzzles(apps, None)
    stored.refresh_from_db()
    assert (stored.mu, stored.sigma) == (initial_rating(STONEWALL), PUZZLE_SIGMA)


@pytest.mark.django_db
def test_an_upgrade_adds_the_new_puzzles_and_keeps_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ratings, explanations and tries of a puzzle that is stored already stay."""
    monkeypatch.setattr(shipped_file, "SHIPPED", tmp_path / "shipped.xz")
    shipped_file.write([PuzzleRow.of(LABYRINTH)])
    store.load_shipped()
    StoredPuzzle.objects.update(mu=1234.0, contents=LABYRINTH.to_json())
    first = StoredPuzzle.objects.get()
    shipped_file.write(map(PuzzleRow.of, (LABYRINTH, STONEWALL)))
    store.load_shipped()
    assert sorted(StoredPuzzle.objects.values_list("variant", flat=True)) == ["labyrinth", "stonewall"]
    kept = StoredPuzzle.objects.get(variant="labyrinth")
    assert (kept.pk, kept.mu, Puzzle.from_json(kept.contents)) == (first.pk, 1234.0, LABYRINTH)
    added = StoredPuzzle.objects.get(variant="stonewall")
    assert sorted(added.themes.values_list("theme", flat=True)) == sorted(themes_of(STONEWALL))
    assert added.mu == pytest.approx(initial_rating(STONEWALL), abs=0.05)
    added.delete()
    store.load_shipped()
    assert StoredPuzzle.objects.count() == 1, "a file is loaded once"


def test_the_shipped_file_is_small_and_whole() -> None:
    assert shipped_file.SHIPPED.stat().st_size < 6 * 2**20
    everything = list(shipped_file.rows())
    assert len({row.contents["start"] for row in everything}) == len(everything)
    for row in SystemRandom().sample(everything, 5):
        puzzle = Puzzle.from_json(row.contents)
        again = PuzzleRow.of(puzzle)
        assert again.written() == row.written()
        assert PuzzleRow.read(row.written()) == row
