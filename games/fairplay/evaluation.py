"""Evaluation function: the prospects of a position with all cards known, used to compare choices.

In Labyrinth it is whether the game can be won, which a search finds in a moment. In other games a search takes too long
for the thousands of positions that one game needs; there it is the gain of the next few obvious moves.
"""

from __future__ import annotations

from typing import Final

from games.rules import Table
from games.rules.tokens import TO_PILE
from games.solver import Budget, Solution, solve
from games.solver.simulated_players import LEAST, wish

#: Games evaluated by a search, with the maximum positions it visits.
SEARCHED: Final = {"labyrinth": 200}
_MEMORY: Final = 16

#: Number of obvious moves to look ahead in all other games.
AHEAD: Final = 2

Option = tuple[int, int, int]
"""Distinguishes moves as a player sees them: source, number of cards, and the target card or other target."""


def option(table: Table, token: str) -> Option:
    """Return the option of a token. Tokens that differ only in the choice between two equal places have the same
    option.
    """
    what, source, target, cards = table.VOCABULARY.read(token)
    if what != TO_PILE:
        return source, cards, -2 - what
    onto = table.piles[target]
    return source, cards, onto[-1] if onto else -1


def options(table: Table) -> dict[Option, str]:
    """Return the distinct options among the legal moves, each with a token."""
    tokens: dict[Option, str] = {}
    for token in table.legal_moves():
        tokens.setdefault(option(table, token), token)
    return tokens


def prospects(table: Table, ahead: int = AHEAD) -> float:
    """Evaluate the position with all cards known, on a scale specific to the game. May change the table."""
    if table.GAME not in SEARCHED:
        for _ in range(ahead):
            if not _obvious(table):
                break
        return table.cards_up - table.hidden.bit_count() / 2
    if table.is_won:
        return 1.0
    return float(isinstance(solve(table, Budget(nodes=SEARCHED[table.GAME], memory=_MEMORY)), Solution))


def _obvious(table: Table) -> bool:
    """Make the move that most players would make; return False if there is none."""
    best, lowest = "", LEAST
    for token in table.legal_moves():
        rank = wish(table, token)
        if rank < lowest:
            best, lowest = token, rank
        if not rank:
            break
    if best:
        table.push(best)
    return bool(best)
