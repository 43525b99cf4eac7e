"""Position texts: impossible positions are refused, and the message names the fault, quoting values briefly."""

from __future__ import annotations

import re

import pytest

from games.rules import GAMES, PositionError, from_position, open_table
from games.rules.errors import quoted
from tests.rules.variants.positions import written

FRENCH, TAROT = "A23456789TJQK", "A23456789TPNQK"
BRAID = {"f0": "5S", "t0": "6H", "w": "QC"}
LABYRINTH = {"f0": "AS", "f1": "AH", "f2": "AD", "f3": "AC"}
ROW = {f"t{cell}": card for cell, card in enumerate(["2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S"])}
PLOT = {"f0": "5D", "t0": "6H", "w": "QC"}


def run(ranks: str, suit: str) -> str:
    """Return the cards of these ranks, as `written` takes them."""
    return " ".join(rank + suit for rank in ranks)


@pytest.mark.parametrize(
    ("head", "piles"),
    [
        ("braid | rounds=2", BRAID),
        ("braid redeals=3 | rounds=3", BRAID),
        ("braid direction=either | rounds=0 | direction=open", BRAID),
        ("braid direction=either | rounds=0 | direction=down", {**BRAID, "f0": "5S 4S"}),
        ("labyrinth | rows=1", {**LABYRINTH, **ROW}),
        ("labyrinth | rows=6", {**LABYRINTH, **ROW, "t47": "KC"}),
        ("labyrinth | rows=1", {f"f{n}": run(FRENCH, suit) for n, suit in enumerate("SHDC")}),
        ("tarot", {f"f{n}": run(TAROT, suit) for n, suit in enumerate("WCSP")}),
        ("tarot first_row=false draw=1 fool=trump", {"f4": "M0 M1 M2", "t0": "*KC AC"}),
        ("plot", {**PLOT, "f0": run("56789TJQKA234", "D"), "f1": "5S", "f2": "5H 6H", "t0": ""}),
        ("stonewall", {"f0": run(FRENCH, "S"), "r15": "KC", "t0": "*QC QD"}),
    ],
)
def test_a_position_round_trips(head: str, piles: dict[str, str]) -> None:
    line = written(head, piles)
    assert from_position(line).position() == line


def test_labyrinth_has_one_to_six_rows() -> None:
    for rows in range(1, 7):
        line = written(f"labyrinth | rows={rows}", {**LABYRINTH, **ROW})
        assert from_position(line).view()["rows"] == rows


