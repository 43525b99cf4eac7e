"""Perft: the number of legal move sequences from fixed positions is the one that engine and reference agreed on."""

from __future__ import annotations

import pytest

from games.rules import from_position
from tests.rules import perft
from tests.rules.reference import VARIANTS

SLOW_LIMIT = 1000
"""Largest count that the tests repeat with the reference; `python -m tests.rules.perft` recounts everything."""


@pytest.mark.parametrize("name", VARIANTS)
def test_the_engines_counts_match_the_stored_ones(name: str) -> None:
    blocks = perft.read_blocks(name)
    assert len(blocks) >= 4
    for block in blocks:
        table = block.open()
        before = table.position(), table.view()
        counts = [perft.count(table, depth) for depth in range(1, len(block.counts) + 1)]
        assert counts == list(block.counts), "\n".join(first_difference(block, counts))
        assert (table.position(), table.view()) == before
        read = from_position(table.position())
        assert perft.count(read, 2) == block.counts[1]


@pytest.mark.parametrize("name", VARIANTS)
def test_the_references_counts_match_the_stored_ones(name: str) -> None:
    for block in perft.read_blocks(name):
        slow = block.open_slow()
        for depth, frozen in enumerate(block.counts, 1):
            if frozen > SLOW_LIMIT:
                break
            assert perft.count_slowly(slow, depth) == frozen, f"depth {depth} of {block.text()}"


def first_difference(block: perft.Block, counts: list[int]) -> list[str]:
    """Divide the first count that differs from the frozen one."""
    depth = next(place for place, pair in enumerate(zip(counts, block.counts, strict=True), 1) if pair[0] != pair[1])
    return perft.divide(block.open(), block.open_slow(), depth)
