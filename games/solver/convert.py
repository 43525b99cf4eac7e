"""Conversion of a table of the rules into the packed start of a search."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

from games.rules import Table
from games.rules.variants.braid import Braid
from games.rules.variants.labyrinth import Labyrinth
from games.rules.variants.plot import Plot
from games.rules.variants.tarot import Tarot
from games.solver.braid import search as braids
from games.solver.braid.anneal import BraidAnnealing
from games.solver.braid.depth_first import LATE, BraidDepth, is_whole_deal
from games.solver.braid.depth_first import TURNS as LATE_TURNS
from games.solver.braid.position import BraidStart
from games.solver.errors import PositionNotReachableError
from games.solver.labyrinth import search as labyrinth
from games.solver.plot import search as plots
from games.solver.plot.position import PlotStart
from games.solver.search_drivers import EitherWay, InTurns, Search, Thrift, Tries
from games.solver.stonewall import search as stonewall
from games.solver.stonewall.best_first import MOST_SEEN, StonewallTries
from games.solver.stonewall.loss_proof import StonewallLoss
from games.solver.stonewall.move_stack import StonewallStart, position_of
from games.solver.stonewall.outline import make_outline
from games.solver.tarot import search as tarots
from games.solver.tarot.position import TarotStart
from games.solver.team import Team

MEGABYTE = 1 << 20
SCALE = 4
"""Factor by which the scores of a thrifty search are finer than others; its prices are in these points."""
THRIFTY = 1 << 17
"""The most positions that a try of a thrifty search keeps."""

TURN, SHARES = 1024, (32, 1, 2)
"""First turn and shares of Stonewall's searches: the proof of a loss, which the first turn settles for nearly every
deal; best-first; and depth-first, which takes half as long per position but wins by long lines.
"""


def make_search(table: Table, *, seed: int, memory: int) -> Search:
    """Create a search from the table's position that uses about ``memory`` MiB; ``seed`` numbers its random stream.

    :raises PositionNotReachableError: for a position that no game can reach.
    """
    return {
        "braid": _braid, "labyrinth": _labyrinth, "plot": _plot, "stonewall": _stonewall, "tarot": _tarot,
    }[table.GAME](table, seed, memory * MEGABYTE)  # fmt: skip


def _slots(memory: int) -> int:
    """Return the most slots that a growing set of keys may have in ``memory`` bytes.

    It is a power of two: 8 bytes per slot, and while the set grows, as much again for half of them.
    """
    return 1 << max(12, (memory // 12).bit_length() - 1)


def thrifty_search(table: Table, thrift: Thrift, *, seed: int) -> Tries | None:
    """Create a search that prefers short lines; ``seed`` numbers its random stream.

    Return None for games without such a search, and before Braid's direction is chosen.

    :raises PositionNotReachableError: for a position that no game can reach.
    """
    if table.GAME == "braid" and cast("Braid", table).direction:
        weights = [SCALE * weight for weight in braids.WEIGHTS]
        start = _braid_start(cast("Braid", table), cast("Braid", table).direction)
        return braids.BraidSearch(start, seed=seed, limit=THRIFTY, weights=weights, thrift=thrift)
    if table.GAME == "plot":
        weights = [SCALE * weight for weight in plots.WEIGHTS]
        return plots.PlotSearch(
            _plot_start(table), seed=seed, limit=THRIFTY, weights=weights, thrift=thrift, width=plots.THRIFTY_WIDTH
        )
    if table.GAME == "tarot":
        weights = [SCALE * weight for weight in tarots.WEIGHTS]
        return tarots.TarotSearch(_tarot_start(table), seed=seed, limit=THRIFTY, weights=weights, thrift=thrift)
    return None


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


def _braid(table: Table, seed: int, memory: int) -> Search:
    braid = cast("Braid", table)
    limit = max(1000, memory // 400)

    def way(direction: str) -> Team:
        start = _braid_start(braid, direction)
        members = [BraidAnnealing(start, seed=seed), braids.BraidSearch(start, seed=seed, limit=limit)]
        if start.rounds > LATE or is_whole_deal(start):
            return Team(members, braids.TURNS)
        return Team([*members, BraidDepth(start, limit=_slots(memory // 2))], LATE_TURNS)

    if braid.direction is None:
        return EitherWay({"up": way("up"), "down": way("down")})
    return way(braid.direction)


def labyrinth_start(table: Table) -> labyrinth.LabyrinthStart:
    """Pack a Labyrinth position.

    :raises PositionNotReachableError: when the stock holds more cards than the rows left to deal.
    """
    position = cast("Labyrinth", table)
    if position.rows + (len(position.stock) + 7) // 8 > 6:
        raise PositionNotReachableError("the stock holds more cards than the rows to come")
    return labyrinth.LabyrinthStart(
        cells=[pile[0] if pile else -1 for pile in position.tableau],
        found=[len(pile) for pile in position.foundations],
        rows=position.rows,
        stock=position.stock[::-1],
    )


def _labyrinth(table: Table, _seed: int, memory: int) -> Search:
    return labyrinth.LabyrinthSearch(labyrinth_start(table), limit=_slots(memory))


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


def _plot(table: Table, seed: int, memory: int) -> Search:
    return plots.PlotSearch(_plot_start(table), seed=seed, limit=max(1000, memory // 400))


def stonewall_start(table: Table) -> StonewallStart:
    """Pack a Stonewall position."""
    return StonewallStart(
        piles=[[(card, bool(table.hidden >> card & 1)) for card in pile] for pile in table.tableau],
        reserve={cell: pile[0] for cell, pile in enumerate(table.piles[6:]) if pile},
        found=[len(pile) for pile in table.foundations],
    )


def _stonewall(table: Table, seed: int, memory: int) -> Search:
    start = stonewall_start(table)
    pos = position_of(start)
    outline = make_outline(pos)
    loss = StonewallLoss(pos, outline)
    best = StonewallTries(start, outline=outline, seed=seed, limit=max(1000, min(MOST_SEEN, memory // 2 // 400)))
    depth_first = stonewall.StonewallSearch(start, outline=outline, limit=_slots(memory // 2))
    return InTurns([loss, best, depth_first], SHARES, first=TURN)


def _tarot_start(table: Table) -> TarotStart:
    tarot = cast("Tarot", table)
    wild = tarot.options["fool"] == "wild"
    if len(tarot.waste) + len(tarot.stock) > 33:
        raise PositionNotReachableError("stock and waste hold more cards than were dealt there")
    wanted = []
    for suit, pile in enumerate(tarot.foundations):
        first = 14 * suit if suit < 4 else 57 if wild else 56
        full = len(pile) == (14 if suit < 4 else 78 - first)
        wanted.append(-1 if full else first + len(pile))
    return TarotStart(
        piles=[[(card, bool(tarot.hidden >> card & 1)) for card in pile] for pile in tarot.tableau],
        wanted=wanted,
        waste=list(tarot.waste),
        stock=tarot.stock[::-1],
        draw=int(tarot.options["draw"]),
        wild=wild,
    )


def _tarot(table: Table, seed: int, memory: int) -> Search:
    return tarots.TarotSearch(_tarot_start(table), seed=seed, limit=max(1000, memory // 400))
