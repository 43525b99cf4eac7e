"""Progress time: the clock of the token that last brought the cards up to their final number.

It places the games that were not won (`games.rules.races.ranking`), so that giving up early never beats playing on.
"""

from __future__ import annotations

from typing import Final

NO_PROGRESS: Final = 2**32 - 1
"""Progress time, in milliseconds, of a game with as many cards up as at the deal: the greatest one."""


class Progress:
    """Progress time of a game, followed token by token.

    Undoing a move that brought a card up restores the progress time before it.
    """

    __slots__ = ("_cards_up", "_reached")

    def __init__(self, cards_up: int) -> None:
        """Begin with the cards up at the deal."""
        self._cards_up = cards_up
        self._reached = {cards_up: NO_PROGRESS}

    def note(self, cards_up: int, ms: int) -> None:
        """Note the cards up after a token, and the clock at that token in milliseconds."""
        if cards_up > self._cards_up:
            self._reached[cards_up] = ms
        self._cards_up = cards_up

    @property
    def ms(self) -> int:
        """The progress time in milliseconds, `NO_PROGRESS` if no more cards are up than at the deal."""
        return self._reached[self._cards_up]
