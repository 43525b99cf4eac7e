"""Rank keys: a score packed into one integer that sorts as the board does.

Keys sort ascending, so the best score has the smallest, in the order of `games.rules.races.ranking`. The first figure
of every board is the cards up, stored as its complement because more is better, and so are the tokens of a loss. The
other figures are stored unchanged, except that a `coarse` one drops its lowest bits. Figures that do not fit into the
key, and the earlier finish that decides a tie, are the `ties`: columns compared after the key. The last of them is the
id, so no two entries ever tie.

A deal's keys use 52 bits. A period's keys use 63 and have room for the sums of a hundred years in which a player leaves
twenty deals a day to be closed: 76 million cards, 2,230 years of time, 68 billion tokens.

The histogram counts by the same keys: `shifts` are the levels of its radix tree, coarse to fine (see
`leaderboards.boards.histogram`). They are chosen so that a level has at most a few hundred children, and the finest
bucket about a thousand entries when ten million are spread over half an hour of playing time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Self, get_args

from games.models import Attempt
from games.rules import Replay

BoardName = Literal["race", "fewest"]
BOARDS: Final[tuple[BoardName, ...]] = get_args(BoardName)


class KeyRangeError(ValueError):
    """Raised for a score that does not fit a key, such as a negative time."""


class BoardScore(NamedTuple):
    """Score of a verified record: cards up, milliseconds, tokens (undo included), progress time.

    Sums of scores rank as wins do. A loss stored without progress time does too, by its whole time.
    """

    cards_up: int
    elapsed_ms: int
    tokens: int
    progress_ms: int | None = None
    won: bool = True

    @classmethod
    def of(cls, row: Attempt | Replay) -> Self | None:
        """Return the score of an attempt or a replay; None if there is none, because the record does not replay."""
        if row.cards_up is None or row.elapsed_ms is None or row.tokens is None:
            return None
        won = row.won if isinstance(row, Replay) else row.end == Attempt.End.WON
        return cls(row.cards_up, row.elapsed_ms, row.tokens, row.progress_ms, won)

    @property
    def ranks_by_progress(self) -> bool:
        """True if progress time and more tokens decide, not the whole time and fewer tokens."""
        return not self.won and self.progress_ms is not None

    @property
    def time_ms(self) -> int:
        """The time that decides the rank."""
        return self.elapsed_ms if self.won or self.progress_ms is None else self.progress_ms


Figure = Literal["time_ms", "tokens"]


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
    wins_only: bool = False

    def key_of(self, score: BoardScore) -> int | None:
        """Return the key of a score, or None if the board does not list it.

        :raises KeyRangeError: if a figure is negative or too large for its bits.
        """
        return self.pack(score) if score.won or not self.wins_only else None

    def pack(self, score: BoardScore) -> int:
        """Return the key of a score.

        :raises KeyRangeError: if a figure is negative or too large for its bits.
        """
        top = (1 << self.cards_bits) - 1
        key = top - _fitting(score.cards_up, self.cards_bits)
        for field in self.fields:
            figure = _fitting(getattr(score, field.figure) >> field.coarse, field.bits)
            if field.figure == "tokens" and score.ranks_by_progress:
                figure = (1 << field.bits) - 1 - figure
            key = key << field.bits | figure
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
        fields=(Field("time_ms", 32), Field("tokens", 13)),
        ties=("finished_at", "id"),
        shifts=(45, 35, 28, 20),  # cards; 70 minutes; 33 seconds; 128 milliseconds
    ),
    "fewest": Layout(
        code=1,
        key="fewest_key",
        cards_bits=7,
        fields=(Field("tokens", 13), Field("time_ms", 32)),
        ties=("finished_at", "id"),
        shifts=(45, 38, 32, 16),  # cards; 64 tokens; one token; 66 seconds
        wins_only=True,
    ),
}

# 27 bits of cards, 36 of time in units of 1,024 ms (the milliseconds follow as a tie) or of tokens.
SEASON: Final[dict[BoardName, Layout]] = {
    "race": Layout(
        code=0,
        key="race_key",
        cards_bits=27,
        fields=(Field("time_ms", 36, coarse=10),),
        ties=("elapsed_ms", "tokens", "finished_at", "id"),
        shifts=(48, 42, 36, 19, 10, 2),  # 4,096 cards; 64; one; 6 days; 17 minutes; 4 seconds
    ),
    "fewest": Layout(
        code=1,
        key="fewest_key",
        cards_bits=27,
        fields=(Field("tokens", 36),),
        ties=("won_ms", "finished_at", "id"),
        shifts=(48, 42, 36, 16, 8, 0),  # 4,096 cards; 64; one; 65,536 tokens; 256; one
        wins_only=True,
    ),
}
