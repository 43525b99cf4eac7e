"""Counts of what was played at each position of a deal, and their packed form. Pure: no database."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

import msgspec

from games.explorer.trails import Trail
from games.explorer.verdict_graph import VerdictGraph
from games.rules.tokens import UNDO, WORDS

#: Number of games below which a position is left out: it is part of one game only, and its replay shows it.
SHARED: Final = 2
#: Approximate number of positions in a chunk.
CHUNK: Final = 500


class PlayedMove(msgspec.Struct, array_like=True):
    """A move made from a position: the games that made it, how many of them won or lost the deal by it, and the verdict
    on the position after it (`games.explorer.verdict_graph.Verdict`).
    """

    token: str
    games: int
    wins: int
    lost: int
    verdict: int


class Crossing(msgspec.Struct, array_like=True):
    """A position that several games came through: how many, how many of them won, the median of their times from here
    to the end in ms, the verdict, and the moves made, most frequent first.

    A game counts once, and once for each move that it made here, also for those it took back.
    """

    games: int
    wins: int
    median_ms: int
    verdict: int
    moves: list[PlayedMove]


def crossings(trails: Sequence[Trail], graph: VerdictGraph) -> dict[int, Crossing]:
    """Count the games at each position that several came through, and at the first one; keys are digests."""
    visits = Counter(digest for trail in trails for digest in set(trail.digests))
    counted = {digest for digest, games in visits.items() if games >= SHARED}
    counted.update(trail.digests[0] for trail in trails[:1])
    times, wins = defaultdict[int, list[int]](list), Counter[int]()
    moves = defaultdict[int, dict[str, PlayedMove]](dict)
    for trail in trails:
        for digest, ms in _first_visits(trail).items():
            if digest in counted:
                times[digest].append(trail.game.end_ms - ms)
                wins[digest] += trail.game.won
        _count_moves(trail, graph, counted, moves)
    return {
        digest: Crossing(
            visits[digest], wins[digest], round(median(times[digest])), graph[digest], _by_games(moves[digest])
        )
        for digest in counted
    }


def _first_visits(trail: Trail) -> dict[int, int]:
    """Return the time at which the game first reached each of its positions, in ms."""
    found: dict[int, int] = {}
    for digest, ms in zip(trail.digests, [0, *trail.game.clock], strict=True):
        found.setdefault(digest, ms)
    return found


def _count_moves(
    trail: Trail, graph: VerdictGraph, counted: set[int], moves: Mapping[int, dict[str, PlayedMove]]
) -> None:
    made = {
        (trail.digests[n], token): trail.digests[n + 1]
        for n, token in enumerate(trail.game.tokens)
        if token != WORDS[UNDO] and trail.digests[n] in counted
    }
    number = None if trail.game.won else graph.losing_step(trail)
    losing = None
    if number is not None:
        n = trail.standing[number]
        losing = trail.digests[trail.standing[number - 1]], trail.game.tokens[n - 1]
    for (digest, token), after in made.items():
        move = moves[digest].setdefault(token, PlayedMove(token, 0, 0, 0, graph[after]))
        move.games += 1
        move.wins += trail.game.won
        move.lost += (digest, token) == losing


def _by_games(moves: Mapping[str, PlayedMove]) -> list[PlayedMove]:
    return sorted(moves.values(), key=lambda move: (-move.games, -move.wins, move.token))


def pack(found: Mapping[int, Crossing]) -> list[bytes]:
    """Pack the positions into chunks; the one with a digest is in the chunk `digest % len(chunks)`."""
    number = -(-len(found) // CHUNK)
    chunks: list[dict[int, Crossing]] = [{} for _ in range(number)]
    for digest, crossing in found.items():
        chunks[digest % number][digest] = crossing
    return [zlib.compress(msgspec.msgpack.encode(chunk), 9) for chunk in chunks]


def unpack(chunk: bytes, digest: int) -> Crossing | None:
    """Return one position of a chunk, or None if it is not there."""
    packed = msgspec.msgpack.decode(zlib.decompress(chunk), type=dict[int, msgspec.Raw])
    return msgspec.msgpack.decode(packed[digest], type=Crossing) if digest in packed else None
