"""Checks after the soak: compares what players were sent with what the service stores.

Results, places, points and standings are recomputed from the records, with an ordering that shares no code with the
service's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.rules import End, Record, open_table, replay

JUDGED = ("verified", "rejected", "review")
#: States of racers by the end of their games.
RACED = {"won": "won", "resigned": "retired", "closed": "timed_out"}
DIVISION = 16
PODIUM = 3


@dataclass
class Game:
    """What a player was told at a table."""

    attempt: str
    #: Token and milliseconds, by token number.
    acknowledged: dict[int, tuple[str, int]] = field(default_factory=dict)
    #: Number of tokens and the client's view at that point, built from a full view and the changes since.
    views: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    ended: str = ""
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    #: When the first view arrived, in seconds since 1970.
    dealt_at: float = 0.0


@dataclass
class Kept:
    """One attempt as stored; `tokens` and `clock` come from the record, or from the journal while playing."""

    attempt: str
    player: str
    deal: int
    variant: str
    seed: str
    for_race: bool
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


@dataclass
class Outcome:
    """A race as stored; see `tests.services.control_races.outcome`."""

    id: int
    state: str
    starts_at: float
    is_revealed: bool
    entrants: list[dict[str, Any]]
    rating_changes: list[int]
    rating_faults: list[str]
    deal: int


@dataclass
class Day:
    """A race of the day as shown; see `tests.services.control_races.day_results`."""

    veterans: list[str]
    """Players with a verified daily game: they count for the points of those ahead."""
    podium: list[list[Any]]
    """Player, cards up and milliseconds of the first three."""
    standing: dict[str, list[int]]
    """Place, points, heats and wins, by player."""


Score = tuple[int, int, int]
"""Cards up, milliseconds and tokens."""
Boards = dict[tuple[int, str, str], list[Line]]
"""The boards shown, by deal, board and server."""
Seasons = dict[tuple[str, str, str, str], list[Line]]
"""The boards of seasons that include every deal, by period, variant, board and server."""


def find_faults(games: Sequence[Game], kept: Sequence[Kept], boards: Boards, seasons: Seasons) -> list[str]:
    """Return all faults of the games and of the boards."""
    attempts = {one.attempt: one for one in kept}
    found = [f"{game.attempt}: {complaint}" for game in games for complaint in game.complaints]
    for game in games:
        if (attempt := attempts.get(game.attempt)) is None:
            found.append(f"{game.attempt}: is not in the database")
            continue
        found += [f"{game.attempt}: {fault}" for fault in _told(game, attempt)]
    dailies = [attempt for attempt in kept if not attempt.for_race]
    found += [f"{attempt.attempt}: {fault}" for attempt in dailies for fault in _misjudged(attempt)]
    scores = {one.attempt: score for one in dailies if one.state == "verified" and (score := score_of(one))}
    for (deal, board, server), lines in sorted(boards.items()):
        expected = _ranked([one for one in dailies if one.deal == deal and one.attempt in scores], scores, board)
        found += [f"deal {deal}, {board} of {server}: {fault}" for fault in _differences(lines, expected)]
    for (period, variant, board, server), lines in sorted(seasons.items()):
        counted = [one for one in dailies if one.attempt in scores and variant in ("", one.variant)]
        found += [
            f"{period} of {variant or 'all'}, {board} of {server}: {fault}"
            for fault in _differences(lines, _added_up(counted, scores, board))
        ]
    shown = {(deal, board) for deal, board, _ in boards}
    missing = {(one.deal, board) for one in dailies for board in ("race", "fewest")} - shown
    return found + [f"deal {deal}: {board} was not shown" for deal, board in sorted(missing)]


def _told(game: Game, attempt: Kept) -> Iterator[str]:
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
    yield from _seen(game, attempt)


def _seen(game: Game, attempt: Kept) -> Iterator[str]:
    """Yield views that differ from what the client's tokens make visible."""
    table = open_table(attempt.variant, bytes.fromhex(attempt.seed))
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


def _misjudged(attempt: Kept) -> Iterator[str]:
    """Yield faults of a daily attempt's verdict and result."""
    if attempt.state not in JUDGED:
        yield f"is left {attempt.state}"
        return
    expected = 1 if attempt.state == "verified" else 0
    if len(attempt.results) != expected:
        yield f"is {attempt.state} with {len(attempt.results)} results"
    if attempt.state == "rejected":
        yield "an honest game was rejected"
    if score_of(attempt) is None:
        yield "its record does not replay"


def score_of(attempt: Kept) -> Score | None:
    """Return the score of a finished attempt, None if its record does not replay."""
    end = End(attempt.end, attempt.end_ms)  # type: ignore[arg-type] # a wrong one is refused
    seed = bytes.fromhex(attempt.seed)
    played = replay(Record(1, attempt.variant, None, seed, tuple(attempt.tokens), tuple(attempt.clock), end))
    return (played.cards_up, played.elapsed_ms, played.tokens) if played.ok else None


def _ranked(attempts: Sequence[Kept], scores: Mapping[str, Score], board: str) -> list[Line]:
    def place(attempt: Kept) -> tuple[Any, ...]:
        return (*_key(scores[attempt.attempt], board), attempt.finished_at, min(attempt.results, default=0))

    ordered = sorted(attempts, key=place)
    return [Line(rank, one.player, *scores[one.attempt]) for rank, one in enumerate(ordered, 1)]


