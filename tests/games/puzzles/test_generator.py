"""The generator: each puzzle it finds has one winning move per turn; trivial ones are dropped."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from random import Random, SystemRandom

import pytest

from games.puzzles.exhaustive_search import Lost
from games.puzzles.generation.generator import (
    MIN_ANSWERS,
    MIN_CHOICES,
    _is_trivial,
    find_puzzle,
    last_winnable,
    puzzle_at,
    puzzle_before,
    puzzle_near,
)
from games.puzzles.losses.tried_games import Tried
from games.puzzles.puzzle import MAX_TURNS, Puzzle, successors
from games.rules import CATALOGUE, Table, from_position, open_table
from games.solver import Budget, Unwinnable, check_solution, solve
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, wrong
from tests.solver.exhaustive import can_be_won

#: Positions that brute force visits before the solver is asked instead.
VISITED = 3_000


def test_every_new_puzzle_has_one_winning_move_per_turn() -> None:
    """For one of the two games whose puzzles are found soon, another in every run."""
    seed = SystemRandom().randrange(2**32)
    chance = Random(seed)
    variant = chance.choice(["labyrinth", "stonewall"])
    puzzle = next(found for _ in count() if (found := find_puzzle(variant, chance)) is not None)
    assert puzzle.variant == variant
    check(puzzle, f"seed {seed}, {puzzle.to_json()}")
    check_history(puzzle)
    assert not any(None in turn.values() for turn in puzzle.losses), "each loss is explained"


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
        for token, lost in losses.items():
            table = puzzle.table_at(n)
            table.push(token)
            check_lost(from_position(table.position()), lost, source)
    choices = [len(successors(puzzle.table_at(n))) for n in puzzle.turns]
    assert math.prod(choices) >= MIN_ANSWERS, source
    assert max(choices) >= MIN_CHOICES or {puzzle.line[n] for n in puzzle.turns} - {"d", "n"}, source
    assert puzzle.line[0] not in from_position(puzzle.start).safe_moves(), source


def check_lost(table: Table, loss: Lost | Tried | None, source: str) -> None:
    truth = can_be_won(from_position(table.position()), VISITED)
    assert truth is not True, source
    assert truth is False or isinstance(solve(table, Budget(nodes=100_000), seed=7), Unwinnable), source
    if loss is not None:
        up = loss.most_up if isinstance(loss, Lost) else loss.best_up
        assert table.cards_up <= up < table.goal, source


def positions_of(puzzle: Puzzle, *, mistake: int) -> list[str]:
    """Return the positions of a game that follows the line up to a turn, and loses there."""
    n = puzzle.turns[mistake]
    table = puzzle.table_at(n)
    table.push(wrong(puzzle, mistake))
    lost = [table.position()]
    while moves := table.legal_moves():
        table.push(moves[-1])
        lost.append(table.position())
    return [*(puzzle.table_at(before).position() for before in range(n + 1)), *lost]


@pytest.mark.parametrize("mistake", range(3))
def test_last_winnable_position_is_before_the_mistake(mistake: int) -> None:
    positions = positions_of(LABYRINTH, mistake=mistake)
    assert last_winnable(positions) == LABYRINTH.turns[mistake]


def test_a_game_lost_from_the_start_has_no_winnable_position() -> None:
    positions = positions_of(LABYRINTH, mistake=0)[1:]
    assert last_winnable(positions) is None


@pytest.mark.parametrize("puzzle", [LABYRINTH, STONEWALL], ids=lambda puzzle: puzzle.variant)
def test_a_known_puzzle_is_found_at_its_start(puzzle: Puzzle) -> None:
    found = puzzle_at(puzzle.variant, puzzle.start)
    assert found is not None
    assert (found.line, found.losses) == (puzzle.line, puzzle.losses)
    assert puzzle_near(puzzle.variant, puzzle.start) == found


def test_puzzle_before_a_mistake_leads_to_it() -> None:
    positions = [LABYRINTH.table_at(n).position() for n in range(len(LABYRINTH.line))]
    found = puzzle_before("labyrinth", positions)
    assert found is not None
    assert found.start in positions
    assert found.line == LABYRINTH.line[positions.index(found.start) :]


def test_no_puzzle_begins_with_a_forced_move() -> None:
    assert puzzle_at("labyrinth", LABYRINTH.table_at(1).position()) is None


def test_no_puzzle_has_fewer_answers_than_the_minimum() -> None:
    last = LABYRINTH.turns[-1]
    assert len(successors(LABYRINTH.table_at(last))) < MIN_ANSWERS
    assert puzzle_at("labyrinth", LABYRINTH.table_at(last).position()) is None
    assert _is_trivial(replace(LABYRINTH, line=LABYRINTH.line[:1]))
    assert not _is_trivial(LABYRINTH)


#: A Labyrinth with two moves: 2C, which can always go up, or a new row. After either, there are two moves again.
TWO_AND_TWO = (
    "labyrinth | rows=4 | t0 4C | t1 8S | t2 KH | t3 6S | t4 5C | t5 TH | t6 TD | t7 3D | t8 9C | t9 TS | t10 2S | "
    "t11 9S | t12 7C | t13 QS | t14 6C | t15 5H | t16 QC | t17 KD | t18 KC | t19 9D | t20 JH | t21 3S | t22 8H | "
    "t23 6H | t25 JD | t26 JC | t27 2C | t28 9H | t29 7D | t30 TC | t31 3C | "
    "s KS.QD.QH.8D.4D.JS.2D.4S.6D.7S.7H.5S.5D.4H.8C | f0 AS | f1 AH.2H.3H | f2 AD | f3 AC"
)


@pytest.mark.parametrize(("line", "trivial"), [(("d", "d"), True), (("t27-f", "t31-f"), True), (("d", "t38-f"), False)])
def test_draws_alone_and_safe_first_moves_are_trivial(line: tuple[str, ...], trivial: bool) -> None:
    puzzle = Puzzle("labyrinth", TWO_AND_TWO, line)
    assert [len(successors(puzzle.table_at(n))) for n in puzzle.turns] == [2, 2]
    assert _is_trivial(puzzle) is trivial
