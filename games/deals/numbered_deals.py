"""Numbered deals: practice deals that anyone can reproduce from the game, its options and a number.

The seed of a numbered deal is 32 bytes: the first 24 of the SHA-256 of the game and its options, then the number in 8
bytes, big-endian. The number gives the deal away, so ranked deals never come from one: the seeds of daily deals and
races are drawn at random from all possible seeds.
"""

from __future__ import annotations

import json
import secrets
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from games.rules import Variant

if TYPE_CHECKING:
    from games.models import Deal

#: The largest number: seven digits can still be read out and typed without mistakes.
LARGEST: Final = 9_999_999

_MARK: Final = "talon numbered deal"
_SERIES_BYTES: Final = 24
_NUMBER_BYTES: Final = 8


def seed_of(variant: Variant, number: int) -> bytes:
    """Return the seed of a game's deal with this number.

    :raises ValueError: for a number below 1 or above `LARGEST`.
    """
    if not 1 <= number <= LARGEST:
        raise ValueError(f"deals are numbered from 1 to {LARGEST}")
    return _series(variant) + number.to_bytes(_NUMBER_BYTES)


def number_of(deal: Deal) -> int | None:
    """Return the number of a numbered deal; None for any other deal."""
    seed = bytes(deal.seed)
    if not seed.startswith(_series(Variant(deal.variant, deal.game, deal.options))):
        return None
    number = int.from_bytes(seed[_SERIES_BYTES:])
    return number if 1 <= number <= LARGEST else None


def draw() -> int:
    """Draw a random number."""
    return 1 + secrets.randbelow(LARGEST)


def _series(variant: Variant) -> bytes:
    options = json.dumps(dict(variant.options), sort_keys=True, separators=(",", ":"))
    return sha256(f"{_MARK}\n{variant.game}\n{options}".encode()).digest()[:_SERIES_BYTES]
