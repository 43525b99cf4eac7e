"""The form of a puzzle, its turns, and the open view of its positions."""

from __future__ import annotations

import json

import pytest

from games.puzzles.move_check import Step, step_of, steps_of
from games.puzzles.puzzle import Puzzle, successors
from games.rules import from_position
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, TRIED, UNEXPLAINED, starters

EXAMPLES = pytest.mark.parametrize(
    "puzzle", [LABYRINTH, TRIED, UNEXPLAINED, STONEWALL], ids=lambda puzzle: puzzle.variant
)


@EXAMPLES
def test_json_form_round_trips(puzzle: Puzzle) -> None:
    row = json.loads(json.dumps(puzzle.to_json()))
    assert Puzzle.from_json(row) == puzzle
    assert json.loads(json.dumps(Puzzle.from_json(row).to_json())) == row


def test_turns_skip_forced_moves() -> None:
    assert LABYRINTH.turns == (0, 2, 3)
    assert STONEWALL.turns == (0, 4)


@EXAMPLES
def test_moves_between_turns_are_forced(puzzle: Puzzle) -> None:
    for n in range(len(puzzle.line)):
        assert (len(successors(puzzle.table_at(n))) == 1) == (n not in puzzle.turns)


@EXAMPLES
def test_successors_are_all_positions_after_one_move(puzzle: Puzzle) -> None:
    table = puzzle.table_at(0)
    reached = set()
    for token in table.legal_moves():
        after = from_position(puzzle.start)
        after.push(token)
        reached.add(after.position())
    assert set(successors(table)) == reached
    assert table.position() == puzzle.start, "the table is left as it was"


@pytest.mark.parametrize("variant", sorted({puzzle.variant for puzzle in starters()}))
def test_every_card_is_in_the_open_view(variant: str) -> None:
    """Also after any of the moves of the win."""
    puzzle = next(puzzle for puzzle in starters() if puzzle.variant == variant)
    table = puzzle.table_at(0)
    cards = sorted(table.DECK.written(card for pile in (*table.piles, *table.foundations) for card in pile))
    steps = [step_of(table), *steps_of(puzzle.table_at(0), (*puzzle.line, *puzzle.finish))]
    for step in steps:
        piles = [card for cards in step["view"]["piles"].values() for card in cards]
        hidden = [card for cards in step["hidden"].values() for card in cards]
        assert sorted(piles + hidden) == cards
        assert set(step["face_down"]) <= set(piles)


def test_hidden_cards_are_listed_in_the_order_they_come() -> None:
    before, after = step_of(LABYRINTH.table_at(1)), step_of(LABYRINTH.table_at(2))
    drawn = [card for pile, (card, *_) in _filled(after) if pile not in dict(_filled(before))]
    assert drawn == before["hidden"]["s"][:8]
    assert after["hidden"]["s"] == before["hidden"]["s"][8:]


def _filled(step: Step) -> list[tuple[str, list[str]]]:
    return [(pile, cards) for pile, cards in step["view"]["piles"].items() if cards]


def test_face_down_cards_are_turned_up_and_named() -> None:
    step = step_of(STONEWALL.table_at(0))
    assert sorted(step["face_down"]) == sorted(
        ["8S", "7H", "4H", "8D", "5S", "AS", "3D", "7C", "QD", "3H", "KD", "9D", "9C", "2H", "8C"]
    )
