"""Simulated games from a lost position: the best one shows the loss, and explains it if no exhaustive search can."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any, Final

from games.rules import from_position
from games.solver.simulated_players import Skill, skilled_game

#: Games from a position, the best of which is shown. Together they take up to a third of a second.
GAMES: Final = 60
LACKS: Final = 4
_SKILL: Final = Skill(slips=0.1)


def try_games(position: str) -> dict[str, Any]:
    """Play simulated games from a lost position, always the same ones, and return the result of the best one.

    `best_up` is its number of cards up, and `lacks` names cards that its foundations still needed.
    """
    table = from_position(position)
    for token in best_game(position):
        table.push(token)
    return {"best_up": table.cards_up, "games": GAMES, "lacks": table.DECK.written(table.wanted_cards()[:LACKS])}


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
