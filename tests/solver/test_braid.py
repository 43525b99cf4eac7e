"""How the search judges positions of Braid: the play-out, and the quick proof of a loss, against the rules."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import cast

import pytest

from games.rules import Table
from games.solver import Budget, Solution, Unwinnable, solve
from games.solver.braid import BraidSearch
from games.solver.braid_loss import is_hopeless
from games.solver.braid_playout import play_out
from games.solver.convert import make_search
from tests.solver.deals import braid_endgame, copy_of, deal, walk
from tests.solver.exhaustive import can_be_won


def search_of(table: Table) -> BraidSearch:
    return cast("BraidSearch", make_search(table, seed=0, memory=16))


def hopeless(table: Table) -> bool:
    search = search_of(table)
    return is_hopeless(search.front.rows, 0, search.deal)


def played_out(table: Table) -> tuple[int, int]:
    """Cards up and cards left on the braid after all that can go up has, by the rules, with nothing parked."""
    wish = ["r-t", "t", "r-f", "w-f"]
    ups = -1
    while True:
        legal = [token for token in table.legal_moves() if token.endswith("-f") or token.startswith("r-")]
        if legal:
            table.push(min(legal, key=lambda token: next(n for n, start in enumerate(wish) if token.startswith(start))))
        elif table.is_won:
            break
        elif "d" in table.legal_moves():
            table.push("d")
        elif "n" in table.legal_moves() and table.cards_up > ups:
            ups = table.cards_up
            table.push("n")
        else:
            break
    return table.cards_up, len(table.piles[12])


@pytest.mark.parametrize("variant", ["braid", "pigtail"])
def test_a_play_out_ends_as_the_rules_say(variant: str) -> None:
    chance = Random(f"play out {variant}")
    for index in range(60):
        table = walk(deal(variant, index), chance.randrange(300), chance)
        search = search_of(table)
        assert play_out(search.front.rows, 0, search.deal) == played_out(copy_of(table)), table.position()


def test_no_position_on_the_way_to_a_win_is_hopeless() -> None:
    won = 0
    for index in range(40):
        table = deal("pigtail" if index % 2 else "braid", index)
        result = solve(table, Budget(nodes=30_000))
        if isinstance(result, Solution):
            won += 1
            for token in result.tokens:
                assert not hopeless(table), table.position()
                table.push(token)
    assert won >= 15


def test_what_is_hopeless_late_in_the_game_is_lost() -> None:
    """In the last round, where the waste buries cards too; by brute force."""
    chance = Random("hopeless")
    truths: Counter[tuple[bool, bool]] = Counter()
    for index in range(200):
        table = walk(deal("braid", index), chance.randrange(250, 450), chance)
        truth = None if table.is_won else can_be_won(copy_of(table), 500)
        if truth is not None:
            truths[truth, hopeless(table)] += 1
    assert truths[True, True] == 0
    assert truths[False, True] > 50


def test_what_is_hopeless_in_any_round_is_lost() -> None:
    """In either direction and with redeals left, where cells are nearly full and copies lie in several places."""
    chance = Random("endgames")
    rounds: Counter[str] = Counter()
    for _ in range(2000):
        table = braid_endgame(chance)
        if hopeless(table):
            truth = can_be_won(copy_of(table), 2000)
            assert not truth, table.position()
            rounds[table.position().split(" | ")[1]] += truth is False
    assert all(rounds[f"rounds={left}"] > 5 for left in range(4)), rounds


def test_a_hopeless_position_is_lost_without_a_search() -> None:
    chance = Random("at sight")
    table = walk(deal("braid", 0), 400, chance)
    while not hopeless(table):
        table = walk(deal("braid", chance.randrange(1000)), 400, chance)
    result = solve(table, Budget(nodes=1))
    assert isinstance(result, Unwinnable)
    assert result.effort.nodes == 0