def _added_up(attempts: Sequence[Kept], scores: Mapping[str, Score], board: str) -> list[Line]:
    """Return the lines that a season's board must have.

    They are sums per player; equal sums are ordered by the earlier last finish.
    """
    sums: dict[str, Score] = {}
    last: dict[str, str] = {}
    for one in attempts:
        so_far, score = sums.get(one.player, (0, 0, 0)), scores[one.attempt]
        sums[one.player] = (so_far[0] + score[0], so_far[1] + score[1], so_far[2] + score[2])
        last[one.player] = max(last.get(one.player, ""), one.finished_at)
    ordered = sorted(sums, key=lambda player: (*_key(sums[player], board), last[player]))
    return [Line(rank, player, *sums[player]) for rank, player in enumerate(ordered, 1)]


def _key(score: Score, board: str = "race") -> Score:
    cards_up, elapsed_ms, tokens = score
    return (-cards_up, elapsed_ms, tokens) if board == "race" else (-cards_up, tokens, elapsed_ms)


def _differences(shown: Sequence[Line], expected: Sequence[Line]) -> Iterator[str]:
    if len(shown) != len(expected):
        yield f"{len(shown)} lines instead of {len(expected)}"
    for ours, theirs in zip(expected, shown, strict=False):
        if ours != theirs:
            yield f"{theirs} instead of {ours}"
            return


# --- Races ----------------------------------------------------------------------------------------------------------


def find_race_faults(games: Sequence[Game], kept: Sequence[Kept], outcome: Outcome) -> list[str]:
    """Return all faults of a race during which anything may have died: it may be void, but not unfair."""
    if outcome.state not in ("finished", "void"):
        return [f"is left {outcome.state}"]
    found = [*outcome.rating_faults]
    places, raced = _places(kept, outcome) if outcome.state == "finished" else {}, set(_scores(kept, outcome))
    if outcome.state == "finished" and not outcome.is_revealed:
        found.append("the seed of a finished race is not public")
    for one in outcome.entrants:
        if one["place"] != places.get(one["id"]):
            found.append(f"entrant {one['id']} has place {one['place']} instead of {places.get(one['id'])}")
        if one["id"] in raced and outcome.state == "finished" and one["verdict"] != "verified":
            found.append(f"entrant {one['id']}: an honest game is {one['verdict']}")
    if not set(outcome.rating_changes) <= (raced if outcome.state == "finished" else set()):
        found.append(f"the ratings of {outcome.rating_changes} have changed")
    attempts = {one["attempt"] for one in outcome.entrants}
    dealt = {game.attempt: outcome.starts_at - game.dealt_at for game in games if game.dealt_at}
    return found + [
        f"{attempt}: cards were dealt {early:.3f} s before the start"
        for attempt, early in dealt.items()
        if attempt in attempts and early > 0
    ]


def find_day_faults(kept: Sequence[Kept], outcomes: Sequence[Outcome], day: Day) -> list[str]:
    """Return all faults of a race of the day: sizes of its divisions, points, podium and standing."""
    found = [*_misdivided(outcomes)]
    points, standing, podium = dict[str, int](), dict[str, list[int]](), list[tuple[Score, int, str]]()
    for outcome in outcomes:
        scores, places = _scores(kept, outcome), _places(kept, outcome)
        players = {one["id"]: one["player"] for one in outcome.entrants}
        counted = [_key(score) for entrant, score in scores.items() if players[entrant] in day.veterans]
        for one in outcome.entrants:
            score = scores.get(one["id"])
            expected = None if score is None else 1 + sum(other > _key(score) for other in counted)
            if one["points"] != expected:
                found.append(f"entrant {one['id']} has {one['points']} points, not {expected}")
            if score is not None and expected is not None:
                points[one["player"]] = expected
                standing[one["player"]] = [0, expected, 1, int(one["state"] == "won" and places[one["id"]] == 1)]
                podium.append((_key(score), one["id"], one["player"]))
    for player, row in standing.items():
        row[0] = 1 + sum(other > points[player] for other in points.values())
    first = [[player, -key[0], key[1]] for key, _, player in sorted(podium)[:PODIUM]]
    if day.podium != first:
        found.append(f"the podium is {day.podium} instead of {first}")
    return found + [
        f"{player} stands at {day.standing.get(player)} instead of {standing.get(player)}"
        for player in sorted(standing.keys() | day.standing.keys())
        if day.standing.get(player) != standing.get(player)
    ]


def _scores(kept: Sequence[Kept], outcome: Outcome) -> dict[int, Score]:
    """Return the scores of those who raced, computed from the records, by entrant."""
    attempts = {one.attempt: one for one in kept}
    raced = [one for one in outcome.entrants if one["state"] in RACED.values() and one["attempt"] in attempts]
    return {one["id"]: score for one in raced if (score := score_of(attempts[one["attempt"]]))}


def _places(kept: Sequence[Kept], outcome: Outcome) -> dict[int, int]:
    """Return the places by entrant: one more than the number of better games."""
    scores = {entrant: _key(score) for entrant, score in _scores(kept, outcome).items()}
    return {entrant: 1 + sum(other < own for other in scores.values()) for entrant, own in scores.items()}


def _misdivided(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield divisions that are unfair: of unequal size, on different deals, or with different starts."""
    sizes = [len(outcome.entrants) for outcome in outcomes]
    if len(sizes) != -(-sum(sizes) // DIVISION) or max(sizes) - min(sizes) > 1:
        yield f"the divisions have {sizes} players"
    if len({(outcome.deal, outcome.starts_at) for outcome in outcomes}) != 1:
        yield "the divisions differ in deal or start"
    players = [entrant["player"] for outcome in outcomes for entrant in outcome.entrants]
    if len(set(players)) != len(players):
        yield "a player is in two divisions"
