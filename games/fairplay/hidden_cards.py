"""Cards that a player has not seen, and alternative deals that look the same so far.

A card that was turned up stays known after an undo. All orders of the unseen cards are equally likely, whatever a
player does who knows only the visible cards, so a table with the unseen cards reshuffled is as likely as the real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Self

from games.rules import Table

#: Piles that show only their top card, by game. The stock and face-down cards are hidden in every game.
_COVERED: Final = {"plot": "r"}

Place = tuple[int, int]
"""A pile's index in `Table.piles`, and a height in the pile."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The unseen cards of a table: counts at the bottom of the stock and under the top of a covered pile, and a bit set
    of face-down cards.
    """

    in_stock: int
    under: int
    face_down: int

    @classmethod
    def at(cls, table: Table) -> Self:
        """Return the unseen cards of a table just dealt."""
        covered = _COVERED.get(table.GAME)
        return cls(len(table.stock), max(0, len(table.pile(covered)) - 1) if covered else 0, table.hidden)

    def after(self, table: Table) -> Unseen:
        """Return the cards that are still unseen after this position."""
        now = Unseen.at(table)
        return Unseen(min(self.in_stock, now.in_stock), min(self.under, now.under), self.face_down & now.face_down)

    @property
    def count(self) -> int:
        """Number of unseen cards."""
        return self.in_stock + self.under + self.face_down.bit_count()

    def places(self, table: Table) -> list[Place]:
        """Return the places of the unseen cards."""
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
        """Return the unseen cards in the order of `places`: first as they lie, then in `number` random orders."""
        cards = [table.piles[pile][height] for pile, height in self.places(table)]
        return [cards, *(chance.sample(cards, len(cards)) for _ in range(number))]

    def with_cards(self, table: Table, cards: Sequence[int]) -> Table:
        """Return a copy of the table, without its history, with these cards in the unseen places."""
        copy = type(table)(table.options)
        for target, source in zip((*copy.piles, *copy.foundations), (*table.piles, *table.foundations), strict=True):
            target[:] = source
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
