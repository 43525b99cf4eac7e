"""Two players without foresight: how often they win is part of how hard a deal is.

They see what legal moves there are and no more than a person would; chance comes from the caller.
"""

from __future__ import annotations

from random import Random
from typing import Final

from games.rules import Table

MOST_TOKENS: Final = 600
"""Where a game without end is given up; won games of these players are well shorter."""


def random_game(table: Table, chance: Random) -> bool:
    """Play any legal move until the game is won, stuck or too long; whether it is won. Changes the table."""
    for _ in range(MOST_TOKENS):
        legal = table.legal_moves()
        if not legal:
            break
        table.push(chance.choice(legal))
    return table.is_won


def greedy_game(table: Table, chance: Random) -> bool:
    """Play what looks best at once, never back to a position seen before; whether it is won. Changes the table.

    Foundations come first, then what turns a card up, then what brings a waste or reserve card into play, then whole
    piles, then the stock, and last what only shifts cards from one face-up card to another.
    """
    seen = {_piles(table)}
    for _ in range(MOST_TOKENS):
        legal = table.legal_moves()
        chance.shuffle(legal)
        legal.sort(key=lambda token: _wish(table, token))
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


def _wish(table: Table, token: str) -> int:
    """The place of a move among a greedy player's wishes; the least is wished for most."""
    source, dash, target = token.partition("-")
    if not dash:
        return {"d": 4, "n": 5}.get(token, 0)
    if target == "f":
        return 0
    if not source.startswith("t"):
        return 2
    pile = table.pile(source)
    below = len(pile) - int(target.partition("x")[2] or 1) - 1
    if below < 0:
        return 3
    return 1 if table.hidden >> pile[below] & 1 else 6


def _piles(table: Table) -> tuple[object, ...]:
    return (*map(tuple, table.piles), table.rounds_left, *map(len, table.foundations), *table.unseen_facts().values())
