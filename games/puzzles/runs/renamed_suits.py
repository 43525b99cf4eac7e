"""Puzzles with their suits renamed, so that published answers can't be looked up.

The rules treat all suits alike. Where colours matter, red and black suits are not mixed. Moves name piles, not suits,
so they stay the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import permutations
from random import Random
from typing import Final

from games.puzzles.puzzle import Puzzle
from games.rules.cards import FRENCH_SUITS, TAROT_SUITS

#: The suits of one colour, in games in which colours matter.
_COLOUR: Final[Mapping[str, str]] = {"stonewall": "SC", "tarot": "WS"}
#: Games in which each suit has its own foundation, in the order of the suits.
_OWN_FOUNDATIONS: Final = frozenset({"labyrinth", "stonewall", "tarot"})


def renamed(puzzle: Puzzle, chance: Random) -> Puzzle:
    """Return the puzzle with its suits renamed at random. The texts of its losses would still have the old names."""
    head, *fields = puzzle.start.split(" | ")
    game = head.partition(" ")[0]
    names = chance.choice(renamings(game))
    fields = sorted((_renamed(game, field, names) for field in fields), key=_place)
    return replace(puzzle, start=" | ".join([head, *fields]))


@cache
def renamings(game: str) -> tuple[dict[int, int], ...]:
    """Return the ways to rename a game's suits, as tables for `str.translate`, but for the one that changes nothing."""
    suits, colour = _suits(game), _COLOUR.get(game, "")
    tables = (str.maketrans(suits, "".join(names)) for names in permutations(suits) if names != tuple(suits))
    kept = {frozenset(colour), frozenset(suits) - frozenset(colour)}
    return tuple(table for table in tables if frozenset(colour.translate(table)) in kept)


def _suits(game: str) -> str:
    return TAROT_SUITS if game == "tarot" else FRENCH_SUITS


def _renamed(game: str, field: str, names: dict[int, int]) -> str:
    """Return a pile of a position with its cards renamed, or another fact as it is."""
    pile, has_cards, written = field.partition(" ")
    if not has_cards:
        return field
    cards = [card[:-1] + card[-1].translate(names) for card in written.split(".")]
    suit = _suits(game).find(cards[0][-1])
    if game in _OWN_FOUNDATIONS and _place(field) and suit >= 0:
        pile = f"f{suit}"
    return f"{pile} {'.'.join(cards)}"


def _place(field: str) -> str:
    """Return the sorting key of a field: foundations come last, in order; the others stay where they are."""
    return field[:2] if field[0] == "f" and field[1].isdigit() else ""
