"""Deals and positions for the tests: reproducible, none of them published."""

from __future__ import annotations

from hashlib import sha256
from random import Random

from games.rules import CATALOGUE, Table, from_position, open_table

#: Node budgets by which most winnable deals of each variant are won.
NODES = dict.fromkeys(CATALOGUE, 150000)

#: Every game with every combination of its options that the catalogue does not have.
OTHER_OPTIONS = [
    ("braid", {"direction": "either", "redeals": 3}),
    *(
        ("tarot", {"first_row": first_row, "draw": draw, "fool": fool})
        for first_row in (True, False)
        for draw in (1, 2, 3)
        for fool in ("wild", "trump")
        if (first_row, draw, fool) not in {(True, 2, "wild"), (False, 1, "wild"), (True, 3, "trump")}
    ),
]


def seed_of(index: int) -> bytes:
    return sha256(b"talon solver test %d" % index).digest()


def deal(variant: str, index: int, options: dict[str, bool | int | str] | None = None) -> Table:
    return open_table(variant, seed_of(index), options)


def copy_of(table: Table) -> Table:
    return from_position(table.position())


def walk(table: Table, steps: int, chance: Random) -> Table:
    """The table after so many random moves that do not win, foundations two times in three where there is a choice."""
    for _ in range(steps):
        legal = table.legal_moves()
        if not legal:
            break
        up = [token for token in legal if token.endswith("-f")]
        table.push(chance.choice(up if up and chance.random() < 2 / 3 else legal))
        if table.is_won:
            table.pop()
            break
    return table
