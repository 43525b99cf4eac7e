"""Solver likeness: a new run of the solver decides like the solver, and people do not."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal

import pytest

from games.fairplay import solver_likeness
from games.fairplay.copies import is_copy, weights
from games.fairplay.solver_likeness import POSITIONS, TYPICAL, compare_with_solver
from games.rules import CATALOGUE, RULES_VERSION, End, Record, Table
from games.solver import Budget, Result, solve
from tests.games.fairplay.copying import EASY, played, replanned, solved


def record(variant: str, tokens: Sequence[str], how: Literal["won", "resigned"] = "won") -> Record:
    clock = tuple(range(0, 1000 * len(tokens), 1000))
    return Record(RULES_VERSION, variant, None, EASY[variant], tuple(tokens), clock, End(how, clock[-1]))


def a_person(variant: str) -> Record:
    """A win of a simple player."""
    tables = (played(variant, EASY[variant], Random(n), 0.1) for n in range(100))
    return record(variant, next(table for table in tables if table.is_won).moves)


def a_new_run(variant: str) -> Record:
    """A win of the solver after one random move."""
    return record(variant, replanned(variant, EASY[variant], Random(1)) or ())


@pytest.mark.parametrize("variant", ["tarot-novice", "plot", "labyrinth"])
def test_new_runs_decide_like_the_solver_and_people_do_not(variant: str) -> None:
    person, run = compare_with_solver(a_person(variant)), compare_with_solver(a_new_run(variant))
    assert person is not None
    assert run is not None
    assert run.z(variant) > max(1.5, person.z(variant) + 1)


def test_a_new_run_is_no_copy() -> None:
    first = record("plot", solved("plot", EASY["plot"]) or ())
    assert not is_copy(weights(first.to_bytes()), weights(a_new_run("plot").to_bytes()), "plot")


def test_games_that_are_not_won_are_not_compared() -> None:
    won = a_person("labyrinth")
    assert compare_with_solver(record("labyrinth", won.tokens[:-1], "resigned")) is None


def test_the_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[Budget] = []

    def counted(table: Table, budget: Budget) -> Result:
        budgets.append(budget)
        return solve(table, budget)

    monkeypatch.setattr(solver_likeness, "solve", counted)
    found = compare_with_solver(a_person("labyrinth"))
    assert found is not None
    assert 0 < found.count <= len(budgets) <= POSITIONS
    assert {budget.nodes for budget in budgets} == {5_000}


def test_typical_shares_separate_new_runs_from_people() -> None:
    assert TYPICAL.keys() <= set(CATALOGUE)
    assert all(typical.new_runs > typical.people + typical.spread / 2 for typical in TYPICAL.values())
