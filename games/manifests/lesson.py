"""Lesson of a game: a position near its end, and the conditions that select the text beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from games.rules import GAMES, Table
from games.rules.cards import FRENCH_RANKS


@dataclass(frozen=True)
class Lesson:
    """A lesson: its start position, the conditions of its texts, and its aim.

    `steps` are tried in order. The index of the first one that holds selects the text on the game's page. If none
    holds, the last text is shown: either the rest plays by itself, or the aim is reached. Few positions can be reached
    from the start; `python -m frontend.artwork.lessons` stores all of them for the page.
    """

    start: str
    steps: tuple[Callable[[Table], bool], ...]
    is_done: Callable[[Table], bool] = lambda table: table.is_won


def suit(letter: str, last: str, ranks: str = FRENCH_RANKS) -> str:
    """Return a suit's foundation from the ace up to a rank."""
    return ".".join(rank + letter for rank in ranks[: ranks.index(last) + 1])


def top(table: Table, name: str) -> str:
    """Return the top card of a pile, or an empty string for an empty pile."""
    pile = table.pile(name)
    return table.DECK.names[pile[-1]] if pile else ""


def goes_up(table: Table) -> bool:
    """Return True if a card can move to a foundation."""
    return any(token.endswith("-f") for token in table.legal_moves())


def line(game: str, piles: dict[str, str], *facts: str) -> str:
    """Return the text form of a position, with its piles in the canonical order."""
    written = (f"{name} {piles[name]}" for name in GAMES[game].pile_names() if name in piles)
    return " | ".join([game, *facts, *written])
