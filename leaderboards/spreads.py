"""How the results of a deal are spread: the times and the moves of its wins, or the cards up of the other games.

They are counted from the histogram (`leaderboards.histogram`), so they cost a few hundred small rows however many
results there are. A copy serves everybody for some seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from games.deals.difficulty import goal_of
from games.ladders import Ladder
from games.models import Deal
from games.readings import SharedCache
from leaderboards import histogram
from leaderboards.keys import BoardName
from leaderboards.listings import Listing, deal_listing

Of = Literal["times", "moves", "cards"]

BARS: Final = 16
"""At most so many bars."""
_TAIL: Final = 0.96
"""The last bar takes in whatever lies beyond this share of the results, so that a few stragglers flatten nothing."""
_CARDS_LEVEL, _FINE_LEVEL = 0, 2
_BOARDS: Final[dict[Of, BoardName]] = {"times": "race", "moves": "fewest", "cards": "race"}


class Spread(NamedTuple):
    """How many results have which value: (the least of `unit` neighbouring values, results), in rising order.

    Values are milliseconds, moves or cards.
    """

    unit: int
    counts: list[tuple[int, int]]

    @property
    def total(self) -> int:
        """The number of results."""
        return sum(count for _, count in self.counts)

    def share_above(self, value: int, *, counted: bool) -> int:
        """The share of the other results above a value's unit, in whole per cent; `counted` when it is one of them."""
        above = sum(count for least, count in self.counts if least > value)
        others = self.total - counted
        return min(100, 100 * above // others) if others > 0 else 0

    def quantile(self, share: float) -> int:
        """The least value of the unit below whose end this share of the results lies."""
        wanted = share * self.total
        passed = 0
        for least, count in self.counts:
            passed += count
            if passed >= wanted:
                return least
        return 0


spreads: Final = SharedCache("spreads", Spread, fresh=5.0)


@dataclass(frozen=True, slots=True)
class Bars:
    """A spread in bars of equal width from `first` on, and which of them (`own`) holds a value of one's own.

    With `open_end` the last one has all that lies beyond.
    """

    first: int
    step: int
    heights: list[int]
    own: int
    open_end: bool

    @property
    def end(self) -> int:
        """Where the last bar ends, or would."""
        return self.first + self.step * len(self.heights)


def read(deal: Deal, ladder: Ladder, of: Of) -> Spread:
    """The spread of a deal's listed results on a ladder, as it was a moment ago."""
    listing = deal_listing(deal.pk, _BOARDS[of], ladder)
    key, goal = f"{of}.{deal.pk}.{listing.code}", goal_of(deal.variant)
    return spreads.get(key, lambda: (_cards if of == "cards" else _wins)(listing, goal))


def _cards(listing: Listing, goal: int) -> Spread:
    """Level 0 counts by the cards up, of which the keys have the complement; the wins are left out."""
    most = (1 << listing.layout.cards_bits) - 1
    rows = histogram.counted(listing, _CARDS_LEVEL, most - goal + 1, most + 1)
    return Spread(1, [(most - prefix, count) for prefix, count in reversed(rows)])


def _wins(listing: Listing, goal: int) -> Spread:
    """The finer level counts by cards up and the board's first figure, without its lowest bits."""
    layout = listing.layout
    figure, *lower = layout.fields
    dropped = layout.shifts[_FINE_LEVEL] - sum(field.bits for field in lower)
    kept = figure.bits - dropped
    won = (1 << layout.cards_bits) - 1 - goal << kept
    rows = histogram.counted(listing, _FINE_LEVEL, won, won + (1 << kept))
    return Spread(1 << dropped, [(prefix - won << dropped, count) for prefix, count in rows])


def in_bars(spread: Spread, own: int, bars: int = BARS) -> Bars:
    """The spread in at most so many bars, wide enough that the one with `own` is among them."""
    unit, own = spread.unit, own // spread.unit * spread.unit
    values = [least for least, _ in spread.counts] or [own]
    first, last = min(values[0], own), max(values[-1], own)
    tail = max(spread.quantile(_TAIL), first)
    step = unit * -(-(tail - first + unit) // (bars * unit))
    count = min(bars, (last - first) // step + 1)
    heights = [0] * count
    for least, results in spread.counts:
        heights[min((least - first) // step, count - 1)] += results
    return Bars(first, step, heights, min((own - first) // step, count - 1), last >= first + step * count)
