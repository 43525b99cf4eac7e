"""Two players who do not plan ahead. How often they win is part of how hard a deal is (docs/difficulty.md, "What is
measured").

They choose among the legal moves by what a player can see; the caller supplies the random numbers.
"""

from __future__ import annotations

from random import Random
from typing import Final

from games.rules import Table
from games.rules.tokens import DRAW, ROUND, TO_FOUNDATION, TO_PILE

MOST_TOKENS: Final = 600
"""Where a game that does not end is given up. The games these players win are much shorter."""

LEAST: Final = 6
"""The wish for a move that turns nothing up and frees no pile."""


def random_game(table: Table, chance: Random) -> bool:
    """Play random legal moves until the game is won, stuck or too long. Changes the table; returns whether it won."""
    for _ in range(MOST_TOKENS):
        legal = table.legal_moves()
        if not legal:
            break
        table.push(chance.choice(legal))
    return table.is_won


def greedy_game(table: Table, chance: Random) -> bool:
    """Play the most promising move each time, never back to a position seen before. Changes the table; returns whether
    it is won.

    Foundations come first, then moves that turn a card up, then waste and reserve cards, then whole piles, then the
    stock, and last moves between face-up cards.
    """
    seen = {_piles(table)}
    for _ in range(MOST_TOKENS):
        legal = table.legal_moves()
        chance.shuffle(legal)
        legal.sort(key=lambda token: wish(table, token))
        for token in legal:
            table.push(token)
            piles = _piles(table)
            if piles not in seen:
                seen.add(piles)
                break
            table.pop()
        else:
            break
    return table.is_won


def wish(table: Table, token: str) -> int:
    """How promising a move looks; the smallest number comes first: foundations, then what turns a card up, waste and
    reserve, whole piles, the stock, and last (`LEAST`) what only moves cards about.
    """
    what, source, _, cards = table.VOCABULARY.read(token)
    if what != TO_PILE:
        return {TO_FOUNDATION: 0, DRAW: 4, ROUND: 5}.get(what, 0)
    if source >= table.TABLEAU:
        return 2
    pile = table.piles[source]
    if len(pile) == cards:
        return 3
    return 1 if table.hidden >> pile[-cards - 1] & 1 else LEAST


def _piles(table: Table) -> tuple[object, ...]:
    return (*map(tuple, table.piles), table.rounds_left, *map(len, table.foundations), *table.unseen_facts().values())
