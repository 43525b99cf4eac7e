"""Counts at each position: equal to a plain replay of all records, folded, compact."""

from __future__ import annotations

import zlib
from collections import defaultdict
from statistics import median

import pytest

from games.explorer.counts import CHUNK, Crossing, PlayedMove, crossings, pack, unpack
from games.explorer.trails import PlayedGame, digest_of, trail_of
from games.explorer.verdict_graph import Verdict, VerdictGraph
from games.rules import GAMES, from_position, open_table
from tests.games.explorer.played import certified_line, wanderer, winner


def counted(opening: str, games: list[PlayedGame]) -> dict[int, Crossing]:
    trails = [trail_of(opening, game, version=1) for game in games]
    return crossings(trails, VerdictGraph(trails))


def replayed(opening: str, games: list[PlayedGame]) -> dict[str, tuple[int, int, int, dict[str, tuple[int, int]]]]:
    """Count by position text, game by game: games, wins, median time, and games and wins of each move."""
    left: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    moves: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        table = from_position(opening)
        reached, moved = {table.position(): 0}, set()
        for token, ms in zip(game.tokens, game.clock, strict=True):
            before = table.position()
            table.push(token)
            reached.setdefault(table.position(), ms)
            if token != "u":
                moved.add((before, token))
        for text, ms in reached.items():
            left[text].append((game.end_ms - ms, game.won))
        for text, token in moved:
            moves[text][token].append(game.won)
    return {
        text: (
            len(times),
            sum(won for _, won in times),
            round(median(ms for ms, _ in times)),
            {token: (len(wins), sum(wins)) for token, wins in moves[text].items()},
        )
        for text, times in left.items()
    }


@pytest.mark.parametrize("variant", GAMES)
def test_counts_equal_a_replay_of_all_records(variant: str) -> None:
    record = certified_line(variant)
    opening = record.open_table().position()
    games = [winner(record), winner(record, pace=700), *(wanderer(record, number) for number in range(12))]
    expected = {digest_of(from_position(text)): figures for text, figures in replayed(opening, games).items()}
    found = counted(opening, games)
    assert found.keys() == {digest for digest, figures in expected.items() if figures[0] > 1}
    for digest, one in found.items():
        moves = {move.token: (move.games, move.wins) for move in one.moves}
        assert (one.games, one.wins, one.median_ms, moves) == expected[digest]
    assert sum(one.games for one in found.values()) > len(games) * 5


def test_commuting_moves_lead_to_one_position() -> None:
    table = open_table("stonewall", bytes(32))
    first, second = next(
        (one, other)
        for one in table.legal_moves()
        for other in table.legal_moves()
        if one.split("-")[0] != other.split("-")[0] and commute(one, other)
    )
    games = [PlayedGame([first, second], [1, 2], 3, won=False), PlayedGame([second, first], [1, 2], 9, won=False)]
    found = counted(table.position(), games)
    table.push(first)
    table.push(second)
    assert found[digest_of(table)] == Crossing(2, 0, 4, Verdict.UNKNOWN, [])
    assert len(found) == 2


def commute(*tokens: str) -> bool:
    texts = set()
    for order in (tokens, tokens[::-1]):
        table = open_table("stonewall", bytes(32))
        for token in order:
            if not table.is_legal(token):
                return False
            table.push(token)
        texts.add(table.position())
    return len(texts) == 1


def test_a_game_counts_once_however_often_it_returns() -> None:
    record = certified_line()
    opening = record.open_table().position()
    back = PlayedGame(["d", "u", "d", "u", "d"], [10, 20, 30, 40, 50], 90, won=False)
    found = counted(opening, [back])
    assert list(found.values()) == [Crossing(1, 0, 90, Verdict.UNKNOWN, [PlayedMove("d", 1, 0, 0, Verdict.UNKNOWN)])]


def test_packed_positions_are_read_one_by_one() -> None:
    found = {number**7 % 2**64: Crossing(number, 1, 5, 1, [PlayedMove("d", 2, 1, 0, 0)]) for number in range(1, 1200)}
    chunks = pack(found)
    assert len(chunks) == -(-len(found) // CHUNK)
    assert {digest: unpack(chunks[digest % len(chunks)], digest) for digest in found} == found
    assert unpack(chunks[0], len(chunks)) is None
    assert pack({}) == []
    assert all(len(chunk) < len(zlib.decompress(chunk)) for chunk in chunks)
