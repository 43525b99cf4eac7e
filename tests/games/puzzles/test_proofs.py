"""Proofs of losses: the exhaustive search against the solver and against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from random import Random, SystemRandom

import pytest

from games.puzzles.exhaustive_search import Lost, prove_lost
from games.puzzles.generation.proofs import decide, only_winning, prove_again, verdicts
from games.puzzles.puzzle import Puzzle
from games.rules import Table, from_position
from games.solver import Budget, Solution, TokensError, Unwinnable, solve
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, TRIED, wrong
from tests.solver.deals import deal, stonewall_endgame, walk

EXAMPLES = pytest.mark.parametrize("puzzle", [LABYRINTH, TRIED, STONEWALL], ids=lambda puzzle: puzzle.variant)
POSITIONS = 6


def late_positions(variant: str, chance: Random) -> Iterator[Table]:
    for _ in count():
        if variant == "stonewall":
            yield stonewall_endgame(chance.randrange(12, 26), chance)
        else:
            yield walk(deal(variant, chance.randrange(1000)), chance.randrange(20, 200), chance)


@pytest.mark.parametrize("variant", ["labyrinth", "stonewall"])
def test_exhaustive_search_agrees_with_the_solver(variant: str) -> None:
    seed = SystemRandom().randrange(2**32)
    positions = late_positions(variant, Random(seed))
    found: Counter[bool] = Counter()
    while found[True] < POSITIONS or found[False] < (POSITIONS if variant == "stonewall" else 0):
        table = next(positions)
        position = table.position()
        lost = prove_lost(position, 2_000)
        result = Solution if table.is_won else type(solve(table, Budget(nodes=100_000)))
        assert lost is None or result is Unwinnable, (seed, position)
        if lost is not None:
            assert lost.most_up == most_up(position), (seed, position)
        found[lost is not None] += 1


def most_up(position: str) -> int:
    """Return the highest number of cards up in any position that can be reached, by a breadth-first search."""
    reached, queue = {position}, [position]
    for one in queue:
        for token in from_position(one).legal_moves():
            table = from_position(one)
            table.push(token)
            if (after := table.position()) not in reached:
                reached.add(after)
                queue.append(after)
    return max(from_position(one).cards_up for one in reached)


@EXAMPLES
def test_winnable_positions_are_never_proven_lost(puzzle: Puzzle) -> None:
    """Not even near the end of the win, where the search visits everything."""
    table = from_position(puzzle.start)
    for n, token in enumerate((*puzzle.line, *puzzle.finish)):
        assert n % 3 or prove_lost(table.position(), 500) is None
        table.push(token)
    assert prove_lost(table.position()) is None, "it is won"


def test_search_gives_up_at_its_limit() -> None:
    lost = from_position(LABYRINTH.start)
    lost.push(wrong(LABYRINTH, 0))
    assert prove_lost(lost.position()) == Lost(22, ("3S", "2H", "8C"))
    assert prove_lost(lost.position(), 5) is None


def test_decide_knows_won_positions() -> None:
    table = from_position(LABYRINTH.start)
    for token in (*LABYRINTH.line, *LABYRINTH.finish):
        table.push(token)
    assert isinstance(decide(table.position()), Solution)


@EXAMPLES
def test_one_move_of_each_turn_wins(puzzle: Puzzle) -> None:
    for n in puzzle.turns:
        assert only_winning(verdicts(puzzle.table_at(n))) == puzzle.table_at(n + 1).position()


@EXAMPLES
def test_proofs_are_repeatable(puzzle: Puzzle) -> None:
    assert prove_again(replace(puzzle, losses=())) == puzzle.losses


def test_a_line_that_does_not_win_is_refused() -> None:
    with pytest.raises(TokensError):
        prove_again(replace(LABYRINTH, finish=LABYRINTH.finish[:-1]))


def test_a_turn_with_two_wins_is_refused() -> None:
    """The last turn of a puzzle moved to where a second move wins as well."""
    table, moves = from_position(LABYRINTH.start), (*LABYRINTH.line, *LABYRINTH.finish)
    for n, token in enumerate(moves):
        if n >= len(LABYRINTH.line) and only_winning(verdicts(table)) is None:
            break
        table.push(token)
    assert only_winning(verdicts(table)) is None
    assert prove_again(Puzzle("labyrinth", table.position(), (token,), moves[n + 1 :])) is None


def test_lines_may_be_longer_than_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Stonewall can be moved around for more than the 5,000 moves of a record."""
    lost = from_position(LABYRINTH.start)
    lost.push(wrong(LABYRINTH, 0))
    monkeypatch.setattr("games.rules.table.MAX_TOKENS", 2)
    assert prove_lost(lost.position()) == Lost(22, ("3S", "2H", "8C"))
