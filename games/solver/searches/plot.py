"""Search of The Plot: best-first in tries."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

from games.rules import Table
from games.rules.variants.plot import Plot
from games.solver.errors import PositionNotReachableError
from games.solver.plot.position import PlotStart
from games.solver.plot.search import THRIFTY_WIDTH, WEIGHTS, PlotSearch
from games.solver.search_drivers import SCALE, THRIFTY, Search, Thrift, Tries


def make_search(table: Table, *, seed: int, memory: int) -> Search:
    """Create a search of The Plot in ``memory`` bytes; ``seed`` numbers its random stream."""
    return PlotSearch(_plot_start(table), seed=seed, limit=max(1000, memory // 400))


def thrifty_search(table: Table, thrift: Thrift, *, seed: int) -> Tries:
    """Create a search of The Plot for short lines; ``seed`` numbers its random stream."""
    weights = [SCALE * weight for weight in WEIGHTS]
    return PlotSearch(_plot_start(table), seed=seed, limit=THRIFTY, weights=weights, thrift=thrift, width=THRIFTY_WIDTH)


def _plot_start(table: Table) -> PlotStart:
    plot = cast("Plot", table)

    def step(card: int) -> int:
        return (card - plot.base) % 13

    piles = []
    for pile in plot.tableau:
        steps = [step(card) for card in pile]
        if any((upper + 1 - lower) % 13 for lower, upper in pairwise(steps)):
            raise PositionNotReachableError("a pile is not built down")
        piles.append((steps[-1], len(steps)) if steps else (-1, 0))
    if len(plot.waste) + len(plot.stock) > 78:
        raise PositionNotReachableError("stock and waste hold more cards than were dealt there")
    return PlotStart(
        piles=piles,
        heights=[len(pile) for pile in plot.foundations],
        reserve=[step(card) for card in plot.reserve],
        waste=[step(card) for card in plot.waste],
        stock=[step(card) for card in reversed(plot.stock)],
    )
