"""Scoring of the day's nine games together.

Each game scores up to 100 points: the percentage of its cards that are up, rounded down. So all nine games have equal
weight, whether they have 52 cards or 104, only a won game scores 100, and winning all nine scores 900. More points rank
first, then less time (or fewer moves on the board of moves, which counts wins only). A game without points adds neither
time nor moves, so playing one more never costs a place. `leaderboards.boards.seasons` stores the totals.
"""

from __future__ import annotations

from typing import Final

from games.deals.difficulty import goal_of
from games.rules import CATALOGUE

#: Points for a won game, and for all games of a day together.
EACH: Final = 100
MOST: Final = EACH * len(CATALOGUE)


def points(variant: str, cards_up: int) -> int:
    """Return the points for a game of a catalogue variant with `cards_up` cards up."""
    return EACH * cards_up // goal_of(variant)
