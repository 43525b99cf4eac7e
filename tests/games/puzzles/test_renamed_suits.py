"""Renamed suits: the same puzzle in other cards, with the same proof."""

from __future__ import annotations

from random import Random

import pytest

from games.puzzles.generation.proofs import Judge
from games.puzzles.puzzle import Puzzle, successors
from games.puzzles.runs.renamed_suits import renamed, renamings
from games.rules import GAMES, Table, from_position, open_table
from tests.games.puzzles.puzzles import starters

#: Small puzzles of each game that has some: the solver decides each of their positions.
SAMPLES = [
    min((one for one in starters() if one.variant == variant), key=lambda one: len(one.finish))
    for variant in sorted({one.variant for one in starters()})
]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_has_renamings_that_keep_its_colours(game: str) -> None:
    found = renamings(game)
    assert len(found) == (7 if game in ("stonewall", "tarot") else 23)
    table = open_table(game, bytes(32), {})
    for names in range(len(found)):
        other = renamed(Puzzle("", table.position(), ()), Random(names))
        assert from_position(other.start).position() == other.start != table.position()
        assert set(from_position(other.start).legal_moves()) == set(table.legal_moves())


@pytest.mark.parametrize("puzzle", SAMPLES, ids=lambda puzzle: puzzle.variant)
def test_solver_has_the_same_verdicts_on_a_renamed_puzzle(puzzle: Puzzle) -> None:
    other = renamed(puzzle, Random(0))
    assert other.turns == puzzle.turns
    for n in puzzle.turns[-1:]:
        verdicts = [verdicts_at(one.table_at(n)) for one in (puzzle, other)]
        assert None not in verdicts[0].values()
        assert verdicts[0] == verdicts[1]
    end = other.table_at(len(other.line))
    for token in other.finish:
        end.push(token)
    assert end.is_won


def verdicts_at(table: Table) -> dict[str, bool | None]:
    judge = Judge(nodes=5_000)
    return {token: judge.after(table, token) for token in successors(table).values()}
