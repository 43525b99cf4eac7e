"""Checks after the soak: compares what players were sent with what the service stores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.rules import End, Record, open_table, replay

JUDGED = ("verified", "rejected", "review")
#: States of racers by the end of their games.
RACED = {"won": "won", "resigned": "retired", "closed": "timed_out"}


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
    variant: str
    seed: str
    for_race: bool
    state: str
    end: str
    end_ms: int
    tokens: list[str]
    clock: list[int]
    results: int


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


Score = tuple[int, int, int]
"""Sort key of a result; a winner has all cards up."""


def find_faults(games: Sequence[Game], kept: Sequence[Kept]) -> list[str]:
    """Return all faults of the games."""
    attempts = {one.attempt: one for one in kept}
    found = [f"{game.attempt}: {complaint}" for game in games for complaint in game.complaints]
    for game in games:
        if (attempt := attempts.get(game.attempt)) is None:
            found.append(f"{game.attempt}: is not in the database")
            continue
        found += [f"{game.attempt}: {fault}" for fault in _told(game, attempt)]
    dailies = [attempt for attempt in kept if not attempt.for_race]
    return found + [f"{attempt.attempt}: {fault}" for attempt in dailies for fault in _misjudged(attempt)]


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
    if attempt.results != expected:
        yield f"is {attempt.state} with {attempt.results} results"
    if attempt.state == "rejected":
        yield "an honest game was rejected"
    if score_of(attempt) is None:
        yield "its record does not replay"


def score_of(attempt: Kept) -> Score | None:
    """Return the score of a finished attempt, less being better; None if its record does not replay."""
    end = End(attempt.end, attempt.end_ms)  # type: ignore[arg-type] # a wrong one is refused
    seed = bytes.fromhex(attempt.seed)
    played = replay(Record(1, attempt.variant, None, seed, tuple(attempt.tokens), tuple(attempt.clock), end))
    if not played.ok:
        return None
    if played.won:
        return -played.cards_up, played.elapsed_ms, played.tokens
    return -played.cards_up, played.progress_ms, -played.tokens


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


def _scores(kept: Sequence[Kept], outcome: Outcome) -> dict[int, Score]:
    """Return the scores of those who raced, computed from the records, by entrant."""
    attempts = {one.attempt: one for one in kept}
    raced = [one for one in outcome.entrants if one["state"] in RACED.values() and one["attempt"] in attempts]
    return {one["id"]: score for one in raced if (score := score_of(attempts[one["attempt"]]))}


def _places(kept: Sequence[Kept], outcome: Outcome) -> dict[int, int]:
    """Return the places by entrant: one more than the number of better games."""
    scores = _scores(kept, outcome)
    return {entrant: 1 + sum(other < own for other in scores.values()) for entrant, own in scores.items()}
