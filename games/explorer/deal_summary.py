"""Summary of what was played at a deal: where most lost it, who found the key move, the winners' common path."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median_low
from typing import Final

import msgspec

from games.explorer.counts import SHARED
from games.explorer.trails import Trail
from games.explorer.verdict_graph import Verdict, VerdictGraph

#: Share of the winners that have a move in common on their path.
_MOST: Final = 0.5


class KeyMove(msgspec.Struct):
    """The position at which more games lost the deal than at any other, and the move that would have avoided it.

    `line` leads to the position; `token` is the most frequent move that kept the deal winnable, empty if there was
    none. `number` is the number of that move, counting moves that stood. Of the `games` that came through, `lost` lost
    the deal by their move here, and `found` kept it winnable.
    """

    digest: int
    line: list[str]
    number: int
    token: str
    games: int
    lost: int
    found: int


class DealSummary(msgspec.Struct):
    """The key move, or None if no two games are known to have lost at the same position.

    Half of the losses whose move is known came by the move with the number `half_lost_by`. `path` has the moves that
    most of the winners share from the start on.
    """

    key: KeyMove | None = None
    half_lost_by: int | None = None
    path: list[str] = []


def summary_of(trails: Sequence[Trail], graph: VerdictGraph) -> DealSummary:
    """Summarise the games of a deal."""
    lost = [(number, one) for one in trails if not one.game.won and (number := graph.losing_step(one)) is not None]
    half = median_low(number for number, _ in lost) if lost else None
    return DealSummary(_key_move(trails, lost, graph), half, common_path([one for one in trails if one.game.won]))


def step_from(trail: Trail, digest: int) -> tuple[str, int] | None:
    """Return the move that a game made from a position and that stood, with the digest after it; None if none did."""
    for n, after in pairwise(trail.standing):
        if trail.digests[n] == digest:
            return trail.game.tokens[after - 1], trail.digests[after]
    return None


def _key_move(trails: Sequence[Trail], lost: Sequence[tuple[int, Trail]], graph: VerdictGraph) -> KeyMove | None:
    """Return the key move; `lost` has the games whose losing moves are known, with the numbers of those moves."""
    by_place: dict[int, list[tuple[int, Trail]]] = defaultdict(list)
    for number, trail in lost:
        by_place[trail.digests[trail.standing[number - 1]]].append((number, trail))
    digest = max(by_place, key=lambda one: len(by_place[one]), default=None)
    if digest is None or len(by_place[digest]) < SHARED:
        return None
    made = [step for trail in trails if (step := step_from(trail, digest)) is not None]
    right = Counter(token for token, after in made if graph[after] == Verdict.WINNABLE)
    number = median_low(number for number, _ in by_place[digest])
    example = next(trail for at, trail in by_place[digest] if at == number)
    return KeyMove(
        digest=digest,
        line=example.line[: number - 1],
        number=number,
        token=right.most_common(1)[0][0] if right else "",
        games=len(made),
        lost=len(by_place[digest]),
        found=right.total(),
    )


def common_path(winners: Sequence[Trail]) -> list[str]:
    """Return the longest line of moves that stood in most of the winners' games, orders of commuting moves folded."""
    if len(winners) < SHARED:
        return []
    steps: dict[int, Counter[tuple[str, int]]] = defaultdict(Counter)
    for trail in winners:
        digests = [trail.digests[n] for n in trail.standing]
        steps_made = zip(digests, zip(trail.line, digests[1:], strict=True), strict=False)
        for digest, step in dict(steps_made).items():
            steps[digest][step] += 1
    path, digest, seen = list[str](), winners[0].digests[0], set[int]()
    while digest in steps and digest not in seen:
        seen.add(digest)
        (token, after), games = steps[digest].most_common(1)[0]
        if games <= _MOST * len(winners):
            break
        path.append(token)
        digest = after
    return path
