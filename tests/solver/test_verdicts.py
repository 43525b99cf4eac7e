"""Solver verdicts agree with brute force, on small and late positions of every game.

``--full``, for use after a change to a search, checks 200 positions of each variant instead of 20, and more whole
deals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random

import pytest

from games.rules import CATALOGUE, Table, from_position
from games.solver import Budget, GaveUp, Solution, Unwinnable, solve
from tests.solver.deals import NODES, copy_of, deal, line_of, solved, stonewall_endgame, tarot_endgame, walk
from tests.solver.exhaustive import can_be_won

VISITED = 3_000
TAROT = [name for name in CATALOGUE if name.startswith("tarot")]
#: Late positions per variant, with `--full` and without.
MANY, FEW = 200, 20
#: Variants with constructed positions, of which at least a quarter can be won.
LAID_OUT = {*TAROT, "stonewall"}


@pytest.mark.parametrize("variant", CATALOGUE)
def test_verdicts_agree_with_brute_force(variant: str, request: pytest.FixtureRequest) -> None:
    """At least a quarter of the positions must be lost, and some must be winnable."""
    positions = late_positions(variant, Random(f"verdicts {variant}"))
    wanted = MANY if request.config.getoption("full") else FEW
    least = {False: wanted // 4, True: wanted // 4 if variant in LAID_OUT else 1}
    verdicts: Counter[bool] = Counter()
    while verdicts.total() < wanted or any(verdicts[verdict] < number for verdict, number in least.items()):
        verdicts += agreed(islice(positions, 20), most=1_000, all_decided=variant != "plot")


def late_positions(variant: str, chance: Random) -> Iterator[Table]:
    """Yield walks in real deals, and constructed endgames for variants whose walks hardly ever stay winnable.

    The iterator is endless.
    """
    for index in count():
        if variant in TAROT:
            yield tarot_endgame(variant, chance.randrange(4, 14), chance)
        elif variant == "stonewall" and index % 4:
            yield stonewall_endgame(chance.randrange(12, 26), chance)
        else:
            yield walk(deal(variant, index), chance.randrange(20, 500), chance)


def agreed(tables: Iterable[Table], most: int, *, all_decided: bool) -> Counter[bool]:
    """Check the solver's verdict where brute force has one; return how many positions were won and lost.

    Without ``all_decided``, a win may be missed within the budget (brute force finds some by luck), and is not counted.
    """
    verdicts: Counter[bool] = Counter()
    for table in tables:
        truth = None if table.is_won else can_be_won(copy_of(table), most)
        if truth is not None:
            result = solve(table, Budget(nodes=300_000))
            if isinstance(result, GaveUp) and truth and not all_decided:
                continue
            verdicts[truth] += 1
            assert isinstance(result, Solution if truth else Unwinnable), table.position()
    return verdicts


@pytest.mark.parametrize("variant", ["braid", "tarot", "tarot-adept", "plot", "stonewall", "labyrinth"])
def test_verdicts_agree_along_a_win(variant: str) -> None:
    """Covers positions near the end of a won game, after a few random moves: some winnable, some lost."""
    chance = Random(f"astray {variant}")
    wins = 0
    for index in range(25 if variant == "stonewall" else 12):  # few deals of Stonewall can be won
        tokens = line_of(variant, index)
        if not tokens:
            continue
        table = deal(variant, index)
        for token in tokens[: -chance.randrange(10, 50)]:
            table.push(token)
        walk(table, chance.randrange(8), chance)
        truth = can_be_won(copy_of(table), VISITED)
        if truth is not None and not table.is_won:
            wins += truth
            again = solve(table, Budget(nodes=300_000))
            assert isinstance(again, Solution if truth else Unwinnable), table.position()
    assert wins >= 3


def test_the_chosen_direction_counts() -> None:
    """A deal won upwards stays won when the direction is open and `up` is chosen."""
    for index in range(6):
        if isinstance(solved("braid", index), Solution):
            open_ = deal("braid-either", index)
            open_.push("up")
            assert from_position(open_.position()).legal_moves()
            assert isinstance(solve(open_, Budget(nodes=NODES)), Solution)


@pytest.mark.parametrize(("variant", "more"), [("braid", "pigtail"), ("braid", "braid-either")])
def test_a_freer_option_never_loses_a_win(variant: str, more: str, request: pytest.FixtureRequest) -> None:
    for index in range(30 if request.config.getoption("full") else 10):
        if isinstance(solved(variant, index), Solution):
            assert not isinstance(solved(more, index), Unwinnable)
