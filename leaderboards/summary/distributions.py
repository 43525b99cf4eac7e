"""Distribution of a deal's results: times and moves of the wins, or cards up of the other games.

It is read from the histogram (`leaderboards.boards.histogram`), so it costs a few hundred small rows however many
results there are. A cached copy is shared for some seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from games.core.ladders import Ladder
from games.db.shared_cache import SharedCache
from games.deals.difficulty import goal_of
from games.models import Deal
from leaderboards.boards import histogram
from leaderboards.boards.listings import Listing, deal_listing
from leaderboards.boards.rank_keys import BoardName

Of = Literal["times", "moves", "cards"]

BARS: Final = 16
"""Maximum number of bars."""
_TAIL: Final = 0.96
"""Share of the results beyond which the last bar collects the rest, so that stragglers do not flatten the chart."""
_CARDS_LEVEL, _FINE_LEVEL = 0, 2
_BOARDS: Final[dict[Of, BoardName]] = {"times": "race", "moves": "fewest", "cards": "race"}


class Distribution(NamedTuple):
    """Distribution of values: (lowest of `unit` neighbouring values, number of results), ascending.

    Values are milliseconds, moves or cards.
    """

    unit: int
    counts: list[tuple[int, int]]

    @property
    def total(self) -> int:
        """Number of results."""
        return sum(count for _, count in self.counts)

    def share_above(self, value: int, *, counted: bool) -> int:
        """Return the share of the other results above a value's unit, in whole per cent; `counted` if it is one of
        them.
        """
        above = sum(count for least, count in self.counts if least > value)
        others = self.total - counted
        return min(100, 100 * above // others) if others > 0 else 0

    def quantile(self, share: float) -> int:
        """Return the lowest value of the unit that contains this quantile."""
        target = share * self.total
        passed = 0
        for least, count in self.counts:
            passed += count
            if passed >= target:
                return least
        return 0


spreads: Final = SharedCache("spreads", Distribution, fresh=5.0)


@dataclass(frozen=True, slots=True)
class Bars:
    """Spread in bars of equal width starting at `first`; `own` is the index of the bar with the player's own value.

    The last bar includes everything beyond it.
    """

    first: int
    step: int
    heights: list[int]
    own: int

    @property
    def end(self) -> int:
        """Nominal end of the last bar."""
        return self.first + self.step * len(self.heights)


def read(deal: Deal, ladder: Ladder, of: Of) -> Distribution:
    """Return the spread of a deal's listed results on a ladder, from a short-lived cache."""
    listing = deal_listing(deal.pk, _BOARDS[of], ladder)
    key, goal = f"{of}.{deal.pk}.{listing.code}", goal_of(deal.variant)
    return spreads.get(key, lambda: (_cards if of == "cards" else _wins)(listing, goal))


def _cards(listing: Listing, goal: int) -> Distribution:
    """Read cards up from level 0, whose prefixes are their complement; wins are left out."""
    highest = (1 << listing.layout.cards_bits) - 1
    rows = histogram.counted(listing, _CARDS_LEVEL, highest - goal + 1, highest + 1)
    return Distribution(1, [(highest - prefix, count) for prefix, count in reversed(rows)])


def _wins(listing: Listing, goal: int) -> Distribution:
    """Read the wins from a finer level, which counts by cards up and the high bits of the board's first figure."""
    layout = listing.layout
    figure, *lower = layout.fields
    dropped = layout.shifts[_FINE_LEVEL] - sum(field.bits for field in lower)
    kept_bits = figure.bits - dropped
    won = (1 << layout.cards_bits) - 1 - goal << kept_bits
    rows = histogram.counted(listing, _FINE_LEVEL, won, won + (1 << kept_bits))
    return Distribution(1 << dropped, [(prefix - won << dropped, count) for prefix, count in rows])


def in_bars(spread: Distribution, own: int, bars: int = BARS) -> Bars:
    """Group the spread into at most `bars` bars, wide enough to include `own`."""
    unit, own = spread.unit, own // spread.unit * spread.unit
    values = [least for least, _ in spread.counts] or [own]
    first, last = min(values[0], own), max(values[-1], own)
    tail = max(spread.quantile(_TAIL), first)
    step = unit * -(-(tail - first + unit) // (bars * unit))
    count = min(bars, (last - first) // step + 1)
    heights = [0] * count
    for least, results in spread.counts:
        heights[min((least - first) // step, count - 1)] += results
    return Bars(first, step, heights, min((own - first) // step, count - 1))
