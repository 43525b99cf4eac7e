"""The generator: each puzzle it finds has one winning move per turn; trivial ones are dropped."""

from __future__ import annotations

import math
from itertools import combinations, count
from random import Random, SystemRandom

import pytest

from games.puzzles.generation.generator import (
    MIN_ANSWERS,
    MIN_CHOICES,
    is_rich,
    is_trivial,
    puzzles_along,
    puzzles_of_deal,
)
from games.puzzles.generation.likeness import MIN_MOVED, PuzzleIndex, last_places
from games.puzzles.puzzle import MAX_TURNS, Puzzle, successors
from games.rules import CATALOGUE, Table, from_position, open_table
from games.solver import Budget, Unwinnable, check_solution, solve
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL
from tests.solver.exhaustive import can_be_won

#: Positions that brute force visits before the solver is asked instead.
VISITED = 3_000


def test_every_new_puzzle_has_one_winning_move_per_turn() -> None:
    """For one of the games whose puzzles are found soon, another in every run."""
    seed = SystemRandom().randrange(2**32)
    chance = Random(seed)
    variant = chance.choice(["labyrinth", "pigtail"])
    deals = (list(puzzles_of_deal(variant, chance)) for _ in count())
    puzzles = next(found for found in deals if found)
    for puzzle in puzzles[:2]:
        assert puzzle.variant == variant
        check(puzzle, f"seed {seed}, {puzzle.to_json()}")
        check_history(puzzle)
    for one, other in combinations(map(last_places, puzzles), 2):
        assert len(one - other) >= MIN_MOVED, seed


def test_rich_puzzles_have_three_turns_with_three_choices() -> None:
    seed = SystemRandom().randrange(2**32)
    chance = Random(seed)
    puzzle = next(found for _ in count() for found in puzzles_of_deal("labyrinth", chance, rich=True))
    assert is_rich([1 + len(losses) for losses in puzzle.losses])
    assert sum(len(losses) > 1 for losses in puzzle.losses) >= 3, seed


def check_history(puzzle: Puzzle) -> None:
    """Check that the puzzle's history leads from its deal to its start."""
    chosen = CATALOGUE[puzzle.variant]
    table = open_table(chosen.game, bytes.fromhex(puzzle.seed), chosen.options)
    for token in puzzle.history:
        table.push(token)
    assert table.position() == puzzle.start


def check(puzzle: Puzzle, source: str) -> None:
    """Check a puzzle with the rules, brute force, and the solver with another random stream."""
    check_solution(from_position(puzzle.start), (*puzzle.line, *puzzle.finish))
    assert 1 <= len(puzzle.turns) == len(puzzle.losses) <= MAX_TURNS, source
    assert puzzle.turns[0] == 0, source
    assert puzzle.turns[-1] == len(puzzle.line) - 1, source
    for n, losses in zip(puzzle.turns, puzzle.losses, strict=True):
        moves = successors(puzzle.table_at(n))
        right = puzzle.table_at(n + 1).position()
        assert losses == {token: losses[token] for position, token in moves.items() if position != right}, source
        for token in losses:
            table = puzzle.table_at(n)
            table.push(token)
            check_lost(from_position(table.position()), source)
    choices = [len(successors(puzzle.table_at(n))) for n in puzzle.turns]
    assert math.prod(choices) >= MIN_ANSWERS, source
    assert max(choices) >= MIN_CHOICES or {puzzle.line[n] for n in puzzle.turns} - {"d", "n"}, source
    assert puzzle.line[0] not in from_position(puzzle.start).safe_moves(), source


def check_lost(table: Table, source: str) -> None:
    truth = can_be_won(from_position(table.position()), VISITED)
    assert truth is not True, source
    assert truth is False or isinstance(solve(table, Budget(nodes=100_000), seed=7), Unwinnable), source


def test_puzzle_along_a_game_leads_to_its_mistake() -> None:
    positions = [LABYRINTH.table_at(n).position() for n in range(len(LABYRINTH.line))]
    found = next(puzzles_along("labyrinth", positions, Random(1)))
    assert found.start in positions
    assert found.line[: len(LABYRINTH.line)] == LABYRINTH.line[positions.index(found.start) :]
    assert found.turns[0] == 0, "no puzzle begins with a forced move"


def test_near_puzzles_are_found_among_many() -> None:
    """Two puzzles are near if fewer cards than `MIN_MOVED` lie elsewhere, whichever these are."""
    index = PuzzleIndex()
    assert index.add(LABYRINTH)
    assert index.add(STONEWALL)
    start = LABYRINTH.start
    stock = start.partition(" | s ")[2].partition(" | ")[0].split(".")
    for number in range(2, len(stock) + 1):
        rotated = ".".join([*stock[1:number], stock[0], *stock[number:]])
        moved = Puzzle(
            "labyrinth", start.replace(".".join(stock), rotated), LABYRINTH.line[:1], (), LABYRINTH.losses[:1]
        )
        near = len(last_places(moved) - last_places(Puzzle("labyrinth", start, LABYRINTH.line[:1]))) < MIN_MOVED
        assert near == (number < MIN_MOVED)
        fresh = PuzzleIndex()
        assert fresh.add(Puzzle("labyrinth", start, LABYRINTH.line[:1]))
        assert fresh.add(moved) is not near


#: A Labyrinth with two moves: 2C, which can always go up, or a new row. After either, there are two moves again.
TWO_AND_TWO = (
    "labyrinth | rows=4 | t0 4C | t1 8S | t2 KH | t3 6S | t4 5C | t5 TH | t6 TD | t7 3D | t8 9C | t9 TS | t10 2S | "
    "t11 9S | t12 7C | t13 QS | t14 6C | t15 5H | t16 QC | t17 KD | t18 KC | t19 9D | t20 JH | t21 3S | t22 8H | "
    "t23 6H | t25 JD | t26 JC | t27 2C | t28 9H | t29 7D | t30 TC | t31 3C | "
    "s KS.QD.QH.8D.4D.JS.2D.4S.6D.7S.7H.5S.5D.4H.8C | f0 AS | f1 AH.2H.3H | f2 AD | f3 AC"
)


@pytest.mark.parametrize(
    ("line", "choices", "trivial"),
    [
        (("d",), [3], True),
        (("d", "d"), [2, 2], True),
        (("d", "d"), [2, 3], False),
        (("t27-f", "t31-f"), [2, 2], False),
        (("d", "d", "t31-f"), [2, 1, 2], False),
    ],
)
def test_draws_alone_and_few_answers_are_trivial(line: tuple[str, ...], choices: list[int], trivial: bool) -> None:
    assert is_trivial(line, choices) is trivial


def test_no_puzzle_begins_with_a_card_that_can_always_go_up() -> None:
    assert from_position(TWO_AND_TWO).safe_moves() == ["t27-f"]
    assert not any(puzzle.line[0] == "t27-f" for puzzle in puzzles_along("labyrinth", [TWO_AND_TWO], Random(1)))