@pytest.mark.parametrize(
    ("head", "piles", "said"),
    [
        # Foundations of suits.
        ("tarot", {"f0": "2W"}, "foundation f0 is out of order"),
        ("tarot", {"f1": "AC 3C"}, "foundation f1 is out of order"),
        ("tarot", {"f0": run(TAROT, "W") + " AC"}, "foundation f0 is out of order"),
        ("tarot", {"f4": "M0 M1"}, "foundation f4 is out of order"),
        ("tarot fool=trump", {"f4": "M1"}, "foundation f4 is out of order"),
        ("stonewall", {"f3": run(FRENCH, "S")}, "foundation f3 is out of order"),
        ("stonewall", {"f0": run(FRENCH, "S") + " AH"}, "foundation f0 is out of order"),
        # Foundations that wrap around from king to ace.
        ("plot", {"t0": "5D"}, "f0 holds the base card"),
        ("plot", {"f0": "5D 7H"}, "foundation f0 is out of order"),
        ("plot", {"f0": "5D 4H"}, "foundation f0 is out of order"),
        ("plot", {"f0": run("56789TJQKA2345", "D")}, "foundation f0 is out of order"),
        ("plot", {"f0": run("56789TJQKA234", "D"), "f1": "6H"}, "foundation f1 is out of order"),
        ("plot", {"f0": run("56789TJQKA234", "D"), "f2": "5H"}, "foundation f2 is out of order"),
        ("plot", {"f0": run("56789TJQKA23", "D"), "f1": "5H"}, "no other foundation starts before the first is full"),
        ("braid | rounds=2", {"f0": "5S 6H"}, "foundation f0 is out of order"),
        ("braid | rounds=2", {"f0": "5S 4S"}, "foundation f0 is out of order"),
        ("braid direction=either | rounds=2 | direction=down", {"f0": "5S 6S"}, "foundation f0 is out of order"),
        ("braid direction=either | rounds=2 | direction=open", {"f0": "5S 6S"}, "nothing is built before a direction"),
        # Cells, and cards that lie face down.
        ("braid | rounds=2", {**BRAID, "t3": "6H 7H"}, "cell t3 holds more than one card"),
        ("labyrinth | rows=1", {**LABYRINTH, **ROW, "t7": "9S TS"}, "cell t7 holds more than one card"),
        ("stonewall", {"r3": "6H 7H"}, "cell r3 holds more than one card"),
        ("stonewall", {"t2": "6H *7H"}, "the top of t2 is face down"),
        ("tarot", {"t8": "*M3"}, "the top of t8 is face down"),
        ("tarot", {"w": "*M3 M4"}, "only tableau cards lie face down"),
        ("stonewall", {"r0": "*6H"}, "only tableau cards lie face down"),
        # Labyrinth's rows.
        ("labyrinth | rows=1", {**LABYRINTH, **ROW, "f2": "", "t0": "AD"}, "the aces lie on the foundations"),
        ("labyrinth | rows=1", {**LABYRINTH, **ROW, "t8": "KC"}, "a card lies below the last row"),
        ("labyrinth | rows=2", {**LABYRINTH, **ROW, "t7": "", "t8": "KC"}, "the stock fills every gap"),
        ("labyrinth | rows=0", {**LABYRINTH, **ROW}, "there are 1 to 6 rows"),
        ("labyrinth | rows=7", {**LABYRINTH, **ROW}, "there are 1 to 6 rows"),
        # Facts.
        ("labyrinth", {**LABYRINTH, **ROW}, "a fact or a pile of this game is missing"),
        ("braid", BRAID, "a fact or a pile of this game is missing"),
        ("braid | rounds=3", BRAID, "rounds or direction are out of range"),
        ("braid | rounds=-1", BRAID, "rounds or direction are out of range"),
        ("braid direction=either | rounds=1 | direction=left", BRAID, "rounds or direction are out of range"),
        ("plot | rows=1", PLOT, "plot has no fact 'rows'"),
        # Cards, piles and options.
        ("plot", {**PLOT, "t0": "6H 6H 6H"}, "6H is too often"),
        ("klondike", {}, "no variant or game is called 'klondike'"),
        ("braid redeals=9 | rounds=2", BRAID, "redeals is one of 2, 3; not 9"),
        ("tarot draw=02", {}, "canonical spelling"),
        ("tarot draw=2", {}, "canonical spelling"),
        ("tarot fool=trump draw=3", {}, "canonical spelling"),
        ("braid | rounds=2 | rows=1", BRAID, "canonical spelling"),
    ],
)
def test_an_impossible_position_is_refused_with_a_reason(head: str, piles: dict[str, str], said: str) -> None:
    game = head.split(" ", maxsplit=1)[0]
    line = written(head, piles) if game in GAMES else head
    with pytest.raises(PositionError, match=re.escape(said)):
        from_position(line)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("t0 6H", "t0 6H | t0 6H", "pile t0 is there twice"),
        ("t0 6H", "t12 6H", "plot has no pile 't12'"),
        ("t0 6H", "t0 6X", "'6X' in pile t0 is not a card of this deck"),
        ("t0 6H", "t0 6H.", "'' in pile t0 is not a card of this deck"),
        ("t0 6H", "t0 **6H", "'**6H' in pile t0 is not a card of this deck"),
        ("t0 6H | ", "", "6H is missing"),
        ("t0 6H | w QC", "w QC | t0 6H", "canonical spelling"),
        ("t0 6H", "t0  6H", "' 6H' in pile t0 is not a card of this deck"),
    ],
)
def test_a_misspelt_line_is_refused_with_a_reason(before: str, after: str, said: str) -> None:
    line = written("plot", PLOT)
    assert before in line
    with pytest.raises(PositionError, match=re.escape(said)):
        from_position(line.replace(before, after))


def test_only_the_stock_is_written_from_its_next_card() -> None:
    table = open_table("plot", bytes(32))
    stock = next(field for field in table.position().split(" | ") if field.startswith("s "))
    assert stock.removeprefix("s ").split(".")[0] == table.DECK.names[table.stock[-1]]
    read = from_position(table.position())
    for either in (table, read):
        either.push("d")
    assert read.view()["piles"]["w"] == table.view()["piles"]["w"] == [stock.removeprefix("s ").split(".")[0]]
    table.push("d")
    waste = next(field for field in table.position().split(" | ") if field.startswith("w "))
    assert waste.removeprefix("w ").split(".")[-1] == table.view()["piles"]["w"][-1]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("d", "'d'"),
        ("x" * 20, repr("x" * 20)),
        ("x" * 21, repr("x" * 20)),
        ("é\n", r"'\xe9\n'"),
        (None, "None"),
        (True, "True"),
        (-1.5, "-1.5"),
        (10**18 - 1, "9" * 18),
        (1 - 10**18, "-" + "9" * 18),
        (10**18, "<int>"),
        (-(10**18), "<int>"),
        (["a", "list"], "<list>"),
        (b"bytes", "<bytes>"),
    ],
)
def test_a_value_is_quoted(value: object, shown: str) -> None:
    assert quoted(value) == shown
