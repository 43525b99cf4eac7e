"""Imagined tables: copies that look the same to a player, on which the cards not seen so far are shuffled.

Bots choose their moves on such tables and never get the real one. So nothing they do depends on a hidden card.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Self

from games.rules import Table
from games.rules.hidden_cards import Unseen


@dataclass(frozen=True, slots=True)
class Imagined:
    """A table without its history, and the cards on it that the player has not seen."""

    table: Table
    unseen: Unseen

    @classmethod
    def of(cls, table: Table, unseen: Unseen, chance: Random) -> Self:
        """Shuffle the unseen cards on a copy of the table."""
        copy = unseen.with_cards(table, unseen.deals(table, chance, 1)[1])
        places = [(pile, height) for pile, height in unseen.places(table) if pile < table.TABLEAU]
        return cls(copy, replace(unseen, face_down=sum(1 << copy.piles[pile][height] for pile, height in places)))

    def another(self, chance: Random) -> Imagined:
        """Shuffle the unseen cards once more, on another copy."""
        return Imagined.of(self.table, self.unseen, chance)
