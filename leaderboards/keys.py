"""Rank keys: a score packed into one integer that sorts as the board does.

A key is ascending, the best score has the smallest one. The first figure of every board is the cards up, stored as its
complement because more is better; what follows is ascending as it stands. Whatever does not fit into the key, and the
earlier finish that breaks the last tie, are the `ties`: the columns that are compared after the key. The last of them
is the id, so no two entries ever tie.

Keys of one deal use 52 bits, so that a Redis sorted set, whose scores are doubles, holds them exactly. Keys of a
period, whose sums grow without end, use 63 bits and leave one figure to the ties.

A key is also what the histogram counts by: `shifts` are the levels of a radix tree over the key, coarse to fine (see
`leaderboards.histogram`). They are chosen so that a level has at most some hundred children and the finest bucket about
a thousand entries when ten million are spread over half an hour of playing time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

BoardName = Literal["race", "fewest"]
BOARDS: Final[tuple[BoardName, ...]] = get_args(BoardName)


class KeyRangeError(ValueError):
    """A score that no key can hold, such as a negative time."""


class Score(NamedTuple):
    """What a verified record is worth: cards up, milliseconds, tokens (undo included)."""

    cards_up: int
    elapsed_ms: int
    tokens: int


Figure = Literal["elapsed_ms", "tokens"]


@dataclass(frozen=True, slots=True)
class Layout:
    """How one board packs its scores, what breaks its ties, and how finely its entries are counted."""

    code: int
    name: BoardName
    key: str
    cards_bits: int
    figures: tuple[tuple[Figure, int], ...]
    ties: tuple[str, ...]
    shifts: tuple[int, ...]

    def pack(self, score: Score) -> int:
        """The key of a score.

        :raises KeyRangeError: when a figure is negative or too large for its bits.
        """
        top = (1 << self.cards_bits) - 1
        key = top - _fitting(score.cards_up, self.cards_bits)
        for name, bits in self.figures:
            key = key << bits | _fitting(getattr(score, name), bits)
        return key

    def unpack(self, key: int) -> Score:
        """The score a key was packed from; a figure that is not in the key comes out as 0."""
        found = {"elapsed_ms": 0, "tokens": 0}
        for name, bits in reversed(self.figures):
            found[name] = key & (1 << bits) - 1
            key >>= bits
        return Score((1 << self.cards_bits) - 1 - key, **found)


def _fitting(value: int, bits: int) -> int:
    if not 0 <= value < 1 << bits:
        raise KeyRangeError(f"{value} does not fit into {bits} bits of a rank key")
    return value


# 7 bits of cards (104 at most), 32 of milliseconds (49 days; a daily attempt lasts 25 hours at most), 13 of tokens
# (5,000 at most).
DEAL: Final[dict[BoardName, Layout]] = {
    "race": Layout(
        code=0,
        name="race",
        key="race_key",
        cards_bits=7,
        figures=(("elapsed_ms", 32), ("tokens", 13)),
        ties=("finished_at", "id"),
        shifts=(45, 35, 28, 20),  # cards; 70 minutes; 33 seconds; 128 milliseconds
    ),
    "fewest": Layout(
        code=1,
        name="fewest",
        key="fewest_key",
        cards_bits=7,
        figures=(("tokens", 13), ("elapsed_ms", 32)),
        ties=("finished_at", "id"),
        shifts=(45, 38, 32, 16),  # cards; 64 tokens; one token; 66 seconds
    ),
}

# 24 bits of cards (16 million, centuries of full days), 39 of milliseconds (17 years at the table) or of tokens.
SEASON: Final[dict[BoardName, Layout]] = {
    "race": Layout(
        code=0,
        name="race",
        key="race_key",
        cards_bits=24,
        figures=(("elapsed_ms", 39),),
        ties=("tokens", "finished_at", "id"),
        shifts=(51, 45, 39, 29, 20, 12),  # 4,096 cards; 64; one; 6 days; 17 minutes; 4 seconds
    ),
    "fewest": Layout(
        code=1,
        name="fewest",
        key="fewest_key",
        cards_bits=24,
        figures=(("tokens", 39),),
        ties=("elapsed_ms", "finished_at", "id"),
        shifts=(51, 45, 39, 16, 8, 0),  # 4,096 cards; 64; one; 65,536 tokens; 256; one
    ),
}
