"""Checks after a race: compares what racers and spectators were sent with what the service stores.

Places are recomputed from the records, with an ordering that shares no code with the service's own.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from games.rules import Record, replay
from tests.services.racing.racers import Racer
from tests.services.racing.watching import Client, Watcher

STATES = {"won": "won", "resigned": "retired", "closed": "timed_out"}
#: Data that a table shows and a room never does: cards and tokens.
CARD = re.compile(r'"[A2-9TJQK][SHDC]"')
SECRET_KEYS = frozenset({"view", "piles", "legal", "token", "seed", "solution", "changes", "record"})
BEFORE_THE_START = frozenset({"waiting", "error", "pong"})


@dataclass(frozen=True)
class Outcome:
    """A race as stored in the database; see `tests.services.control_races.outcome`."""

    state: str
    starts_at: float
    is_revealed: bool
    entrants: list[dict[str, Any]]
    rating_changes: list[int]
    rating_faults: list[str]
    deal: int


def find_faults(racers: Sequence[Racer], watchers: Sequence[Watcher], outcome: Outcome, seed: bytes) -> list[str]:
    """Return all faults of a rated race in which all raced to the end."""
    found = [] if outcome.state == "finished" else [f"the race is {outcome.state}"]
    if not outcome.is_revealed:
        found.append("the seed of a finished race is not public")
    for number, racer in enumerate(racers):
        mine = next((one for one in outcome.entrants if one["attempt"] == racer.attempt), None)
        if mine is None:
            found.append(f"racer {number}: is in no race")
        else:
            found += [f"racer {number}: {fault}" for fault in _told(racer, mine)]
    if len(outcome.entrants) != len(racers):
        found.append(f"{len(outcome.entrants)} entrants instead of {len(racers)}")
    found += _misplaced(outcome.entrants)
    found += _misrated(outcome)
    for viewer in (*(racer.room for racer in racers), *watchers):
        found += [*viewer.complaints, *_seen(viewer, outcome), *_leaks(viewer, seed)]
    found += [fault for racer in racers for fault in _at_the_table(racer, outcome.starts_at, seed)]
    return found


def find_survivors_faults(racers: Sequence[Racer], outcome: Outcome, seed: bytes) -> list[str]:
    """Return all faults of a rated race during which anything may have died: it may be void, but not unfair."""
    found = [] if outcome.state in ("finished", "void") else [f"is left {outcome.state}"]
    for number, racer in enumerate(racers):
        mine = next((one for one in outcome.entrants if racer.attempt and one["attempt"] == racer.attempt), None)
        if mine is not None and mine["record"] is not None:
            kept = Record.from_json(mine["record"])
            found += [f"racer {number}: {fault}" for fault in (*_lost(racer, kept), *racer.table.complaints)]
        found += [f"racer {number}: {fault}" for fault in _at_the_table(racer, outcome.starts_at, seed)]
        found += _leaks(racer.room, seed)
    raced = [one["id"] for one in outcome.entrants if one["state"] in STATES.values()]
    if outcome.state == "finished":
        found += _misplaced(outcome.entrants)
    elif any(one["place"] for one in outcome.entrants):
        found.append("places were given in a race that is void")
    if not set(outcome.rating_changes) <= set(raced if outcome.state == "finished" else ()):
        found.append(f"the ratings of {outcome.rating_changes} have changed")
    return found + outcome.rating_faults


def _told(racer: Racer, entrant: dict[str, Any]) -> Iterator[str]:
    """Yield differences between the stored record and the messages to the racer."""
    yield from racer.table.complaints
    if entrant["record"] is None:
        yield f"has no record, and is {entrant['state']}"
        return
    record = Record.from_json(entrant["record"])
    yield from _lost(racer, record)
    if len(record.tokens) > len(racer.plan.tokens):
        yield f"{len(record.tokens)} tokens are kept, and {len(racer.plan.tokens)} were played"
    if record.end.how != racer.plan.end or (racer.ended and racer.ended != record.end.how):
        yield f"wanted {racer.plan.end}, was told {racer.ended or 'nothing'}, and the record is {record.end.how}"
    if entrant["state"] != STATES[record.end.how]:
        yield f"is {entrant['state']} with a record that is {record.end.how}"
    if entrant["verdict"] != "verified":
        yield f"an honest game is {entrant['verdict']}"


def _lost(racer: Racer, record: Record) -> Iterator[str]:
    for n, (token, ms) in racer.acknowledged.items():
        if n > len(record.tokens):
            yield f"token {n}, {token}, was acknowledged and is lost"
        elif (record.tokens[n - 1], record.clock[n - 1]) != (token, ms):
            yield f"token {n} was acknowledged as {token} at {ms} ms, and is {record.tokens[n - 1]}"


def scores_of(entrants: Sequence[dict[str, Any]]) -> dict[int, tuple[int, int, int]]:
    """Return the scores computed from the records, by entrant; lower is better."""
    scores = {}
    for entrant in entrants:
        if entrant["record"] is not None and entrant["state"] in STATES.values():
            played = replay(Record.from_json(entrant["record"]))
            scores[entrant["id"]] = (-played.cards_up, played.elapsed_ms, played.tokens)
    return scores


def _misplaced(entrants: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield places that differ from the records: a place is one more than the number of better games."""
    for entrant in entrants:
        if entrant["record"] is not None and not (played := replay(Record.from_json(entrant["record"]))).ok:
            yield f"entrant {entrant['id']}: the record does not replay: {played.failure}"
    scores = scores_of(entrants)
    for entrant in entrants:
        own = scores.get(entrant["id"])
        expected = None if own is None else 1 + sum(score < own for score in scores.values())
        if entrant["place"] != expected:
            yield f"entrant {entrant['id']} has place {entrant['place']} instead of {expected}"


def _misrated(outcome: Outcome) -> Iterator[str]:
    """Yield ratings that did not change exactly once, or not as the fold computes them."""
    if outcome.rating_changes != sorted(entrant["id"] for entrant in outcome.entrants):
        yield f"the ratings of {outcome.rating_changes} have changed"
    yield from outcome.rating_faults


def _seen(viewer: Watcher, outcome: Outcome) -> Iterator[str]:
    """Yield a fault if a viewer's last state is not the result."""
    last = (viewer.room or {}).get("last")
    shown = {lane[0]: (lane[3], lane[5]) for lane in last["lanes"]} if last else {}
    if shown != {one["id"]: (one["state"], one["place"]) for one in outcome.entrants}:
        yield f"a viewer was left with {shown}"


def _leaks(client: Client, seed: bytes) -> Iterator[str]:
    """Yield messages in which a room reveals data that only a table may show."""
    for _at, text in client.frames:
        if CARD.search(text) or _names_seed(text, seed) or SECRET_KEYS & set(_keys(json.loads(text))):
            yield f"a room told {text[:200]}"


def _at_the_table(racer: Racer, starts_at: float, seed: bytes) -> Iterator[str]:
    """Yield messages that a table sent too early, or about another player's game."""
    for at, text in racer.table.frames:
        message = json.loads(text)
        if at < starts_at and (message["type"] not in BEFORE_THE_START or CARD.search(text)):
            yield f"{message['type']} {starts_at - at:.3f} s before the start"
        if message.get("attempt", racer.attempt) != racer.attempt:
            yield f"another's table was shown: {text[:200]}"
        if _names_seed(text, seed):
            yield f"a seed was told: {text[:200]}"


def _names_seed(text: str, seed: bytes) -> bool:
    return seed.hex() in text or b64encode(seed).decode().rstrip("=") in text


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
