"""Themes of puzzles, each with a position in which it occurs."""

from __future__ import annotations

import json
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps

from games.puzzles import store
from games.puzzles.models import PuzzleTheme
from games.puzzles.puzzle import Puzzle
from games.puzzles.shipped_file import PuzzleRow
from games.puzzles.themes import Theme, themes_of
from games.rules import CATALOGUE
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, starters, stored_puzzle

#: Turns of the shipped puzzles, and of random games where none has the theme: position, right move, losing moves.
EXAMPLES = json.loads(Path(__file__).with_name("theme_examples.json").read_text())
LEAST = 6


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example['start'].split()[0]} {example['right']}")
def test_a_turn_has_exactly_its_themes(example: dict[str, str]) -> None:
    losses = dict.fromkeys(example["losing"].split())
    puzzle = Puzzle("", example["start"], (example["right"],), losses=(losses,))
    assert themes_of(puzzle) == tuple(map(Theme, example["themes"].split()))


def test_every_theme_has_an_example() -> None:
    assert {name for example in EXAMPLES for name in example["themes"].split()} == {*Theme}


def test_a_puzzle_has_the_themes_of_all_its_turns() -> None:
    alone = [
        Puzzle("labyrinth", LABYRINTH.table_at(n).position(), (LABYRINTH.line[n],), losses=(losses,))
        for n, losses in zip(LABYRINTH.turns, LABYRINTH.losses, strict=True)
    ]
    found = [set(themes_of(puzzle)) for puzzle in alone]
    assert set(themes_of(LABYRINTH)) == set.union(*found) != found[0]


def test_shipped_puzzles_have_many_themes_in_every_game() -> None:
    found: defaultdict[str, set[Theme]] = defaultdict(set)
    for puzzle in starters():
        themes = themes_of(puzzle)
        assert themes, puzzle.start
        found[CATALOGUE[puzzle.variant].game].update(themes)
    assert {game: len(themes) >= LEAST for game, themes in found.items()} == dict.fromkeys(found, True)


@pytest.mark.django_db
def test_puzzles_of_an_earlier_release_get_their_themes() -> None:
    store.add([PuzzleRow.of(STONEWALL)])
    old = stored_puzzle(LABYRINTH)
    import_module("games.puzzles.migrations.0003_themes_of_stored_puzzles").add_themes(apps, None)
    assert set(old.themes.values_list("theme", flat=True)) == set(themes_of(LABYRINTH))
    assert PuzzleTheme.objects.count() == len(themes_of(LABYRINTH)) + len(themes_of(STONEWALL))
