"""Reproducible deals and positions for the tests, none of them published."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from itertools import count
from random import Random

from games.rules import Table, from_position, open_table
from games.solver import Budget, Result, Solution, solve

#: A variant for each search: the other variants of a game differ only in the options that it is given.
SEARCHED = ("braid", "braid-either", "labyrinth", "plot", "stonewall", "tarot")
#: Node budget that wins most winnable deals of each variant.
NODES = 150_000

#: Every combination of a game's options that is not in the catalogue.
OTHER_OPTIONS: list[tuple[str, dict[str, bool | int | str]]] = [
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


@cache
def solved(variant: str, index: int) -> Result:
    """Return the solver's result for a deal, found once for all tests of a process."""
    return solve(deal(variant, index), Budget(nodes=NODES))


def line_of(variant: str, index: int) -> tuple[str, ...]:
    """Return the tokens with which the solver wins a deal; none if it does not."""
    result = solved(variant, index)
    return result.tokens if isinstance(result, Solution) else ()


def first_win(variant: str) -> tuple[int, tuple[str, ...]]:
    """Return the number of a variant's first deal that the solver wins, and the line."""
    index = next(index for index in count() if isinstance(solved(variant, index), Solution))
    return index, line_of(variant, index)


def copy_of(table: Table) -> Table:
    return from_position(table.position())


def tarot_endgame(variant: str, left: int, chance: Random) -> Table:
    """Return a position of Tarot with ``left`` cards still to go up, placed at random in piles, waste and stock.

    Random walks hardly ever reach positions of Tarot that are small enough for brute force.
    """
    empty = open_table(variant, bytes(32))
    wild = empty.options["fool"] == "wild"
    suits = [[rank + suit for rank in "A23456789TPNQK"] for suit in "WCSP"]
    suits.append([f"M{number}" for number in range(wild, 22)])
    remaining = ["M0"] if wild else []
    # Use only a few suits, so that some cards have nowhere to go and the position may be lost.
    low = chance.sample(suits, chance.randrange(1, 4))
    remaining += [chance.choice([suit for suit in low if suit]).pop() for _ in range(left)]
    chance.shuffle(remaining)
    piles: dict[str, list[str]] = {name: [] for name in (*(f"t{index}" for index in range(9)), "w", "s")}
    for card in remaining:
        piles[chance.choice(["t0", "t1", "w", "s"])].append(card)
    for index in range(2):
        pile = piles[f"t{index}"]
        hidden = chance.randrange(len(pile)) if pile else 0
        pile[:hidden] = [f"*{card}" for card in pile[:hidden]]
    return position_of(empty.position().partition(" | ")[0], piles, suits)


def braid_endgame(chance: Random, places: str = "rws") -> Table:
    """Return a position of Braid with few cards left, in any round and direction.

    The cards lie at random in the cells, which are mostly full, and in some of ``places``: braid, waste and stock.
    """
    base, down = chance.randrange(13), chance.random() < 0.5
    ranks = ["A23456789TJQK"[(base - step if down else base + step) % 13] for step in range(13)]
    founded = [[rank + suit for rank in ranks] for suit in "SHDC" for _ in range(2)]
    suits = chance.sample(range(4), chance.randrange(1, 4))
    low = [pile for suit in suits for pile in founded[2 * suit : 2 * suit + 2]]
    remaining = [chance.choice([pile for pile in low if len(pile) > 1]).pop() for _ in range(chance.randrange(13, 24))]
    chance.shuffle(remaining)
    piles: dict[str, list[str]] = {name: [] for name in (*(f"t{cell}" for cell in range(12)), "r", "w", "s")}
    for cell in chance.sample(range(12), 12 - chance.choice((0, 0, 1))):
        piles[f"t{cell}"].append(remaining.pop())
    some = chance.sample(places, chance.randrange(1, len(places) + 1))
    for card in remaining:
        piles[chance.choice(some)].append(card)
    head = f"braid direction=either redeals=3 | rounds={chance.randrange(4)} | direction={'down' if down else 'up'}"
    return position_of(head, piles, founded)


def stonewall_endgame(left: int, chance: Random) -> Table:
    """Return a position of Stonewall with ``left`` cards still to go up, placed at random in piles and reserve."""
    suits = [[rank + suit for rank in "A23456789TJQK"] for suit in "SHDC"]
    low = chance.sample(suits, chance.randrange(2, 5))
    remaining = [chance.choice([suit for suit in low if suit]).pop() for _ in range(left)]
    chance.shuffle(remaining)
    names = [*(f"t{pile}" for pile in range(6)), *(f"r{cell}" for cell in range(16))]
    piles: dict[str, list[str]] = {name: [] for name in names}
    for index, card in enumerate(remaining[:6]):
        piles[f"t{index}"].append(card)
    for cell, card in enumerate(remaining[6:]):
        piles[f"r{cell}" if chance.random() < 0.15 and cell < 16 else f"t{chance.randrange(6)}"].append(card)
    for pile in piles.values():
        pile[:-1] = [f"*{card}" if chance.random() < 0.4 else card for card in pile[:-1]]
    return position_of("stonewall", piles, suits)


def position_of(head: str, piles: dict[str, list[str]], foundations: list[list[str]]) -> Table:
    """Return the position with these piles and foundations; ``head`` names the game and its options."""
    fields = {**piles, **{f"f{slot}": pile for slot, pile in enumerate(foundations)}}
    return from_position(" | ".join([head, *(f"{name} {'.'.join(cards)}" for name, cards in fields.items() if cards)]))


def walk(table: Table, steps: int, chance: Random) -> Table:
    """Return the table after ``steps`` random moves that do not win.

    Two times in three, a foundation move is preferred if there is one.
    """
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
