"""Alignment of two lines, and the times between tokens."""

from __future__ import annotations

from random import Random

import pytest

from games.fairplay.alignment import Alignment, align
from games.fairplay.move_gaps import Kind, gaps_of, spreads
from games.rules import End, Record
from tests.games import certified
from tests.games.fairplay.copying import disguised, played


def won(variant: str) -> Record:
    return certified.won(variant)[0]


def with_tokens(record: Record, tokens: list[str]) -> Record:
    clock = tuple(range(0, 900 * len(tokens), 900))
    return Record(record.version, record.name, None, record.seed, tuple(tokens), clock, End("won", clock[-1]))


def shown(found: Alignment, side: int) -> list[str]:
    return [cell.token for row in found.rows if (cell := (row.left, row.right)[side]) is not None]


@pytest.mark.parametrize("variant", ["stonewall", "tarot", "plot", "braid"])
def test_a_line_is_aligned_with_itself(variant: str) -> None:
    record = won(variant)
    found = align(record, record)
    assert all(row.same for row in found.rows)
    assert shown(found, 0) == shown(found, 1) == list(record.tokens)
    assert found.likeness == 1.0
    assert found.common_bits == pytest.approx(found.bits[0]) == pytest.approx(found.bits[1])


@pytest.mark.parametrize("variant", ["stonewall", "tarot"])
def test_a_disguised_copy_is_aligned_with_its_original(variant: str) -> None:
    record = won(variant)
    copied = disguised(variant, record.seed, record.tokens, Random(variant))
    found = align(record, with_tokens(record, copied))
    assert shown(found, 0) == list(record.tokens)
    assert shown(found, 1) == copied
    decided = [row.left for row in found.rows if row.left is not None and row.left.decides]
    assert sum(cell.common for cell in decided) >= 0.9 * len(decided)
    assert sum(row.same for row in found.rows) > len(record.tokens) / 2
    assert found.likeness >= 0.7


def test_undone_moves_are_marked() -> None:
    record = won("stonewall")
    other = next(token for token in record.open_table().legal_moves() if token != record.tokens[0])
    found = align(record, with_tokens(record, [other, "u", *record.tokens]))
    apart = [(row.right.token, row.right.undone) for row in found.rows if row.right is not None and not row.same]
    assert apart == [(other, True), ("u", True)]
    assert sum(row.same for row in found.rows) == len(record.tokens)


def test_two_different_games_share_little() -> None:
    record = won("stonewall")
    table = played("stonewall", record.seed, Random(1), strays=0.8)
    found = align(record, with_tokens(record, list(table.moves)))
    assert found.likeness < 0.7
    assert shown(found, 1) == list(table.moves)


def test_gaps_by_kind_of_token_leave_out_the_servers() -> None:
    record = Record(
        1,
        "tarot",
        None,
        bytes(32),
        ("d", "w-t1", "u", "n", "t1-f"),
        (500, 1_700, 1_900, 5_000, 5_000),
        End("closed", 9_000),
    )
    gaps = gaps_of(record, [[5, 5]])
    assert [(gap.n, gap.kind, gap.ms) for gap in gaps] == [
        (1, Kind.DRAW, 500),
        (2, Kind.PLAY, 1_200),
        (3, Kind.UNDO, 200),
        (4, Kind.DRAW, 3_100),
        (5, Kind.SERVED, 0),
    ]
    draws = next(one for one in spreads(gaps) if one.kind == Kind.DRAW)
    assert (draws.number, draws.shortest, draws.middle, draws.longest) == (2, 500, 1_800, 3_100)
