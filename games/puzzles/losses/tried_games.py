"""Simulated games from a lost position. They explain a loss for which the exhaustive search does not end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Final

from games.rules import from_position
from games.solver.simulated_players import Skill, skilled_game

GAMES: Final = 40
LACKS: Final = 4
#: Players of different skills, so that the games differ. Longer games with retreats get no further in the same time.
_SKILLS: Final = (Skill(slips=0.1), Skill(slips=0.3), Skill(slips=0.6))


@dataclass(frozen=True, slots=True)
class Tried:
    """Best result of several simulated games from a lost position.

    `games` is the number of games, and `best_up` the number of cards up in the best one. `lacks` names cards that its
    foundations still needed, the most common ones first.
    """

    best_up: int
    games: int
    lacks: tuple[str, ...]


def try_games(position: str) -> Tried:
    """Play simulated games from a lost position, always the same ones.

    :raises PositionError: when the position cannot be read.
    """
    chance = Random(position)  # noqa: S311 - repeatable, and nothing secret
    best = from_position(position)
    lacked = Counter[int]()
    for n in range(GAMES):
        table = from_position(position)
        skilled_game(table, _SKILLS[n % len(_SKILLS)], chance)
        lacked.update(table.wanted_cards())
        if table.cards_up > best.cards_up:
            best = table
    lacks = sorted(best.wanted_cards(), key=lambda card: -lacked[card])
    return Tried(best.cards_up, GAMES, tuple(best.DECK.written(lacks[:LACKS])))
