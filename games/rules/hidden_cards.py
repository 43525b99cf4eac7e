"""Cards that a player has not seen, and alternative deals that look the same so far.

A card that was turned up stays known after an undo. All orders of the unseen cards are equally likely, whatever a
player does who knows only the visible cards, so a table with the unseen cards reshuffled is as likely as the real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Self

from games.rules.table import Table
from games.rules.tokens import UNDO, WORDS

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
        """Return the cards that are still unseen after this position: the same object if it shows no new card."""
        now = Unseen.at(table)
        if now.in_stock >= self.in_stock and now.under >= self.under and not self.face_down & ~now.face_down:
            return self
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
        copy.recompute_derived()
        return copy


class Reveals:
    """The standing moves of a game that revealed a card the player had not seen before.

    Create it with the table just dealt, and call `push` after every token played on it.
    """

    __slots__ = ("_revealing_none", "_unseen")

    def __init__(self, table: Table) -> None:
        self._unseen = Unseen.at(table)
        self._revealing_none: list[int] = []
        """For each standing move, the number of moves up to it since the last one that revealed a card."""

    def push(self, table: Table, token: str) -> None:
        """Take note of a token that has just been played."""
        unseen = self._unseen.after(table)
        if token == WORDS[UNDO]:
            self._revealing_none.pop()
        else:
            self._revealing_none.append(self.undoable + 1 if unseen is self._unseen else 0)
        self._unseen = unseen

    @property
    def undoable(self) -> int:
        """Number of moves that can be undone without taking back one that revealed a card."""
        return self._revealing_none[-1] if self._revealing_none else 0

    @property
    def bars_undo(self) -> bool:
        """True if the last standing move revealed a card."""
        return bool(self._revealing_none) and not self._revealing_none[-1]


def undone_reveal(table: Table, tokens: Sequence[str]) -> int | None:
    """Return the number, from 1, of the first token that undoes a move that revealed a card; None if there is none.

    Plays the tokens, which must be legal, on the table, which must be just dealt.
    """
    if WORDS[UNDO] not in tokens:
        return None
    reveals = Reveals(table)
    for n, token in enumerate(tokens, 1):
        if token == WORDS[UNDO] and reveals.bars_undo:
            return n
        table.push(token)
        reveals.push(table, token)
    return None
