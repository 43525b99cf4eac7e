"""A move reveals a card if it shows one that no position of the game has shown before."""

from __future__ import annotations

import pytest
from hypothesis import given

from games.rules import CATALOGUE, open_table
from games.rules.hidden_cards import Reveals, undone_reveal
from tests.rules.profile import examples
from tests.rules.reference import SlowTable
from tests.rules.variants.test_hidden_cards import marked, seen_places
from tests.rules.walks import Walk, walks

SEED = bytes(range(32))


@given(walk=walks(longest=100))
@examples(40)
def test_reveals_agree_with_the_cards_shown(walk: Walk) -> None:
    table, plain = walk.open(), walk.open_slow()
    slow = SlowTable(walk.game, marked(plain.deck), plain.options)
    reveals, seen, standing = Reveals(table), seen_places(slow), list[bool]()
    first: int | None = None
    tokens = []
    for n, token in enumerate(walk.choose(slow), 1):
        tokens.append(token)
        slow.play(token)
        table.push(token)
        reveals.push(table, token)
        if token == "u":
            if standing.pop() and first is None:
                first = n
        else:
            standing.append(not seen_places(slow) <= seen)
        seen |= seen_places(slow)
        assert reveals.bars_undo == (standing[-1:] == [True])
        assert reveals.undoable == [*standing[::-1], True].index(True)
    assert undone_reveal(walk.open(), tokens) == first


@pytest.mark.parametrize("name", [name for name, variant in CATALOGUE.items() if variant.game != "stonewall"])
def test_a_draw_reveals_once(name: str) -> None:
    table = open_table(name, SEED)
    reveals = Reveals(table)
    for token, bars in (("d", True), ("u", False), ("d", False), ("d", True)):
        if token == "d" and "d" not in table.legal_moves():
            table.push("up")
            reveals.push(table, "up")
        table.push(token)
        reveals.push(table, token)
        assert reveals.bars_undo is bars
