"""Reference implementation of the decks, the random stream and the shuffle, written from docs/shuffle.md."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator


def unshuffled(game: str) -> list[str]:
    if game == "tarot":
        minor = [rank + suit for suit in "WCSP" for rank in "A23456789TPNQK"]
        return minor + [f"M{number}" for number in range(22)]
    ranks = "23456789TJQK" if game == "labyrinth" else "A23456789TJQK"
    copies = 2 if game in ("braid", "plot") else 1
    return [rank + suit for _ in range(copies) for suit in "SHDC" for rank in ranks]


def words(seed: bytes) -> Iterator[int]:
    """Yield the random stream, word by word."""
    counter = 0
    while True:
        digest = hashlib.sha256(seed + counter.to_bytes(8, "big")).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        counter += 1


def shuffled(game: str, seed: bytes) -> list[str]:
    """Shuffle a game's deck by a seed of 32 bytes."""
    deck = unshuffled(game)
    stream = words(seed)
    for i in range(len(deck) - 1, 0, -1):
        limit = 2**32 - 2**32 % (i + 1)
        v = next(stream)
        while v >= limit:
            v = next(stream)
        j = v % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck
