"""Solutions win when the rules replay them, for every game and option; result rows of `make proof`."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from games.rules import CATALOGUE, Table
from games.solver import Budget, GaveUp, Result, Solution, Unwinnable, check_solution, solve
from tests.solver.deals import NODES, OTHER_OPTIONS, copy_of, deal, first_win, walk
from tests.solver.proof import BEGIN, END, HEAD, PAGE, properties, row_of, with_row

#: `SOLVER_DEALS=1000 pytest tests/solver` solves 1,000 deals of each variant.
DEALS = int(os.environ.get("SOLVER_DEALS", "30"))
#: Least shares of deals won within the test's budget: far below the measured ones, far above a broken search.
WON_AT_LEAST = {
    "braid": 0.5, "braid-either": 0.7, "pigtail": 0.5, "labyrinth": 0.15, "tarot": 0.7, "tarot-novice": 0.8,
    "tarot-adept": 0.3, "plot": 0.6, "stonewall": 0.05,
}  # fmt: skip


def wins(table: Table, tokens: tuple[str, ...]) -> bool:
    copy = copy_of(table)
    for token in tokens:
        copy.push(token)
    return copy.is_won


@pytest.mark.parametrize("variant", CATALOGUE)
def test_solutions_of_random_deals_replay(variant: str, record_property: Callable[[str, object], None]) -> None:
    counted: Counter[type[Result]] = Counter()
    begun = time.process_time()
    for index in range(DEALS):
        table = deal(variant, index)
        result = solve(table, Budget(nodes=NODES[variant]))
        counted[type(result)] += 1
        if isinstance(result, Solution):
            assert wins(table, result.tokens)
    for name, outcome in (("won", Solution), ("lost", Unwinnable), ("undecided", GaveUp)):
        record_property(name, counted[outcome])
    record_property("seconds", round(time.process_time() - begun))
    assert counted[Solution] >= WON_AT_LEAST[variant] * DEALS


@pytest.mark.parametrize(("game", "options"), OTHER_OPTIONS)
def test_all_options_are_solved(game: str, options: dict[str, bool | int | str]) -> None:
    won = 0
    for index in range(8):
        table = deal(game, index, options)
        result = solve(table, Budget(nodes=60_000))
        if isinstance(result, Solution):
            won += 1
            assert wins(table, result.tokens)
        if won == 2:
            break
    assert won


@pytest.mark.parametrize("variant", CATALOGUE)
def test_positions_in_the_middle_of_a_game(variant: str) -> None:
    chance = Random(variant)
    decided = 0
    for index in range(20):
        table = walk(deal(variant, index), chance.randrange(1, 120), chance)
        before, count = table.position(), table.token_count
        result = solve(table, Budget(nodes=30_000))
        assert (table.position(), table.token_count) == (before, count)
        if isinstance(result, Solution):
            check_solution(table, result.tokens)
        decided += isinstance(result, Solution | Unwinnable)
    assert decided


@pytest.mark.parametrize("variant", ["braid", "labyrinth", "tarot", "plot", "stonewall"])
def test_every_position_of_a_won_line_can_be_won(variant: str) -> None:
    """Along its own line, the solver may give up but never deny that there is a win."""
    index, tokens = first_win(variant)
    table = deal(variant, index)
    for place, token in enumerate(tokens):
        table.push(token)
        if place % 12 == 0 and not table.is_won:
            assert not isinstance(solve(table, Budget(nodes=20_000)), Unwinnable)


@pytest.mark.parametrize("variant", CATALOGUE)
def test_the_last_moves_are_found_at_once(variant: str) -> None:
    index, tokens = first_win(variant)
    table = deal(variant, index)
    for token in tokens[:-1]:
        table.push(token)
    late = solve(table, Budget(nodes=1000))
    assert isinstance(late, Solution)
    assert len(late.tokens) == 1


def test_a_row_replaces_only_its_variants_row() -> None:
    stonewall = row_of("stonewall", {"won": 3, "lost": 6, "undecided": 1, "seconds": 2})
    labyrinth = row_of("labyrinth", {"won": 1200, "lost": 800, "undecided": 0, "seconds": 4})
    page = with_row(with_row(f"Before\n{BEGIN}{END}After\n", stonewall), labyrinth)
    assert page == f"Before\n{BEGIN}{HEAD}{labyrinth}{stonewall}{END}After\n"
    assert f"| labyrinth | 2,000 | 1,200 | 800 | 0 | 4 | {labyrinth.day} |\n" in page
    newer = row_of("stonewall", {"won": 30, "lost": 60, "undecided": 10, "seconds": 20})
    assert with_row(page, newer) == page.replace(str(stonewall), str(newer))


def test_the_page_has_a_place_for_the_rows() -> None:
    row = row_of("plot", {"won": 1, "lost": 0, "undecided": 0, "seconds": 1})
    assert str(row) in with_row(PAGE.read_text(), row)
    with pytest.raises(ValueError, match="no place"):
        with_row("# Winnability\n", row)


def test_the_recorded_figures_are_read_from_the_report() -> None:
    report = '<testsuites><testcase><properties><property name="won" value="7"/></properties></testcase></testsuites>'
    assert properties(report) == {"won": 7}
