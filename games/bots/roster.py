"""The three bots, from weakest to strongest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Bot:
    """A program that races: its name, skill and pace. No player's name can have its brackets.

    ``slips`` is the share of moves (0 to 1) picked without looking. ``retreats`` is how often it takes moves back from
    a dead end. ``looks_ahead`` is whether it searches for its moves (`games.bots.lookahead`) instead of picking the
    most promising one. ``pace`` multiplies the time of a practised player.
    """

    slug: str
    name: str
    slips: float
    retreats: int
    looks_ahead: bool
    pace: float


BOTS: Final = {
    bot.slug: bot
    for bot in (
        Bot("pip", "Pip (bot)", slips=0.6, retreats=0, looks_ahead=False, pace=1.8),
        Bot("jack", "Jack (bot)", slips=0.25, retreats=1, looks_ahead=False, pace=1.2),
        Bot("rex", "Rex (bot)", slips=0.0, retreats=1, looks_ahead=True, pace=0.9),
    )
}
