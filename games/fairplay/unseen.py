"""What a player has not seen yet, and other deals that would have looked the same so far.

A card that was turned up stays known when the move is taken back. The cards never seen lie in any order with the same
chance, whatever a player did who knows only what was seen: a table on which they are shuffled anew is as likely as the
real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Self

from games.rules import Table

#: Besides the stock and face-down cards: the pile of which only the top is seen, by game.
_COVERED: Final = {"plot": "r"}

Place = tuple[int, int]
"""A pile's number, as in `Table.piles`, and a height in it."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The cards of a table that were never seen: so many at the bottom of the stock, under the top of a covered pile,
    and a bit set of face-down ones.
    """

    in_stock: int
    under: int
    face_down: int

    @classmethod
    def at(cls, table: Table) -> Self:
        """What is not seen on a table just dealt."""
        covered = _COVERED.get(table.GAME)
        return cls(len(table.stock), max(0, len(table.pile(covered)) - 1) if covered else 0, table.hidden)

    def after(self, table: Table) -> Unseen:
        """What is still not seen when this position has been seen, too."""
        now = Unseen.at(table)
        return Unseen(min(self.in_stock, now.in_stock), min(self.under, now.under), self.face_down & now.face_down)

    @property
    def count(self) -> int:
        """The number of cards never seen."""
        return self.in_stock + self.under + self.face_down.bit_count()

    def places(self, table: Table) -> list[Place]:
        """Where the cards never seen lie."""
        places = [(len(table.piles) - 1, height) for height in range(self.in_stock)]
        if self.under:
            covered = table.VOCABULARY.index[_COVERED[table.GAME]]
            places += [(covered, height) for height in range(self.under)]
        if self.face_down:
            places += [
                (number, height)
                for number, pile in enumerate(table.tableau)
                for height, card in enumerate(pile)
                if self.face_down >> card & 1
            ]
        return places

    def deals(self, table: Table, chance: Random, number: int) -> list[list[int]]:
        """The cards never seen in the order of `places`: as they lie, then in so many other orders."""
        cards = [table.piles[pile][height] for pile, height in self.places(table)]
        return [cards, *(chance.sample(cards, len(cards)) for _ in range(number))]

    def laid(self, table: Table, cards: Sequence[int]) -> Table:
        """A copy of the table, without its history, with these cards in the places never seen."""
        copy = type(table)(table.options)
        for mine, theirs in zip((*copy.piles, *copy.foundations), (*table.piles, *table.foundations), strict=True):
            mine[:] = theirs
        copy.rounds_left = table.rounds_left
        copy.hidden = table.hidden & ~self.face_down
        for (pile, height), card in zip(self.places(table), cards, strict=True):
            copy.piles[pile][height] = card
            if self.face_down and pile < table.TABLEAU:
                copy.hidden |= 1 << card
        if facts := table.unseen_facts():
            copy.restore_facts({name: str(fact) for name, fact in facts.items()})
        copy.reckon()
        return copy
