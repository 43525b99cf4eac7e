"""Rank keys: a score packed into one integer that sorts as the board does.

Keys sort ascending, so the best score has the smallest. The first figure of every board is the cards up, stored as its
complement because more is better. The other figures are stored unchanged, except that a `coarse` one drops its lowest
bits. Figures that do not fit into the key, and the earlier finish that decides a tie, are the `ties`: columns compared
after the key. The last of them is the id, so no two entries ever tie.

A deal's keys use 52 bits. A period's keys use 63 and have room for the sums of a hundred years in which a player leaves
twenty deals a day to be closed: 76 million cards, 2,230 years of time, 68 billion tokens.

The histogram counts by the same keys: `shifts` are the levels of its radix tree, coarse to fine (see
`leaderboards.boards.histogram`). They are chosen so that a level has at most a few hundred children, and the finest
bucket about a thousand entries when ten million are spread over half an hour of playing time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, Self, get_args

BoardName = Literal["race", "fewest"]
BOARDS: Final[tuple[BoardName, ...]] = get_args(BoardName)


class KeyRangeError(ValueError):
    """Raised for a score that does not fit a key, such as a negative time."""


class BoardScore(NamedTuple):
    """Score of a verified record: cards up, milliseconds, tokens (undo included)."""

    cards_up: int
    elapsed_ms: int
    tokens: int

    @classmethod
    def of(cls, row: Any) -> Self | None:  # noqa: ANN401 - an attempt, a result or a replay
        """Return the score in a row; None if the row has no score, because its record does not replay."""
        figures = row.cards_up, row.elapsed_ms, row.tokens
        return None if None in figures else cls(*figures)


Figure = Literal["elapsed_ms", "tokens"]


class Field(NamedTuple):
    """Bits of a key that hold one figure, less its `coarse` lowest bits."""

    figure: Figure
    bits: int
    coarse: int = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """Key layout of a board: packing, tie-breaks, and granularity of the histogram."""

    code: int
    key: str
    cards_bits: int
    fields: tuple[Field, ...]
    ties: tuple[str, ...]
    shifts: tuple[int, ...]

    def pack(self, score: BoardScore) -> int:
        """Return the key of a score.

        :raises KeyRangeError: if a figure is negative or too large for its bits.
        """
        top = (1 << self.cards_bits) - 1
        key = top - _fitting(score.cards_up, self.cards_bits)
        for field in self.fields:
            key = key << field.bits | _fitting(getattr(score, field.figure) >> field.coarse, field.bits)
        return key


def _fitting(value: int, bits: int) -> int:
    if not 0 <= value < 1 << bits:
        raise KeyRangeError(f"{value} does not fit into {bits} bits of a rank key")
    return value


# 7 bits of cards (104 at most), 32 of milliseconds (49 days; a daily attempt lasts 25 hours at most), 13 of tokens
# (5,000 at most).
DEAL: Final[dict[BoardName, Layout]] = {
    "race": Layout(
        code=0,
        key="race_key",
        cards_bits=7,
        fields=(Field("elapsed_ms", 32), Field("tokens", 13)),
        ties=("finished_at", "id"),
        shifts=(45, 35, 28, 20),  # cards; 70 minutes; 33 seconds; 128 milliseconds
    ),
    "fewest": Layout(
        code=1,
        key="fewest_key",
        cards_bits=7,
        fields=(Field("tokens", 13), Field("elapsed_ms", 32)),
        ties=("finished_at", "id"),
        shifts=(45, 38, 32, 16),  # cards; 64 tokens; one token; 66 seconds
    ),
}

# 27 bits of cards, 36 of time in units of 1,024 ms (the milliseconds follow as a tie) or of tokens.
SEASON: Final[dict[BoardName, Layout]] = {
    "race": Layout(
        code=0,
        key="race_key",
        cards_bits=27,
        fields=(Field("elapsed_ms", 36, coarse=10),),
        ties=("elapsed_ms", "tokens", "finished_at", "id"),
        shifts=(48, 42, 36, 19, 10, 2),  # 4,096 cards; 64; one; 6 days; 17 minutes; 4 seconds
    ),
    "fewest": Layout(
        code=1,
        key="fewest_key",
        cards_bits=27,
        fields=(Field("tokens", 36),),
        ties=("elapsed_ms", "finished_at", "id"),
        shifts=(48, 42, 36, 16, 8, 0),  # 4,096 cards; 64; one; 65,536 tokens; 256; one
    ),
}
