"""Search of Braid: annealing and best-first in turns, and depth-first near the end."""

from __future__ import annotations

from typing import cast

from games.rules import Table
from games.rules.variants.braid import Braid
from games.solver.braid.anneal import BraidAnnealing
from games.solver.braid.depth_first import LATE, BraidDepth, is_whole_deal
from games.solver.braid.depth_first import TURNS as LATE_TURNS
from games.solver.braid.position import BraidStart
from games.solver.braid.search import TURNS, WEIGHTS, BraidSearch
from games.solver.search_drivers import SCALE, THRIFTY, EitherWay, Search, Thrift, Tries, slots_in
from games.solver.team import Team


def make_search(table: Table, *, seed: int, memory: int) -> Search:
    """Create a search of Braid in ``memory`` bytes; ``seed`` numbers its random stream."""
    braid = cast("Braid", table)
    limit = max(1000, memory // 400)

    def way(direction: str) -> Team:
        start = _braid_start(braid, direction)
        members = [BraidAnnealing(start, seed=seed), BraidSearch(start, seed=seed, limit=limit)]
        if start.rounds > LATE or is_whole_deal(start):
            return Team(members, TURNS)
        return Team([*members, BraidDepth(start, limit=slots_in(memory // 2))], LATE_TURNS)

    if braid.direction is None:
        return EitherWay({"up": way("up"), "down": way("down")})
    return way(braid.direction)


def thrifty_search(table: Table, thrift: Thrift, *, seed: int) -> Tries | None:
    """Create a search of Braid for short lines; ``seed`` numbers its random stream.

    Return None before the direction is chosen.
    """
    braid = cast("Braid", table)
    if not braid.direction:
        return None
    weights = [SCALE * weight for weight in WEIGHTS]
    return BraidSearch(_braid_start(braid, braid.direction), seed=seed, limit=THRIFTY, weights=weights, thrift=thrift)


def exhaustive_search(table: Table, *, memory: int) -> Search | None:
    """Create the depth-first search alone, with ``memory`` bytes; None while many redeals are left, and before the
    direction is chosen.
    """
    braid = cast("Braid", table)
    if not braid.direction or (braid.rounds_left or 0) > LATE:
        return None
    return BraidDepth(_braid_start(braid, braid.direction), limit=slots_in(memory))


def _braid_start(braid: Braid, direction: str | None) -> BraidStart:
    step = -1 if direction == "down" else 1

    def kind(card: int) -> int:
        return card // 13 * 13 + (card % 13 - braid.base) * step % 13

    foundations = [0] * 8
    for suit in range(4):
        heights = sorted((len(pile) for pile in braid.foundations if pile and pile[0] // 13 == suit), reverse=True)
        foundations[2 * suit : 2 * suit + len(heights)] = heights
    return BraidStart(
        cells=[kind(pile[0]) if pile else -1 for pile in braid.tableau],
        found=foundations,
        braid=[kind(card) for card in braid.reserve],
        waste=[kind(card) for card in braid.waste],
        stock=[kind(card) for card in reversed(braid.stock)],
        rounds=braid.rounds_left or 0,
    )
