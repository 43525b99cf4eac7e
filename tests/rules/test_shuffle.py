"""The shuffle: the test vectors of docs/shuffle.md, rejected words, and invalid seeds."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest

from games.rules import GAMES, commitment, shuffle, shuffled_deck
from games.rules.errors import SeedError

SEED = bytes(32)
HIGHEST = 0xFFFF_FFFF


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Clear the cache, so that no deck comes from another stream of words."""
    shuffle._order.cache_clear()
    yield
    shuffle._order.cache_clear()


def test_words_from_the_last_whole_multiple_on_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2**32 leaves 1 when divided by 3, so accepting the highest word would make the first side likelier.
    for word, card in ((HIGHEST - 1, 2), (HIGHEST, 1)):
        words = iter([word, 1, 0, 0])
        monkeypatch.setattr(shuffle, "words", lambda _seed, words=words: words)
        shuffle._order.cache_clear()
        deck = shuffle.shuffled([0, 1, 2], SEED)
        assert deck[2] == card, hex(word)


def test_a_power_of_two_skips_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffle, "words", lambda _seed: iter([HIGHEST]))
    assert shuffle.shuffled([7, 8], SEED) == [7, 8]


def test_each_card_swaps_with_one_below_or_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffle, "words", lambda _seed: repeat(0))
    assert shuffle.shuffled([0, 1, 2, 3], SEED) == [1, 2, 3, 0]


def test_a_shuffled_deck_is_cached_and_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[bytes] = []
    words = shuffle.words

    def counted(seed: bytes) -> Iterator[int]:
        seeds.append(seed)
        return words(seed)

    monkeypatch.setattr(shuffle, "words", counted)
    cards = list(range(52))
    first = shuffle.shuffled(cards, SEED)
    first.reverse()
    assert shuffle.shuffled(cards, SEED) == first[::-1]
    assert seeds == [SEED]
    assert sorted(shuffle.shuffled(cards[:51], SEED)) == cards[:51]
    assert shuffle.shuffled(cards, bytes(31) + b"\1") != first[::-1]
    assert len(seeds) == 3


@pytest.mark.parametrize(
    "text",
    [*("", "0" * 63, "0" * 65, "0x" + "0" * 62, " " + "0" * 63, b"0" * 64, 0, None), *(sign * 64 for sign in "g é٠")],
)
def test_a_seed_needs_64_hexadecimal_digits(text: object) -> None:
    with pytest.raises(SeedError, match="a seed is written as 64 hexadecimal digits"):
        shuffle.read_seed(text)


def test_a_seed_has_no_spaces() -> None:
    # bytes.fromhex would accept them.
    with pytest.raises(SeedError, match="64 hexadecimal digits"):
        shuffle.read_seed(" ".join(["00"] * 21) + " 0")
    with pytest.raises(SeedError, match="64 hexadecimal digits"):
        shuffle.read_seed("00 " * 21 + " ")


def test_any_32_bytes_are_a_seed() -> None:
    assert {type(shuffle.check_seed(kind(SEED))) for kind in (bytes, bytearray, memoryview)} == {bytes}


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
