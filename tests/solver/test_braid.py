"""Braid's evaluation of positions, compared with the rules: the play-out, and the proofs of a loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random
from typing import cast

import pytest

from games.rules import Table, from_position
from games.rules.variants.braid import Braid
from games.solver import Budget, Unwinnable, check_solution, solve
from games.solver.braid.anneal import BraidAnnealing
from games.solver.braid.depth_first import BraidDepth
from games.solver.braid.loss_proof import is_hopeless
from games.solver.braid.order_proof import is_out_of_order
from games.solver.braid.playout import play_out
from games.solver.braid.position import BRAID, FOUND, HOLDS, INNER, KEPT, BraidContext
from games.solver.braid.search import BraidSearch
from games.solver.braid.tangle_proof import is_tangled
from games.solver.kernel_tools import Ints
from games.solver.searches import make_search
from games.solver.statuses import LOST, RUNNING, WON
from games.solver.team import Team
from tests.solver.deals import braid_endgame, copy_of, deal, line_of, walk
from tests.solver.exhaustive import can_be_won

Proof = Callable[[Ints, int, BraidContext], bool]

FULL_CELLS = (
    "braid | rounds=0 | t0 2H | t1 5D | t2 8C | t3 5C | t4 JH | t5 3H | t6 KH | t7 5S | t8 QC | t9 2D | t10 4D | "
    "t11 4H | r TC.5D.4D.7H.TS.4H.AD.8S.TH.QH.TD.7C.9S | w KC.KS.JS.QD.9H | "
    "s 9H.AC.KD.2S.3C.4C.3D.9C.AS.4S.8H.JH.2S.QH.AC.5S.TH.QS.5C.3C.5H.2C.5H.2H.3S.3S.JC.3D.KH.3H.2C.4S.JD.AH.AH."
    "4C | f0 6C.7C.8C.9C.TC.JC.QC.KC | f1 6D.7D.8D.9D.TD.JD.QD.KD.AD.2D | f2 6S.7S.8S.9S.TS.JS.QS.KS.AS | "
    "f3 6C | f4 6H.7H.8H | f5 6H | f6 6S.7S | f7 6D.7D.8D.9D"
)
LEFT_OPEN = (
    "braid | rounds=1 | t0 7D | t1 9D | t2 TH | t3 8D | t4 QH | t5 TS | t6 4S | t7 4C | t8 3S | t9 AD | t10 9S | "
    "t11 4H | r TC.5C.7S.6C.2H.AH.JS.6S.AC.JH.4D.5S.6C.6D.7C.JD.AS.8S | "
    "w 8H.5D.TS.TD.7C.9H.KH.6D.2S.2D.7D.8C.TH.8H.3H.TC.TD.8C.KS.9H.8D.9C.3D.QD.3C.QS.7H.9D.9C.8S.9S.KD.6H.2C."
    "5H | f0 JS.QS.KS.AS.2S.3S.4S.5S.6S.7S | f1 JD.QD.KD.AD.2D.3D.4D.5D | f2 JC.QC.KC.AC.2C.3C.4C.5C | "
    "f3 JC.QC.KC | f4 JH.QH.KH.AH.2H.3H.4H.5H.6H.7H"
)
"""Lost positions from practice: cells are full, and few cards are up when the last round begins or is near."""


def members_of(table: Table, seed: int = 0) -> tuple[BraidAnnealing, BraidSearch]:
    """Return the annealing and the beam search of a position whose direction is chosen."""
    annealing, beam = cast("Team", make_search(table, seed=seed, memory=16)).searches[:2]
    return cast("BraidAnnealing", annealing), cast("BraidSearch", beam)


def search_of(table: Table) -> BraidSearch:
    return members_of(table)[1]


def is_lost(table: Table, *proofs: Proof) -> bool:
    search = search_of(table)
    return any(proof(search.front.rows, 0, search.deal) for proof in proofs)


def depth_of(table: Table) -> BraidDepth:
    return BraidDepth(search_of(table).start, limit=1 << 20)


def can_be_untangled(table: Table) -> bool:
    """Return whether the braid can be emptied if all cards outside it and the inner cells are at hand.

    Found by trying everything.
    """
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
    """Return cards up and cards left on the braid after every play the rules allow, with nothing parked."""
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
def test_a_play_out_follows_the_rules(variant: str) -> None:
    chance = Random(f"play out {variant}")
    for index in range(60):
        table = walk(deal(variant, index), chance.randrange(300), chance)
        search = search_of(table)
        assert play_out(search.front.rows, 0, search.deal, None)[:2] == played_out(copy_of(table)), table.position()


@pytest.mark.parametrize("variant", ["braid", "pigtail"])
def test_a_game_of_any_choices_follows_the_rules(variant: str) -> None:
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


def test_both_searches_win_alone() -> None:
    """A team must not depend on a single member for all its wins."""
    wins = [0, 0]
    for index in range(12):
        for number, member in enumerate(members_of(deal("braid", index))):
            member.run(20_000)
            if member.status == WON:
                wins[number] += 1
                check_solution(deal("braid", index), member.tokens())
    assert min(wins) >= 3


def test_no_position_of_a_won_game_is_lost() -> None:
    """Covers every proof, in all variants."""
    won: Counter[str] = Counter()
    for variant, index in product(("braid", "pigtail", "braid-either"), range(5)):
        table = deal(variant, index)
        tokens = line_of(variant, index)
        won[variant] += bool(tokens)
        for token in tokens:
            if cast("Braid", table).direction:
                assert not is_lost(table, is_hopeless, is_tangled, is_out_of_order), table.position()
            table.push(token)
    assert min(won.values()) >= 2


def test_hopeless_late_positions_are_lost(chance: Random) -> None:
    """Compares with brute force in the last round, where the waste buries cards too."""
    truths: Counter[tuple[bool, bool]] = Counter()
    while truths[False, True] < 20:
        table = walk(deal("braid", chance.randrange(1000)), chance.randrange(250, 450), chance)
        truth = None if table.is_won else can_be_won(copy_of(table), 500)
        if truth is not None:
            truths[truth, is_lost(table, is_hopeless)] += 1
    assert truths[True, True] == 0


@pytest.mark.parametrize(("proof", "least"), [(is_hopeless, 3), (is_out_of_order, 1)])
def test_positions_that_a_proof_calls_lost_are_lost(proof: Proof, least: int, chance: Random) -> None:
    """Compares with brute force in endgames, in either direction, ``least`` for each number of redeals left."""
    rounds: Counter[str] = Counter()
    while min(rounds[f"rounds={left}"] for left in range(4)) < least:
        table = braid_endgame(chance)
        if is_lost(table, proof):
            truth = can_be_won(copy_of(table), 2000)
            assert not truth, table.position()
            rounds[table.position().split(" | ")[1]] += truth is False


def test_tangled_positions_are_lost(chance: Random) -> None:
    """Compares with brute force in late positions that only this proof finds lost."""
    lost = 0
    while lost < 20:
        table = braid_endgame(chance, places="r")
        if is_lost(table, is_tangled) and not is_lost(table, is_hopeless):
            truth = can_be_won(copy_of(table), 5000)
            assert not truth, table.position()
            lost += truth is False


def test_a_tangle_is_found_from_any_of_its_cards(chance: Random) -> None:
    """A card waits until it is needed, and harmless plays come first: trying everything finds no other way out."""
    verdicts: Counter[bool] = Counter()
    while min(verdicts[True], verdicts[False]) < 12:
        table = braid_endgame(chance, places="r")
        if len(table.piles[12]) > 0:
            tangled = is_lost(table, is_tangled)
            assert tangled is not can_be_untangled(table), table.position()
            verdicts[tangled] += 1


def test_full_cells_in_the_last_round_are_lost() -> None:
    """A position from practice: all cells are full, and the stock has to be drawn once more."""
    table = from_position(FULL_CELLS)
    assert not is_lost(table, is_hopeless, is_tangled)
    assert is_lost(table, is_out_of_order)


def test_depth_first_decides_late_positions() -> None:
    """Verdicts match brute force, and lines win by the rules."""
    chance = Random("depth")
    verdicts: Counter[bool] = Counter()
    while min(verdicts[True], verdicts[False]) < 20:
        late = verdicts.total() % 2
        table = walk(deal("braid", chance.randrange(1000)), 400, chance) if late else braid_endgame(chance)
        truth = None if table.is_won else can_be_won(copy_of(table), 1500)
        if truth is not None:
            search = depth_of(table)
            assert search.run(100_000) == (WON if truth else LOST), table.position()
            if truth:
                check_solution(table, search.tokens())
            verdicts[truth] += 1


def test_depth_first_decides_positions_without_a_proof() -> None:
    search = depth_of(from_position(LEFT_OPEN))
    assert search.status == RUNNING
    assert search.run(30_000) == LOST


def test_depth_first_joins_the_others_in_mid_game() -> None:
    """The depth-first search must not join at the start of a deal, nor with all of Pigtail's redeals left."""
    table = deal("braid", 0)
    assert len(cast("Team", make_search(table, seed=0, memory=16)).searches) == 2
    table.push("d")
    assert isinstance(cast("Team", make_search(table, seed=0, memory=16)).searches[-1], BraidDepth)
    pigtail = deal("pigtail", 0)
    pigtail.push("d")
    assert len(cast("Team", make_search(pigtail, seed=0, memory=16)).searches) == 2


def test_some_deals_are_lost_without_being_hopeless() -> None:
    lost = 0
    for index in range(60):
        table = deal("braid", index)
        if not is_lost(table, is_hopeless) and isinstance(solve(table, Budget(nodes=1)), Unwinnable):
            lost += 1
    assert lost >= 3


def test_a_hopeless_position_is_lost_without_a_search() -> None:
    chance = Random("at sight")
    table = walk(deal("braid", 0), 400, chance)
    while not is_lost(table, is_hopeless):
        table = walk(deal("braid", chance.randrange(1000)), 400, chance)
    result = solve(table, Budget(nodes=1))
    assert isinstance(result, Unwinnable)
    assert result.effort.nodes == 0
