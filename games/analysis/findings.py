"""What an analysis has found, and its compact form in the database."""

from __future__ import annotations

import zlib
from typing import Self

import msgspec

from games.analysis.positions import LOST, UNKNOWN


class Turn(msgspec.Struct):
    """Where a game was lost: it could be won after `n` tokens, and no longer after `to`; between them, if anything is
    there, it is not known.

    `better` are the moves after `n` tokens that still won, each with the moves to the win from there; of `unknown`
    others it is not known.
    """

    n: int
    to: int
    better: list[tuple[str, int]] = []
    unknown: int = 0


class Findings(msgspec.Struct):
    """What is known of a game's positions.

    `verdicts` has an entry for the position after each number of tokens, from none on: the moves of a line that wins,
    `LOST` or `UNKNOWN`. `lines` are lines that win, tokens with spaces between, by the number of tokens before them:
    every position that is won leads to one of them, or is before the player's own win.
    """

    verdicts: list[int]
    lines: dict[int, str] = {}
    turns: list[Turn] = []

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """Read what `pack` has written."""
        return msgspec.json.decode(zlib.decompress(packed), type=cls)

    def pack(self) -> bytes:
        """The findings in some hundred bytes."""
        return zlib.compress(msgspec.json.encode(self), 9)


def turns_of(verdicts: list[int]) -> list[Turn]:
    """Where a game was lost, in the order of its tokens; more than once where losing moves were undone."""
    found: list[Turn] = []
    won = -1
    for n, verdict in enumerate(verdicts):
        if verdict >= 0:
            won = n
        elif verdict == LOST and won >= 0:
            found.append(Turn(won, n))
            won = -1
    return found


def share_known(verdicts: list[int]) -> float:
    """The share of positions of which it is known whether they could be won."""
    return 1 - verdicts.count(UNKNOWN) / len(verdicts)
