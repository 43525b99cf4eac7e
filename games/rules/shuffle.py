"""The shuffle behind every deal, reproducible in any language (docs/shuffle.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from struct import Struct
from typing import Final

from games.rules.errors import SeedError

SEED_BYTES: Final = 32
#: Size of the cache of shuffled decks per process: the deals of two days and others dealt at the same time.
KEPT: Final = 64
_WORDS: Final = Struct(">8I")


def check_seed(seed: object) -> bytes:
    """Return the seed as `bytes`.

    :raises SeedError: unless it is 32 bytes.
    """
    if not isinstance(seed, bytes | bytearray | memoryview):
        raise SeedError(f"a seed is {SEED_BYTES} bytes, not {type(seed).__name__}")
    seed = bytes(seed)
    if len(seed) != SEED_BYTES:
        raise SeedError(f"a seed is {SEED_BYTES} bytes, not {len(seed)}")
    return seed


def read_seed(text: object) -> bytes:
    """Parse a seed written as 64 hexadecimal digits and return its 32 bytes.

    :raises SeedError: for anything else.
    """
    if not isinstance(text, str) or len(text) != 2 * SEED_BYTES or not text.isascii() or not text.isalnum():
        raise SeedError(f"a seed is written as {2 * SEED_BYTES} hexadecimal digits")
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise SeedError(f"a seed is written as {2 * SEED_BYTES} hexadecimal digits") from None


def commitment(seed: bytes) -> str:
    """Return the seed's SHA-256 as 64 hexadecimal digits: published before a deal opens, checked after it closes.

    :raises SeedError: unless the seed is 32 bytes.
    """
    return sha256(check_seed(seed)).hexdigest()


def words(seed: bytes) -> Iterator[int]:
    """Yield the seed's endless stream of 32-bit integers (docs/shuffle.md, "The random stream")."""
    counter = 0
    while True:
        yield from _WORDS.unpack(sha256(seed + counter.to_bytes(8, "big")).digest())
        counter += 1


def shuffled(cards: Sequence[int], seed: bytes) -> list[int]:
    """Return a new list with `cards` shuffled by a 32-byte seed (docs/shuffle.md, "The shuffle").

    :raises SeedError: unless the seed is 32 bytes.
    """
    return list(_order(tuple(cards), check_seed(seed)))


@lru_cache(maxsize=KEPT)
def _order(cards: tuple[int, ...], seed: bytes) -> tuple[int, ...]:
    """Return the shuffled cards, cached: every page and every table of a daily deal needs the same order."""
    deck = list(cards)
    stream = words(seed)
    for last in range(len(deck) - 1, 0, -1):
        sides = last + 1
        limit = 0x1_0000_0000 - 0x1_0000_0000 % sides
        word = next(stream)
        while word >= limit:
            word = next(stream)
        other = word % sides
        deck[last], deck[other] = deck[other], deck[last]
    return tuple(deck)
