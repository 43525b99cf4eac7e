"""Depth-first search of Braid through all positions that no proof of a loss excludes, for the middle and end of games.

Games that went badly are mostly lost, and no play-out shows it. Besides the free plays (``position``), these
plays are made at once, because they do no harm either:

- From an outer cell, if the card's twin is neither on the braid nor in an inner cell: if the twin were to go up first,
  it could take the cell instead.
- From the braid or an inner cell, if the twin is on the braid or in an inner cell too: if the twin were to go up first,
  it could take the card's place, and no card would come later from the braid.
- From any cell, once the braid is empty: all cells are alike then.
"""

from __future__ import annotations

from typing import NamedTuple

from games.solver.braid.loss_proof import is_hopeless
from games.solver.braid.order_proof import is_out_of_order
from games.solver.braid.position import (
    BRAID,
    CELLS,
    FILL,
    FROM_BRAID,
    INNER,
    LEFT,
    ROW,
    UP,
    BraidContext,
    BraidStart,
    apply,
    fits,
    key_of,
    load,
    make_deal,
    settle,
    token,
)
from games.solver.braid.search import is_allowed, stage_of
from games.solver.braid.tangle_proof import is_tangled
from games.solver.jit import jit, longs, shorts
from games.solver.kernel_tools import MASK, Ints, add_key
from games.solver.search_drivers import Exhaustive
from games.solver.statuses import FULL, LOST, RUNNING, WON

DEPTH = 512
"""Upper bound on the moves of a game: each card is drawn four times, leaves waste or braid once and goes up once."""
LEVEL, SEEN, NODES = 0, 1, 2
LATE = 2
"""The most redeals left for this search to run beside the others."""
TURNS = (3_000, 1_000, 1_000)
"""Turns of annealing, of the staged search and of this one in a team."""


def is_whole_deal(start: BraidStart) -> bool:
    """Return whether nothing has been drawn or played; too much is open then for this search."""
    return not start.waste and sum(start.found) == 1


class BraidStack(NamedTuple):
    """A search in progress: for each level, the position, the key of the cards taken from the stock, and the next move
    to try; then the counters named above.
    """

    rows: Ints
    gone: Ints
    tried: Ints
    state: Ints


@jit
def explore(stack: BraidStack, deal: BraidContext, seen: Ints, room: int, nodes: int) -> int:
    """Continue the search for up to ``nodes`` positions and return a status from ``states``."""
    state, tried = stack.state, stack.tried
    stop = state[NODES] + nodes
    while state[NODES] < stop:
        if state[SEEN] >= room:
            return FULL
        level = state[LEVEL]
        move = tried[level]
        if move == FILL:
            if level == 0:
                return LOST
            state[LEVEL] = level - 1
            continue
        tried[level] += 1
        if not is_allowed(stack.rows, level * ROW, move, deal):
            continue
        state[NODES] += 1
        child = (level + 1) * ROW
        stack.rows[child : child + ROW] = stack.rows[child - ROW : child]
        stack.gone[level + 1] = (stack.gone[level] + make(stack.rows, child, move, deal)) & MASK
        if stack.rows[child + UP] == 104:
            state[LEVEL] = level + 1
            return WON
        if is_new(stack, deal, seen, level + 1) and not is_lost(stack.rows, child, deal):
            state[LEVEL] = level + 1
            tried[level + 1] = 0
    return RUNNING


@jit
def is_new(stack: BraidStack, deal: BraidContext, seen: Ints, level: int) -> bool:
    """Record the position of a level as seen, and return whether it is new."""
    base = level * ROW
    stage = stage_of(stack.rows, base, deal.rounds)
    new = add_key(seen, key_of(stack.rows, base, stack.gone[level], stage, deal.keys))
    stack.state[SEEN] += new
    return new == 1


@jit
def is_lost(row: Ints, base: int, deal: BraidContext) -> bool:
    """Return whether any proof of a loss succeeds. The quickest proof runs first."""
    return is_hopeless(row, base, deal) or is_tangled(row, base, deal) or is_out_of_order(row, base, deal)


@jit
def make(row: Ints, base: int, move: int, deal: BraidContext) -> int:
    """Make a move and all harmless plays after it, and log them.

    Return the change in the key of the cards taken from the stock.
    """
    deal.log[0] = 0
    change = apply(row, base, move, deal)
    return change + settle_more(row, base, deal)


@jit
def settle_more(row: Ints, base: int, deal: BraidContext) -> int:
    """Make all harmless plays and return the change in the key of the cards taken from the stock."""
    change = settle(row, base, deal)
    move = harmless_play(row, base, deal)
    while move >= 0:
        apply(row, base, move, deal)
        change += settle(row, base, deal)
        move = harmless_play(row, base, deal)
    return change


@jit
def harmless_play(row: Ints, base: int, deal: BraidContext) -> int:
    """Return a harmless play from a cell or the braid; -1 if there is none."""
    for cell in range(CELLS):
        kind = row[base + cell]
        if kind >= 0 and fits(row, base, kind) and is_harmless(row, base, kind, deal, int(cell < INNER)):
            return cell
    if row[base + BRAID] > 0:
        kind = deal.braid[row[base + BRAID] - 1]
        if fits(row, base, kind) and is_harmless(row, base, kind, deal, 1):
            return FROM_BRAID
    return -1


@jit
def is_harmless(row: Ints, base: int, kind: int, deal: BraidContext, inside: int) -> bool:
    """Return whether a card that fits can go up without harm.

    ``inside`` is 1 for a card of the braid or an inner cell, 0 for a card of an outer cell.
    """
    left = row[base + BRAID]
    if left == 0:
        return True
    copies = 0
    for cell in range(INNER):
        copies += int(row[base + cell] == kind)
    for place in range(left):
        copies += int(deal.braid[place] == kind)
    return copies == 2 * inside


class BraidDepth(Exhaustive):
    """Exhaustive search that decides a position, given time. ``limit`` bounds the positions remembered."""

    def __init__(self, start: BraidStart, *, limit: int) -> None:
        super().__init__(limit)
        self.start = start
        self.deal = make_deal(start, [0], LEFT)
        self.stack = BraidStack(rows=shorts(ROW * DEPTH), gone=longs(DEPTH), tried=longs(DEPTH), state=longs(3))
        self._load()
        if self.stack.rows[UP] == 104:
            self.status = WON
        elif is_lost(self.stack.rows, 0, self.deal):
            self.status = LOST

    def _load(self) -> list[int]:
        """Put the settled starting position at level 0 and return the moves that this took."""
        load(self.start, self.stack.rows, self.deal)
        settle_more(self.stack.rows, 0, self.deal)
        return self._logged()

    def _logged(self) -> list[int]:
        return [int(move) for move in list(self.deal.log[1 : self.deal.log[0] + 1])]

    @property
    def nodes(self) -> int:
        return int(self.stack.state[NODES])

    def explore(self, nodes: int) -> int:
        return explore(self.stack, self.deal, self.seen.table, self.seen.room, nodes)

    def tokens(self) -> list[str]:
        moves = self._load()
        for level in range(int(self.stack.state[LEVEL])):
            make(self.stack.rows, 0, int(self.stack.tried[level]) - 1, self.deal)
            moves += self._logged()
        return [token(move) for move in moves]
