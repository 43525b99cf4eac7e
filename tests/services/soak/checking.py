"""Checks after the soak: compares what players were sent with what the service stores.

Results and places are recomputed from the records, with an ordering that shares no code with the boards' own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.rules import End, Record, open_table, replay

JUDGED = ("verified", "rejected", "review")


@dataclass
class Game:
    attempt: str
    player: str
    #: Token and milliseconds, by token number.
    acknowledged: dict[int, tuple[str, int]] = field(default_factory=dict)
    #: Number of tokens and the client's view at that point, built from a full view and the changes since.
    views: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    ended: str = ""
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@dataclass
class Deal:
    id: int
    variant: str
    seed: str


@dataclass
class Kept:
    """One attempt as stored; `tokens` and `clock` come from the record, or from the journal while playing."""

    attempt: str
    player: str
    deal: int
    state: str
    end: str
    end_ms: int
    tokens: list[str]
    clock: list[int]
    finished_at: str
    #: The ids of its results.
    results: list[int]


@dataclass
class Line:
    rank: int
    player: str
    cards_up: int
    elapsed_ms: int
    tokens: int


Boards = dict[tuple[int, str, str], list[Line]]
"""The boards shown, by deal, board and server."""
Seasons = dict[tuple[str, str, str, str], list[Line]]
"""The boards of seasons that include every deal, by period, variant, board and server."""


def find_faults(
    games: Sequence[Game], kept: Sequence[Kept], deals: Sequence[Deal], boards: Boards, seasons: Seasons
) -> list[str]:
    attempts = {one.attempt: one for one in kept}
    dealt = {one.id: one for one in deals}
    found = [f"{game.attempt}: {complaint}" for game in games for complaint in game.complaints]
    for game in games:
        if (attempt := attempts.get(game.attempt)) is None:
            found.append(f"{game.attempt}: is not in the database")
            continue
        found += [f"{game.attempt}: {fault}" for fault in _told(game, attempt, dealt[attempt.deal])]
    scores: dict[str, tuple[int, int, int]] = {}
    for attempt in kept:
        found += [f"{attempt.attempt}: {fault}" for fault in _judged(attempt, dealt[attempt.deal], scores)]
    for (deal, board, server), lines in sorted(boards.items()):
        expected = _ranked([one for one in kept if one.deal == deal and one.attempt in scores], scores, board)
        found += [f"deal {deal}, {board} of {server}: {fault}" for fault in _differences(lines, expected)]
    for (period, variant, board, server), lines in sorted(seasons.items()):
        counted = [one for one in kept if one.attempt in scores and variant in ("", dealt[one.deal].variant)]
        found += [
            f"{period} of {variant or 'all'}, {board} of {server}: {fault}"
            for fault in _differences(lines, _added_up(counted, scores, board))
        ]
    shown = {(deal, board) for deal, board, _ in boards}
    found += [
        f"deal {one.id}: no board was shown" for one in deals if not {(one.id, "race"), (one.id, "fewest")} <= shown
    ]
    return found


def _told(game: Game, attempt: Kept, deal: Deal) -> Iterator[str]:
    """Yield differences between the stored attempt and the messages to its player."""
    for n, (token, ms) in game.acknowledged.items():
        if n > len(attempt.tokens):
            yield f"token {n}, {token}, was acknowledged and is lost"
        elif (attempt.tokens[n - 1], attempt.clock[n - 1]) != (token, ms):
            yield f"token {n} was acknowledged as {token} at {ms} ms, and is {attempt.tokens[n - 1]}"
    if game.ended and attempt.end != game.ended:
        yield f"the player was told {game.ended}, the attempt is {attempt.end or 'running'}"
    for verdict in game.verdicts:
        if verdict["state"] != attempt.state:
            yield f"the player was told {verdict['state']}, the attempt is {attempt.state}"
    yield from _seen(game, attempt, deal)


def _seen(game: Game, attempt: Kept, deal: Deal) -> Iterator[str]:
    """Yield views that differ from what the client's tokens make visible."""
    table = open_table(deal.variant, bytes.fromhex(deal.seed))
    played = 0
    for n, view in sorted(game.views, key=lambda one: one[0]):
        if n > len(attempt.tokens):
            yield f"a view of {n} tokens was shown, and there are {len(attempt.tokens)}"
            return
        for token in attempt.tokens[played:n]:
            table.push(token)
        played = n
        if json.loads(json.dumps(table.view())) != view:
            yield f"the view after {n} tokens is not what may be seen"


def _judged(attempt: Kept, deal: Deal, scores: dict[str, tuple[int, int, int]]) -> Iterator[str]:
    """Yield faults of an attempt's verdict and result; add a verified attempt's score to `scores`."""
    if attempt.state not in JUDGED:
        yield f"is left {attempt.state}"
        return
    expected = 1 if attempt.state == "verified" else 0
    if len(attempt.results) != expected:
        yield f"is {attempt.state} with {len(attempt.results)} results"
    if attempt.state == "rejected":
        yield "an honest game was rejected"
    end = End(attempt.end, attempt.end_ms)  # type: ignore[arg-type] # a wrong one is refused
    seed = bytes.fromhex(deal.seed)
    played = replay(Record(1, deal.variant, None, seed, tuple(attempt.tokens), tuple(attempt.clock), end))
    if not played.ok:
        yield f"its record does not replay: {played.failure}"
    elif expected:
        scores[attempt.attempt] = (played.cards_up, played.elapsed_ms, played.tokens)


def _ranked(attempts: Sequence[Kept], scores: dict[str, tuple[int, int, int]], board: str) -> list[Line]:
    def place(attempt: Kept) -> tuple[Any, ...]:
        return (*_key(scores[attempt.attempt], board), attempt.finished_at, min(attempt.results, default=0))

    ordered = sorted(attempts, key=place)
    return [Line(rank, one.player, *scores[one.attempt]) for rank, one in enumerate(ordered, 1)]


def _added_up(attempts: Sequence[Kept], scores: dict[str, tuple[int, int, int]], board: str) -> list[Line]:
    """Return the lines that a season's board must have.

    They are sums per player; equal sums are ordered by the earlier last finish.
    """
    sums: dict[str, tuple[int, int, int]] = {}
    last: dict[str, str] = {}
    for one in attempts:
        so_far, score = sums.get(one.player, (0, 0, 0)), scores[one.attempt]
        sums[one.player] = (so_far[0] + score[0], so_far[1] + score[1], so_far[2] + score[2])
        last[one.player] = max(last.get(one.player, ""), one.finished_at)
    ordered = sorted(sums, key=lambda player: (*_key(sums[player], board), last[player]))
    return [Line(rank, player, *sums[player]) for rank, player in enumerate(ordered, 1)]


def _key(score: tuple[int, int, int], board: str) -> tuple[int, int, int]:
    cards_up, elapsed_ms, tokens = score
    return (-cards_up, elapsed_ms, tokens) if board == "race" else (-cards_up, tokens, elapsed_ms)


def _differences(shown: Sequence[Line], expected: Sequence[Line]) -> Iterator[str]:
    if len(shown) != len(expected):
        yield f"{len(shown)} lines instead of {len(expected)}"
    for ours, theirs in zip(expected, shown, strict=False):
        if ours != theirs:
            yield f"{theirs} instead of {ours}"
            return
