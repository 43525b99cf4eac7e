"""How the searches judge positions of Braid: the play-out, and the proofs of a loss, against the rules."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import cast

import pytest

from games.rules import Table
from games.solver import Budget, Solution, Unwinnable, check_solution, solve
from games.solver.braid import BraidSearch
from games.solver.braid_anneal import BraidAnnealing
from games.solver.braid_loss import is_hopeless
from games.solver.braid_playout import play_out
from games.solver.braid_position import BRAID, FOUND, HOLDS, INNER, KEPT
from games.solver.braid_tangle import is_tangled
from games.solver.convert import make_search
from games.solver.states import WON
from games.solver.team import Team
from tests.solver.deals import braid_endgame, copy_of, deal, walk
from tests.solver.exhaustive import can_be_won


def members_of(table: Table, seed: int = 0) -> tuple[BraidAnnealing, BraidSearch]:
    """The searches of a position whose direction is chosen."""
    annealing, beam = cast("Team", make_search(table, seed=seed, memory=16)).members
    return cast("BraidAnnealing", annealing), cast("BraidSearch", beam)


def search_of(table: Table) -> BraidSearch:
    return members_of(table)[1]


def hopeless(table: Table) -> bool:
    search = search_of(table)
    return is_hopeless(search.front.rows, 0, search.deal)


def tangled(table: Table) -> bool:
    search = search_of(table)
    return is_tangled(search.front.rows, 0, search.deal)


def can_be_untangled(table: Table) -> bool:
    """Whether the braid can be emptied if all cards not on it or in inner cells are at hand; by trying everything."""
    search = search_of(table)
    row = [int(value) for value in list(search.front.rows)]
    count = row[BRAID]
    queue = [*row[:INNER], *(int(kind) for kind in list(search.deal.braid)[:count][::-1])]
    start = (tuple(queue), tuple(row[FOUND : FOUND + 8]))
    seen, stack = {start}, [start]
    while stack:
        rest, found = stack.pop()
        if len(rest) <= INNER:
            return True
        for slot, height in enumerate(found):
            if height == 13:
                continue
            kind = slot // 2 * 13 + height
            up = sum(other > height for other in found[slot // 2 * 2 : slot // 2 * 2 + 2])
            higher = (*found[:slot], height + 1, *found[slot + 1 :])
            plays = [(*rest[:place], *rest[place + 1 :]) for place in range(INNER + 1) if rest[place] == kind]
            plays += [rest] * (rest.count(kind) + up < 2)
            for play in plays:
                if (play, higher) not in seen:
                    seen.add((play, higher))
                    stack.append((play, higher))
    return False


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
        assert play_out(search.front.rows, 0, search.deal, None)[:2] == played_out(copy_of(table)), table.position()


@pytest.mark.parametrize("variant", ["braid", "pigtail"])
def test_a_game_of_any_choices_is_one_of_the_rules(variant: str) -> None:
    chance = Random(f"choices {variant}")
    asked = 0
    for index in range(60):
        table = walk(deal(variant, index), chance.randrange(200), chance)
        annealing, _ = members_of(table)
        for place in range(len(annealing.deal.choices)):
            annealing.deal.choices[place] = chance.randrange(KEPT + 1) if place < HOLDS else chance.randrange(2)
        up, left, _ = play_out(annealing.row, 0, annealing.deal, None)
        asked += annealing.deal.asked[0]
        for token in annealing.tokens():
            table.push(token)
        assert (table.cards_up, len(table.piles[12])) == (up, left)
    assert asked > 300


def test_both_ways_to_search_win_alone() -> None:
    """What a team finds is not what one of its members finds anyway."""
    wins = [0, 0]
    for index in range(12):
        for number, member in enumerate(members_of(deal("braid", index))):
            member.run(20_000)
            if member.status == WON:
                wins[number] += 1
                check_solution(deal("braid", index), member.tokens())
    assert min(wins) >= 3


def test_no_position_on_the_way_to_a_win_is_hopeless() -> None:
    won = 0
    for index in range(40):
        table = deal("pigtail" if index % 2 else "braid", index)
        result = solve(table, Budget(nodes=30_000))
        if isinstance(result, Solution):
            won += 1
            for token in result.tokens:
                assert not hopeless(table), table.position()
                assert not tangled(table), table.position()
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


def test_what_is_tangled_is_lost() -> None:
    """Late positions that only this proof knows to be lost; by brute force."""
    chance = Random("tangled")
    lost = 0
    while lost < 50:
        table = braid_endgame(chance, places="r")
        if tangled(table) and not hopeless(table):
            truth = can_be_won(copy_of(table), 5000)
            assert not truth, table.position()
            lost += truth is False


def test_a_tangle_is_one_however_it_is_pulled_at() -> None:
    """A card waits until it is needed, and harmless plays come first: trying everything finds no other way out."""
    chance = Random("pull")
    verdicts: Counter[bool] = Counter()
    while min(verdicts[True], verdicts[False]) < 50:
        table = braid_endgame(chance, places="r")
        if len(table.piles[12]) > 0:
            assert tangled(table) is not can_be_untangled(table), table.position()
            verdicts[tangled(table)] += 1


def test_deals_are_lost_at_sight_that_are_not_hopeless() -> None:
    lost = 0
    for index in range(60):
        table = deal("braid", index)
        if not hopeless(table) and isinstance(solve(table, Budget(nodes=1)), Unwinnable):
            lost += 1
    assert lost >= 3


def test_a_hopeless_position_is_lost_without_a_search() -> None:
    chance = Random("at sight")
    table = walk(deal("braid", 0), 400, chance)
    while not hopeless(table):
        table = walk(deal("braid", chance.randrange(1000)), 400, chance)
    result = solve(table, Budget(nodes=1))
    assert isinstance(result, Unwinnable)
    assert result.effort.nodes == 0
