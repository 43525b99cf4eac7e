"""Analysis results and their compressed form in the database."""

from __future__ import annotations

import zlib
from typing import Self

import msgspec

from games.analysis.positions import LOST, UNKNOWN


class Turn(msgspec.Struct):
    """Turning point at which a game was lost: winnable after `n` tokens, lost after `to`, unknown in between.

    `better` lists the moves after `n` tokens that still won, each with the number of moves to the win including it.
    `unknown` is the number of moves there whose outcome is not known.
    """

    n: int
    to: int
    better: list[tuple[str, int]] = []
    unknown: int = 0


class Findings(msgspec.Struct):
    """Knowledge about a game's positions.

    `verdicts[n]` is about the position after `n` tokens: the number of moves of a winning line, `LOST` or `UNKNOWN`.
    `lines` maps a number of tokens to a winning line from that position, as space-separated tokens; every winnable
    position leads to one of them or to the player's own win.
    """

    verdicts: list[int]
    lines: dict[int, str] = {}
    turns: list[Turn] = []

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """Decode findings from the form that `pack` returns."""
        return msgspec.json.decode(zlib.decompress(packed), type=cls)

    def pack(self) -> bytes:
        """Encode the findings in some hundred bytes."""
        return zlib.compress(msgspec.json.encode(self), 9)


def turns_of(verdicts: list[int]) -> list[Turn]:
    """Return the turning points in order; there are several if losing moves were undone."""
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
    """Return the share of positions known to be winnable or lost."""
    return 1 - verdicts.count(UNKNOWN) / len(verdicts)
