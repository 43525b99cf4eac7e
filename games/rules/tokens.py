"""Move tokens: parsing, writing and numbering.

    d          draw; in Labyrinth, deal a row
    n          turn the waste over to form the stock again
    up, down   choose the building direction (Braid, either way)
    u          undo the last move that has not been undone
    A-f        the playable card of pile A to the foundation that takes it
    A-B        the playable card of pile A to pile B
    A-BxK      the top K cards of pile A to pile B, K at least 2

Each move has one spelling: no leading zeros, and no `x1`. docs/records.md, "Binary form", defines the numbers.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from games.rules.errors import InvalidTokenError

DRAW: Final = 0
ROUND: Final = 1
UP: Final = 2
DOWN: Final = 3
UNDO: Final = 4
TO_FOUNDATION: Final = 5
TO_PILE: Final = 6

WORDS: Final = ("d", "n", "up", "down", "u")
LONGEST_TOKEN: Final = 10


class Move(NamedTuple):
    """A parsed token: the kind of move, the pile it takes from, the pile it goes to, and the number of cards.

    Piles are indexes into the vocabulary's `piles`, or -1 if the token names none.
    """

    what: int
    source: int = -1
    target: int = -1
    cards: int = 1


class Vocabulary:
    """All tokens that can be written for a game, legal or not.

    `piles` are the names a token may use; a foundation is never named. `largest_unit` is the most cards that one token
    may move: 1 in a game that only moves single cards. A token's number never changes between releases, because packed
    records store the numbers.
    """

    def __init__(self, piles: tuple[str, ...], *, largest_unit: int = 1) -> None:
        self.piles = piles
        self.largest_unit = largest_unit
        self.index = {name: index for index, name in enumerate(piles)}
        # Cache of parsed tokens, bounded because the vocabulary is finite.
        self.known: dict[str, Move] = {word: Move(what) for what, word in enumerate(WORDS)}
        self.to_foundation = tuple(f"{name}-f" for name in piles)
        self.to_pile = tuple(tuple(f"{a}-{b}" for b in piles) for a in piles)

    def read(self, token: object) -> Move:
        """Parse a token.

        :raises InvalidTokenError: when it is not a token of this game.
        """
        if not isinstance(token, str):
            raise InvalidTokenError(token, "a token is a string")
        move = self.known.get(token)
        if move is None:
            move = self.known[str(token)] = self._read_new(token)
        return move

    def _read_new(self, token: str) -> Move:
        if len(token) > LONGEST_TOKEN:
            raise InvalidTokenError(token, "longer than any token")
        source, dash, rest = token.partition("-")
        if not dash:
            raise InvalidTokenError(token, "not a token")
        if source not in self.index:
            raise InvalidTokenError(token, f"no card is moved from a pile {source!r} in this game")
        if rest == "f":
            return Move(TO_FOUNDATION, self.index[source])
        target, cross, digits = rest.partition("x")
        if target not in self.index:
            raise InvalidTokenError(token, f"no card is moved to a pile {target!r} in this game")
        if target == source:
            raise InvalidTokenError(token, "a card cannot move to its own pile")
        count = self._read_count(token, digits) if cross else 1
        return Move(TO_PILE, self.index[source], self.index[target], count)

    def _read_count(self, token: str, digits: str) -> int:
        if self.largest_unit == 1:
            raise InvalidTokenError(token, "this game moves one card at a time")
        if not (digits.isascii() and digits.isdigit()) or digits[0] == "0":
            raise InvalidTokenError(token, "x must be followed by a number without leading zeros")
        count = int(digits)
        if not 2 <= count <= self.largest_unit:
            raise InvalidTokenError(token, f"a unit has 2 to {self.largest_unit} cards")
        return count

    def write(self, move: Move) -> str:
        """Return the one spelling of a move."""
        if move.what == TO_FOUNDATION:
            return self.to_foundation[move.source]
        if move.what == TO_PILE:
            token = self.to_pile[move.source][move.target]
            return token if move.cards == 1 else f"{token}x{move.cards}"
        return WORDS[move.what]

    def number(self, token: str) -> int:
        """Return the token's number in packed records.

        :raises InvalidTokenError: when it is not a token of this game.
        """
        what, source, target, count = self.read(token)
        if what < TO_FOUNDATION:
            return what
        piles = len(self.piles)
        if what == TO_FOUNDATION:
            return len(WORDS) + source
        pair = source * piles + target
        return len(WORDS) + piles + pair + (count - 1) * piles * piles

    def token(self, number: int) -> str:
        """Return the token with a given number.

        :raises InvalidTokenError: when no token has that number.
        """
        piles = len(self.piles)
        if 0 <= number < len(WORDS):
            return WORDS[number]
        after_words = number - len(WORDS)
        if 0 <= after_words < piles:
            return self.to_foundation[after_words]
        unit, pair = divmod(after_words - piles, piles * piles)
        source, target = divmod(pair, piles)
        if number < 0 or source == target or unit >= self.largest_unit:
            raise InvalidTokenError(str(number), "no token of this game has that number")
        return self.write(Move(TO_PILE, source, target, unit + 1))
