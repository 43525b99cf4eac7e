"""The points of the nine: what a day's games bring together.

Each game brings up to a hundred points: the share of its cards that are up, in whole per cent. So the nine games weigh
the same whether they have 52 cards or 104, only a game that is won brings all hundred, and nine hundred are the nine.
More points come first, then less time, or fewer moves on the board of moves. A game that brings no point adds neither
time nor moves: to play one more never costs a place. The sums are kept by `leaderboards.seasons`.
"""

from __future__ import annotations

from typing import Final

from games.deals.difficulty import goal_of
from games.rules import CATALOGUE

#: What a game brings that is won, and all of a day's together.
EACH: Final = 100
MOST: Final = EACH * len(CATALOGUE)


def points(variant: str, cards_up: int) -> int:
    """What a game of a catalogue variant brings with so many cards up."""
    return EACH * cards_up // goal_of(variant)
