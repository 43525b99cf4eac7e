"""Random positions of a variant, as the page receives them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from games.rules import open_table

LONGEST = 400
#: Number of positions per game.
EACH = 8
#: How often cards are built on tableau piles if possible, so that piles grow long.
BUILDING = 0.6


def positions(variant: str, count: int) -> list[dict[str, Any]]:
    """Return `count` views, a few per game, always the same."""
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
