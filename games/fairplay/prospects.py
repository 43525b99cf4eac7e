"""What may become of a position for who knows all its cards: the yardstick by which choices are compared.

In Labyrinth it is whether the game can be won, which a search tells in a moment. In the other games a search takes too
long for the thousands of positions that one game asks about; there it is what the next few obvious moves bring.
"""

from __future__ import annotations

from typing import Final

from games.rules import Table
from games.rules.tokens import TO_PILE
from games.solver import Budget, Solution, solve
from games.solver.players import LEAST, wish

#: Games of which a search says whether they can be won, and how many positions it may look at.
SEARCHED: Final = {"labyrinth": 200}
_MEMORY: Final = 16

#: Elsewhere: so many obvious moves.
AHEAD: Final = 2

Option = tuple[int, int, int]
"""What tells moves apart to the eye: from where, how many cards, and onto which card or other place."""


def option(table: Table, token: str) -> Option:
    """What a token does, the same for tokens that differ only in which of two equal places a card goes to."""
    what, source, target, cards = table.VOCABULARY.read(token)
    if what != TO_PILE:
        return source, cards, -2 - what
    onto = table.piles[target]
    return source, cards, onto[-1] if onto else -1


def options(table: Table) -> dict[Option, str]:
    """The legal moves that differ, each with a token."""
    found: dict[Option, str] = {}
    for token in table.legal_moves():
        found.setdefault(option(table, token), token)
    return found


def prospects(table: Table, ahead: int = AHEAD) -> float:
    """How good the position is for who knows all its cards, in a measure of each game's own. May change the table."""
    if table.GAME not in SEARCHED:
        for _ in range(ahead):
            if not _obvious(table):
                break
        return table.cards_up - table.hidden.bit_count() / 2
    if table.is_won:
        return 1.0
    return float(isinstance(solve(table, Budget(nodes=SEARCHED[table.GAME], memory=_MEMORY)), Solution))


def _obvious(table: Table) -> bool:
    """Make the move that most players would, if there is one."""
    best, least = "", LEAST
    for token in table.legal_moves():
        wanted = wish(table, token)
        if wanted < least:
            best, least = token, wanted
        if not wanted:
            break
    if best:
        table.push(best)
    return bool(best)
