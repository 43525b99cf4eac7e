"""Text rendering of a table: whole drawings, of positions small enough to be read beside them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from games.rules import Table, from_position, open_table
from games.rules.terminal import draw
from tests.rules.reference import unshuffled
from tests.rules.variants.positions import written


def lines(table: Table) -> list[str]:
    return [line.rstrip() for line in draw(table.view()).split("\n")]


def suit(letter: str, ranks: str) -> str:
    return " ".join(rank + letter for rank in ranks)


TAROT = {"t0": "*KP *2S M6 5S", "t1": "9W", "t3": "*M0 TC", "w": "2W 4P NC 6W", "f0": "AW", "f4": "M1 M2 M3"}
STONEWALL = {
    "t0": "*QS JC",
    "t1": "QC",
    "r9": "KS",
    "r15": "KC",
    "f0": suit("S", "A23456789TJ"),
    "f1": suit("H", "A23456789TJQ"),
    "f2": suit("D", "A23456789TJQK"),
    "f3": suit("C", "A23456789T"),
}
DRAWN: dict[str, tuple[str, dict[str, str], str]] = {
    "braid": (
        "braid | rounds=2",
        {"f0": "5S 6S", "f1": "5H", "r": "2H 8H", "t3": "4C", "t8": "TD", "w": "QC JD KH"},
        """
        foundations  f0 6♠   f1 5♥   f2 ··   f3 ··   f4 ··   f5 ··   f6 ··   f7 ··

         t0 ··       t1 ··       t2 ··       t3 4♣
         t4 ··       t5 ··       t6 ··       t7 ··
         t8 T♦       t9 ··      t10 ··      t11 ··
        reserve r    2♥ 8♥
        stock s      94 cards   waste w  K♥  (2 below)   redeals 2
        cards up 3/104   tokens 0   base 5   direction up
        """,
    ),
    "a braid used up": (
        "braid | rounds=0",
        {"f0": "5S", "w": "QC"},
        """
        foundations  f0 5♠   f1 ··   f2 ··   f3 ··   f4 ··   f5 ··   f6 ··   f7 ··

         t0 ··       t1 ··       t2 ··       t3 ··
         t4 ··       t5 ··       t6 ··       t7 ··
         t8 ··       t9 ··      t10 ··      t11 ··
        reserve r    ··
        stock s      102 cards   waste w  Q♣
        cards up 1/104   tokens 0   base 5   direction up
        """,
    ),
    "tarot": (
        "tarot",
        TAROT,
        """
        foundations  f0 AW   f1 ··   f2 ··   f3 ··   f4 M3

        t0   t1   t2   t3   t4   t5   t6   t7   t8
        ▒▒   9W   ··   ▒▒   ··   ··   ··   ··   ··
        ▒▒             TC
        M6
        5S
        stock s      63 cards   waste w  NC 6W  (2 below)
        cards up 4/77   tokens 0
        """,
    ),
    "plot": (
        "plot",
        {"f0": "5D 6S", "t2": "9H 8D", "t4": "5C 4S 3S", "r": "TH AD 8H", "w": "AS 5C"},
        """
        foundations  f0 6♠   f1 ··   f2 ··   f3 ··   f4 ··   f5 ··   f6 ··   f7 ··

         t0 ··       t1 ··       t2 8♦ ×2    t3 ··
         t4 3♠ ×3    t5 ··       t6 ··       t7 ··
         t8 ··       t9 ··      t10 ··      t11 ··
        reserve r    8♥  (2 below)
        stock s      92 cards   waste w  5♣  (1 below)
        cards up 2/104   tokens 0   base 5   phase 1
        """,
    ),
    "stonewall": (
        "stonewall",
        STONEWALL,
        """
        foundations  f0 J♠   f1 Q♥   f2 K♦   f3 T♣

        t0   t1   t2   t3   t4   t5
        ▒▒   Q♣   ··   ··   ··   K♥
        J♣
         r0 ··    r1 ··    r2 ··    r3 ··    r4 ··    r5 ··    r6 ··    r7 ··
         r8 ··    r9 K♠   r10 ··   r11 ··   r12 ··   r13 ··   r14 ··   r15 K♣
        cards up 46/52   tokens 0
        """,
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_table_is_drawn(name: str) -> None:
    head, piles, text = DRAWN[name]
    assert lines(from_position(written(head, piles))) == dedent(text).strip("\n").split("\n")


def test_labyrinth_is_drawn_down_to_its_last_dealt_row() -> None:
    dealt = "t0 9S | t1 7H | t2 TD | t3 4C | t4 5S | t5 JH | t6 8D | t7 KC | t9 3H | t15 QC"
    stock = ".".join(card for card in unshuffled("labyrinth") if card != "2D" and card not in dealt)
    table = from_position(f"labyrinth | rows=2 | {dealt} | s {stock} | f0 AS | f1 AH | f2 AD.2D | f3 AC")
    text = """
        foundations  f0 A♠   f1 A♥   f2 2♦   f3 A♣

         t0 9♠       t1 7♥       t2 T♦       t3 4♣       t4 5♠       t5 J♥       t6 8♦       t7 K♣
         t8 ··       t9 3♥      t10 ··      t11 ··      t12 ··      t13 ··      t14 ··      t15 Q♣
        stock s      37 cards
        cards up 5/52   tokens 0   free t0 t1 t2 t3 t4 t5 t6 t7 t9 t15
        """
    assert lines(table) == dedent(text).strip("\n").split("\n")


def test_a_row_of_empty_piles_is_drawn() -> None:
    piles = {f"f{number}": suit(letter, "A23456789TPNQK") for number, letter in enumerate("WCSP")}
    assert lines(from_position(written("tarot", piles)))[2:4] == [
        "t0   t1   t2   t3   t4   t5   t6   t7   t8",
        "··   " * 8 + "··",
    ]


def test_an_unchosen_direction_is_shown_as_open() -> None:
    assert lines(open_table("braid-either", bytes(32)))[-1].endswith("   direction open")
