"""Search of Tarot Solitaire: best-first in tries."""

from __future__ import annotations

from typing import cast

from games.rules import Table
from games.rules.variants.tarot import Tarot
from games.solver.errors import PositionNotReachableError
from games.solver.search_drivers import SCALE, THRIFTY, Search, Thrift, Tries
from games.solver.tarot.position import TarotStart
from games.solver.tarot.search import WEIGHTS, TarotSearch


def make_search(table: Table, *, seed: int, memory: int) -> Search:
    """Create a search of Tarot Solitaire in ``memory`` bytes; ``seed`` numbers its random stream."""
    return TarotSearch(_tarot_start(table), seed=seed, limit=max(1000, memory // 400))


def thrifty_search(table: Table, thrift: Thrift, *, seed: int) -> Tries:
    """Create a search of Tarot Solitaire for short lines; ``seed`` numbers its random stream."""
    weights = [SCALE * weight for weight in WEIGHTS]
    return TarotSearch(_tarot_start(table), seed=seed, limit=THRIFTY, weights=weights, thrift=thrift)


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
