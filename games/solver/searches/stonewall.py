"""Search of Stonewall: the proof of a loss, best-first and depth-first in turns."""

from __future__ import annotations

from games.rules import Table
from games.solver.search_drivers import InTurns, Search, slots_in
from games.solver.stonewall.best_first import MOST_SEEN, StonewallTries
from games.solver.stonewall.loss_proof import StonewallLoss
from games.solver.stonewall.move_stack import StonewallStart, position_of
from games.solver.stonewall.outline import make_outline
from games.solver.stonewall.search import StonewallSearch

TURN, SHARES = 1024, (32, 1, 2)
"""First turn and shares of Stonewall's searches: the proof of a loss, which the first turn settles for nearly every
deal; best-first; and depth-first, which takes half as long per position but wins by long lines.
"""


def make_search(table: Table, *, seed: int, memory: int) -> Search:
    """Create a search of Stonewall in ``memory`` bytes; ``seed`` numbers its random stream."""
    start = stonewall_start(table)
    pos = position_of(start)
    outline = make_outline(pos)
    loss = StonewallLoss(pos, outline)
    best = StonewallTries(start, outline=outline, seed=seed, limit=max(1000, min(MOST_SEEN, memory // 2 // 400)))
    depth_first = StonewallSearch(start, outline=outline, limit=slots_in(memory // 2))
    return InTurns([loss, best, depth_first], SHARES, first=TURN)


def stonewall_start(table: Table) -> StonewallStart:
    """Pack a Stonewall position."""
    return StonewallStart(
        piles=[[(card, bool(table.hidden >> card & 1)) for card in pile] for pile in table.tableau],
        reserve={cell: pile[0] for cell, pile in enumerate(table.piles[6:]) if pile},
        found=[len(pile) for pile in table.foundations],
    )
