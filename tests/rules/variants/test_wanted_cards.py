"""The cards that foundations take next, in every variant."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given

from games.rules import CATALOGUE, Table, from_position, open_table
from tests.rules.profile import examples
from tests.rules.variants.test_against_reference import late_walks
from tests.rules.walks import Walk, walks

STONEWALL = (
    "stonewall | t0 *6D.7S.*TC.3H | t1 *6H.TH.*QC.8H.*JS.2H | t2 *AH.9S.*2D.3C.QS.JD | t3 *5S.TS.*KD.KC.JH | "
    "t4 *7D.QH.*5C.5H.*4C.JC.TD.9C | t5 *9H.QD.*2S.9D.*8D.7H.6S.5D.4S.3D | r1 KH | r2 3S | r5 6C | r6 8S | r10 7C | "
    "r12 8C | r13 4D | r14 4H | r15 KS | f0 AS | f2 AD | f3 AC.2C"
)


@pytest.mark.parametrize("name", CATALOGUE)
def test_late_in_the_game_a_top_card_is_wanted_if_it_can_go_up(name: str) -> None:
    for walk in late_walks(name):
        check(walk)


@given(walk=walks())
@examples(20)
def test_with_any_options_a_top_card_is_wanted_if_it_can_go_up(walk: Walk) -> None:
    check(walk)


def check(walk: Walk) -> None:
    """Compare the wanted cards with the legal moves at each step of a walk."""
    table, slow = walk.open(), walk.open_slow()
    for token in chain(walk.opening, walk.choose(slow)):
        slow.play(token)
        table.push(token)
        for pile in free_piles(table):
            assert (table.pile(pile)[-1] in table.wanted_cards()) == table.is_legal(f"{pile}-f")


def free_piles(table: Table) -> list[str]:
    """Return the piles whose top card may go up if a foundation takes it."""
    if table.is_won:
        return []
    return [pile for pile in table.view().get("free", table.VOCABULARY.piles) if pile != "s" and table.pile(pile)]


def test_buried_and_face_down_cards_are_wanted_in_deck_order() -> None:
    table = from_position(STONEWALL)
    assert table.DECK.written(table.wanted_cards()) == ["2S", "AH", "2D", "3C"]


def test_no_card_is_wanted_before_a_direction_is_chosen() -> None:
    table = open_table("braid-either", bytes(32))
    assert table.wanted_cards() == []
    table.push("up")
    assert table.wanted_cards()
