"""Simulated players who do not plan ahead.

The win rates of the random and the greedy player are part of how hard a deal is (docs/difficulty.md, "What is
measured"); players of three skills check the grades. They choose among the legal moves by what a player can see; the
caller supplies the random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from games.rules import Table
from games.rules.tokens import DRAW, ROUND, TO_FOUNDATION, TO_PILE

MOST_TOKENS: Final = 600
"""Length at which a game is abandoned. The games these players win are much shorter."""

Position = tuple[object, ...]
"""A position, as `piles_of` returns it."""

LEAST: Final = 6
"""Rank of a move that turns nothing up and frees no pile (see `wish`)."""


def random_game(table: Table, chance: Random) -> bool:
    """Play random legal moves until the game is won, stuck or too long.

    Change the table and return whether it is won.
    """
    for _ in range(MOST_TOKENS):
        legal = table.legal_moves()
        if not legal:
            break
        table.push(chance.choice(legal))
    return table.is_won


@dataclass(frozen=True, slots=True)
class Skill:
    """A player's skill: ``slips`` is the share of moves (0 to 1) picked without looking, ``retreats`` is how often the
    player takes moves back from a dead end.
    """

    slips: float = 0.0
    retreats: int = 0


SKILLS: Final = {"poor": Skill(slips=0.1), "fair": Skill(slips=0.02, retreats=3), "good": Skill(retreats=10)}
"""Three players that check the grades. None of them is the greedy player, whose wins decide the grades."""


def greedy_game(table: Table, chance: Random) -> bool:
    """Play the most promising move each time, never back to a position seen before.

    Foundations come first, then moves that turn a card up, then waste and reserve cards, then whole piles, then the
    stock, and last moves between face-up cards. Change the table and return whether it is won.
    """
    return skilled_game(table, Skill(), chance)


def skilled_game(table: Table, skill: Skill, chance: Random) -> bool:
    """Play like the greedy player, but with slips and retreats.

    From a dead end, a retreat takes back a random number of moves, and play goes on elsewhere. Change the table and
    return whether it is won.
    """
    seen = {piles_of(table)}
    played, retreats = 0, skill.retreats
    for _ in range(MOST_TOKENS * (1 + skill.retreats)):
        if table.is_won:
            break
        if played < MOST_TOKENS and _go_on(table, skill, chance, seen):
            played += 1
        elif retreats and played:
            retreats -= 1
            back = chance.randint(1, played)
            for _ in range(back):
                table.pop()
            played -= back
        else:
            break
    return table.is_won


def _go_on(table: Table, skill: Skill, chance: Random, seen: set[Position]) -> bool:
    """Play the first move that leads to a new position, and return whether there is one.

    Moves are tried most promising first, or in any order after a slip.
    """
    legal = table.legal_moves()
    chance.shuffle(legal)
    if not skill.slips or chance.random() >= skill.slips:
        legal.sort(key=lambda token: wish(table, token))
    for token in legal:
        table.push(token)
        piles = piles_of(table)
        if piles not in seen:
            seen.add(piles)
            return True
        table.pop()
    return False


def wish(table: Table, token: str) -> int:
    """Rank a move by how promising it looks, smallest first.

    Foundations come first, then moves that turn a card up, waste and reserve, whole piles, the stock, and last
    (`LEAST`) moves that only rearrange cards.
    """
    what, source, _, cards = table.VOCABULARY.read(token)
    if what != TO_PILE:
        return {TO_FOUNDATION: 0, DRAW: 4, ROUND: 5}.get(what, 0)
    if source >= table.TABLEAU:
        return 2
    pile = table.piles[source]
    if len(pile) == cards:
        return 3
    return 1 if table.hidden >> pile[-cards - 1] & 1 else LEAST


def piles_of(table: Table) -> Position:
    """Return the position in a form that can be compared and hashed."""
    return (*map(tuple, table.piles), table.rounds_left, *map(len, table.foundations), *table.unseen_facts().values())
