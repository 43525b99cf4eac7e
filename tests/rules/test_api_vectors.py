"""The shuffle reproduces the test vectors in docs/shuffle.md."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from games.rules import GAMES, commitment, shuffled_deck

PAGE = Path(__file__).parents[2] / "docs" / "shuffle.md"


def test_the_published_vectors_are_valid() -> None:
    sections = re.split(r"### Seed `([0-9a-f]{64})`", PAGE.read_text())[1:]
    seeds = dict(zip(sections[::2], sections[1::2], strict=True))
    assert len(seeds) == 3
    for written, text in seeds.items():
        seed = bytes.fromhex(written)
        assert f"Commitment `{commitment(seed)}`" in text
        for game in GAMES:
            deck = shuffled_deck(game, seed)
            digest = hashlib.sha256(" ".join(deck).encode()).hexdigest()
            assert f"- `{game}`: `{' '.join(deck[:16])}` …" in text
            assert digest in text
