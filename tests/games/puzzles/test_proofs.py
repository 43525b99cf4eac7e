"""Proofs of losses: the exhaustive search against the solver and against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from random import Random, SystemRandom

import pytest

from games.puzzles.generation.generator import prove
from games.puzzles.generation.proofs import Judge
from games.puzzles.losses.exhaustive_search import prove_lost
from games.puzzles.puzzle import Puzzle, successors
from games.rules import Table, from_position
from games.solver import Budget, GaveUp, Solution, Unwinnable, check_solution, solve
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
            assert lost["most_up"] == most_up(position), (seed, position)
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
    assert prove_lost(lost.position()) == {"most_up": 22, "ends": ["3S", "2H", "8C"]}
    assert prove_lost(lost.position(), 5) is None


def test_the_judge_knows_won_positions() -> None:
    table = LABYRINTH.table_at(len(LABYRINTH.line))
    for token in LABYRINTH.finish:
        table.push(token)
    assert Judge().is_winnable(table)
    assert Judge().win(table) == []


@EXAMPLES
def test_one_move_of_each_turn_wins(puzzle: Puzzle) -> None:
    judge = Judge()
    for n in puzzle.turns:
        table = puzzle.table_at(n)
        verdicts = {token: judge.after(table, token) for token in successors(table).values()}
        assert [token for token, verdict in verdicts.items() if verdict is not False] == [puzzle.line[n]]
        check_solution(table, judge.win(table))
        assert table.moves == puzzle.line[:n], "the table has not changed"


@pytest.mark.parametrize("variant", ["braid", "pigtail", "plot"])
def test_the_judge_agrees_with_the_solver(variant: str) -> None:
    seed = SystemRandom().randrange(2**32)
    for table in islice(late_positions(variant, Random(seed)), POSITIONS):
        result = solve(table, Budget(nodes=20_000), seed=3)
        verdict = Judge().is_winnable(table)
        assert verdict is None or isinstance(result, GaveUp | (Solution if verdict else Unwinnable)), seed


@EXAMPLES
def test_proofs_are_repeatable(puzzle: Puzzle) -> None:
    proven = prove(replace(puzzle, losses=()))
    assert proven is not None
    assert [[*turn] for turn in proven.losses] == [[*turn] for turn in puzzle.losses]


def test_a_turn_with_two_wins_is_refused() -> None:
    """The last turn of a puzzle moved to where a second move wins as well."""
    judge, table, moves = Judge(), from_position(LABYRINTH.start), (*LABYRINTH.line, *LABYRINTH.finish)
    for n, token in enumerate(moves):
        wins = [one for one in successors(table).values() if judge.after(table, one)]
        if n >= len(LABYRINTH.line) and len(wins) > 1:
            break
        table.push(token)
    assert len(wins) > 1
    assert prove(Puzzle("labyrinth", table.position(), (token,))) is None


def test_lines_may_be_longer_than_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Stonewall can be moved around for more than the 5,000 moves of a record."""
    lost = from_position(LABYRINTH.start)
    lost.push(wrong(LABYRINTH, 0))
    monkeypatch.setattr("games.rules.table.MAX_TOKENS", 2)
    assert prove_lost(lost.position()) == {"most_up": 22, "ends": ["3S", "2H", "8C"]}
