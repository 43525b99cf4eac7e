"""Cards and decks: names for people, small integers for the engine.

A French card is `suit * 13 + rank` (rank 0 is the ace), so the two copies of a card in a two-deck game are the same
integer. A minor Tarot card is `suit * 14 + rank`, a trump is 56 plus its number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from games.rules.errors import DeckError, quoted

FRENCH_RANKS: Final = "A23456789TJQK"
FRENCH_SUITS: Final = "SHDC"
TAROT_RANKS: Final = "A23456789TPNQK"
TAROT_SUITS: Final = "WCSP"

FRENCH_NAMES: Final = tuple(rank + suit for suit in FRENCH_SUITS for rank in FRENCH_RANKS)
TAROT_NAMES: Final = (
    *(rank + suit for suit in TAROT_SUITS for rank in TAROT_RANKS),
    *(f"M{number}" for number in range(22)),
)

# Lookup tables by card, so that the French games need no divisions.
RANK: Final = tuple(card % 13 for card in range(52))
SUIT: Final = tuple(card // 13 for card in range(52))
RED: Final = tuple(FRENCH_SUITS[card // 13] in "HD" for card in range(52))


@dataclass(frozen=True)
class Deck:
    """A game's deck before the shuffle (docs/shuffle.md, "The deck before the shuffle").

    `cards` holds the card integers in that order, `names[card]` is a card's written form, and `number` maps each name
    back to its integer.
    """

    names: tuple[str, ...]
    cards: tuple[int, ...]
    number: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", {name: card for card, name in enumerate(self.names)})

    def written(self, cards: Iterable[int]) -> list[str]:
        """Return the names of the given card integers, in the same order."""
        names = self.names
        return [names[card] for card in cards]

    def read(self, order: object) -> list[int]:
        """Turn a list of card names in deck order into card integers.

        :raises DeckError: when a card is unknown, missing or repeated; the message names the first such card.
        """
        if isinstance(order, str) or not isinstance(order, Sequence):
            raise DeckError("a deck is a list of cards")
        unused = Counter(self.cards)
        cards = []
        for place, name in enumerate(order):
            card = self.number.get(name) if isinstance(name, str) else None
            if card is None or card not in unused:
                raise DeckError(f"card {place}: {quoted(name)} is not a card of this deck")
            if not unused[card]:
                raise DeckError(f"card {place}: {name} is in the deck too often")
            unused[card] -= 1
            cards.append(card)
        missing = next(unused.elements(), None)
        if missing is not None:
            raise DeckError(f"{unused.total()} cards are missing, {self.names[missing]} among them")
        return cards


FRENCH: Final = Deck(FRENCH_NAMES, tuple(range(52)))
TWO_FRENCH: Final = Deck(FRENCH_NAMES, tuple(range(52)) * 2)
FRENCH_WITHOUT_ACES: Final = Deck(FRENCH_NAMES, tuple(card for card in range(52) if RANK[card]))
TAROT: Final = Deck(TAROT_NAMES, tuple(range(78)))
