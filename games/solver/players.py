"""Players who do not plan ahead. How often the random and the greedy one win is part of how hard a deal is
(docs/difficulty.md, "What is measured"); those of three skills check the grades.

They choose among the legal moves by what a player can see; the caller supplies the random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from games.rules import Table
from games.rules.tokens import DRAW, ROUND, TO_FOUNDATION, TO_PILE

MOST_TOKENS: Final = 600
"""Where a game that does not end is given up. The games these players win are much shorter."""

LEAST: Final = 6
"""The wish for a move that turns nothing up and frees no pile."""


def random_game(table: Table, chance: Random) -> bool:
    """Play random legal moves until the game is won, stuck or too long. Changes the table; returns whether it won."""
    for _ in range(MOST_TOKENS):
        legal = table.legal_moves()
        if not legal:
            break
        table.push(chance.choice(legal))
    return table.is_won


@dataclass(frozen=True, slots=True)
class Skill:
    """How well a player plays: ``slips`` is the share of moves (0 to 1) that are picked without looking, ``retreats``
    how often moves are taken back from a dead end.
    """

    slips: float = 0.0
    retreats: int = 0


SKILLS: Final = {"poor": Skill(slips=0.1), "fair": Skill(slips=0.02, retreats=3), "good": Skill(retreats=10)}
"""Three players to check the grades by. None of them is the greedy one, by whose wins deals are graded."""


def greedy_game(table: Table, chance: Random) -> bool:
    """Play the most promising move each time, never back to a position seen before. Changes the table; returns whether
    it is won.

    Foundations come first, then moves that turn a card up, then waste and reserve cards, then whole piles, then the
    stock, and last moves between face-up cards.
    """
    return skilled_game(table, Skill(), chance)


def skilled_game(table: Table, skill: Skill, chance: Random) -> bool:
    """Play as the greedy player does, but with slips, and with retreats: from a dead end some moves are taken back, any
    number of them, and play goes on elsewhere. Changes the table; returns whether it is won.
    """
    seen = {_piles(table)}
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


def _go_on(table: Table, skill: Skill, chance: Random, seen: set[tuple[object, ...]]) -> bool:
    """Play the first move, most promising first or after a slip in any order, that leads to a position not seen yet."""
    legal = table.legal_moves()
    chance.shuffle(legal)
    if not skill.slips or chance.random() >= skill.slips:
        legal.sort(key=lambda token: wish(table, token))
    for token in legal:
        table.push(token)
        piles = _piles(table)
        if piles not in seen:
            seen.add(piles)
            return True
        table.pop()
    return False


def wish(table: Table, token: str) -> int:
    """How promising a move looks; the smallest number comes first: foundations, then what turns a card up, waste and
    reserve, whole piles, the stock, and last (`LEAST`) what only moves cards about.
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


def _piles(table: Table) -> tuple[object, ...]:
    return (*map(tuple, table.piles), table.rounds_left, *map(len, table.foundations), *table.unseen_facts().values())
