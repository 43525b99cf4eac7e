"""The three bots, from weakest to strongest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Bot:
    """A program that races: its name, skill and pace. No player's name can have its brackets.

    ``slips`` is the share of moves (0 to 1) picked without looking. ``retreats`` is how often it takes moves back from
    a dead end. ``imagined`` is the number of tables on which it tries each move of a short game; with 1 it picks the
    most promising move without trying. ``pace`` multiplies the time of a practised player.
    """

    slug: str
    name: str
    slips: float
    retreats: int
    imagined: int
    pace: float


BOTS: Final = {
    bot.slug: bot
    for bot in (
        Bot("pip", "Pip (bot)", slips=0.6, retreats=0, imagined=1, pace=1.8),
        Bot("jack", "Jack (bot)", slips=0.25, retreats=1, imagined=1, pace=1.2),
        Bot("rex", "Rex (bot)", slips=0.1, retreats=3, imagined=2, pace=0.9),
    )
}
