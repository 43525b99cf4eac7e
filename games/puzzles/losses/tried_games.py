"""Simulated games from a lost position: the best one shows the loss, and explains it if no exhaustive search can."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

from games.rules import from_position
from games.solver.simulated_players import Skill, skilled_game

#: Games from a position, the best of which is shown. Together they take up to a third of a second.
GAMES: Final = 60
LACKS: Final = 4
_SKILL: Final = Skill(slips=0.1)


@dataclass(frozen=True, slots=True)
class Tried:
    """Best result of several simulated games from a lost position.

    `games` is the number of games, and `best_up` the number of cards up in the best one. `lacks` names cards that its
    foundations still needed.
    """

    best_up: int
    games: int
    lacks: tuple[str, ...]


def try_games(position: str) -> Tried:
    """Play simulated games from a lost position, always the same ones.

    :raises PositionError: when the position cannot be read.
    """
    table = from_position(position)
    for token in best_game(position):
        table.push(token)
    return Tried(table.cards_up, GAMES, tuple(table.DECK.written(table.wanted_cards()[:LACKS])))


@lru_cache(256)
def best_game(position: str) -> tuple[str, ...]:
    """Return the moves of the game that gets the most cards up, up to the last one that goes up."""
    chance = Random(position)  # noqa: S311 - repeatable, and nothing secret
    best: tuple[str, ...] = ()
    most_up = -1
    for _ in range(GAMES):
        table = from_position(position)
        skilled_game(table, _SKILL, chance)
        if table.cards_up > most_up:
            best, most_up = table.moves, table.cards_up
    table = from_position(position)
    last = 0
    for n, token in enumerate(best, 1):
        before = table.cards_up
        table.push(token)
        last = n if table.cards_up > before else last
    return best[:last]
