"""Time that a bot takes for a move, and for giving up.

A gap between two moves is a reaction and an action of the hand. The mean reaction grows with the number of choices by
Hick's law and with the cards that the last move revealed; it has a normal part and an exponential tail (Luce,
"Response Times", 1986). Now and then the bot looks at the whole table.
"""

from __future__ import annotations

import math
from random import Random
from typing import Final

#: Median time of dragging or tapping a card in ms, and the sigma of its logarithm.
ACTION_MS: Final = 480.0
ACTION_SPREAD: Final = 0.28
#: Reaction without a choice, for each bit of choice (Teichner and Krebs 1974) and for each revealed card (Wolfe 1998).
SIMPLE_MS: Final = 250.0
BIT_MS: Final = 110.0
CARD_MS: Final = 55.0
REVEALED_AT_MOST: Final = 8
#: Probability of a look at the whole table, and its median time in ms with the sigma of its logarithm.
LOOK: Final = 0.12
LOOK_MS: Final = 2_500.0
LOOK_SPREAD: Final = 0.6
#: Time for which a bot without a move looks for one before giving up, in ms.
GIVING_UP_MS: Final = 6_000


def gap_ms(choices: int, revealed: int, pace: float, chance: Random) -> int:
    """Return the ms before a move, given the number of legal moves and the cards that the last move revealed.

    `pace` multiplies the time; 1 is a practised player.
    """
    mean = SIMPLE_MS + BIT_MS * math.log2(max(1, choices)) + CARD_MS * min(revealed, REVEALED_AT_MOST)
    gap = chance.lognormvariate(math.log(ACTION_MS), ACTION_SPREAD)
    gap += max(120.0, chance.gauss(0.75 * mean, 0.12 * mean)) + chance.expovariate(1 / (0.25 * mean))
    if chance.random() < LOOK:
        gap += chance.lognormvariate(math.log(LOOK_MS), LOOK_SPREAD)
    return round(gap * pace)
