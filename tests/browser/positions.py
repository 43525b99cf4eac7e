"""Random positions of a variant, as the page sees them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from games.rules import open_table

LONGEST = 400
#: Positions taken from each game.
EACH = 8
#: How often cards are built on piles where that can be done: piles grow long.
BUILDING = 0.6


def positions(variant: str, count: int) -> list[dict[str, Any]]:
    """`count` views, a few of each game; the same ones every time."""
    return list(islice(_drawn(variant), count))


def _drawn(variant: str) -> Iterator[dict[str, Any]]:
    number = 0
    while True:
        chance = random.Random(f"{variant} {number}")
        table = open_table(variant, chance.randbytes(32))
        moments = set(chance.sample(range(LONGEST), EACH))
        number += 1
        for moment in range(LONGEST):
            legal = [token for token in table.legal_moves() if token != "u"]
            if not legal:
                yield table.view()
                break
            builds = [token for token in legal if "-t" in token]
            table.push(chance.choice(builds if builds and chance.random() < BUILDING else legal))
            if moment in moments:
                yield table.view()
