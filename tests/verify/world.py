"""Public data for the browser's checks: a ledger of eighteen deals, their files, a race, and the server's answers."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from games.deals import ledger, numbered_deals
from games.models import Deal, LedgerEntry
from games.rules import CATALOGUE, Record, RulesError, commitment, race_commitment, replay, shuffled_deck
from games.rules.races.file_checks import OUTCOME_OF
from games.rules.races.ranking import Score, places
from tests.rules.golden import games_of

DAY: Final = datetime(2026, 11, 20, tzinfo=UTC)


def won(variant: str, place: int = 0) -> Record:
    wins = [game.record for game in games_of(variant) if game.expected["ok"] and game.expected["won"]]
    return wins[place]


@dataclass
class World:
    """A document to check, the site's data, and the ledger head noted earlier. Each test changes its own copy."""

    document: dict[str, Any]
    lines: list[LedgerEntry]
    deals: dict[str, Any]
    link: str | None = None
    head: dict[str, Any] | None = None
    entries: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.entries = self.entries or [told(line) for line in self.lines]

    def asked(self) -> dict[str, Any]:
        return {
            "text": json.dumps(self.document),
            "link": self.link,
            "head": self.head,
            "ledger": self.entries,
            "deals": self.deals,
            "answers": {key: answer for record in self.records() for key, answer in [answered(record)]},
        }

    def records(self) -> list[dict[str, Any]]:
        if "entrants" in self.document:
            return [one["record"] for one in self.document["entrants"] if one["record"]]
        if "solution" in self.document:
            return [self.document["solution"]] if self.document["solution"] else []
        return [self.document]

    def rechain(self) -> None:
        """Rebuild the ledger from its lines, chaining each line to the one before."""
        before = ledger.BEGINNING
        for line in self.lines:
            line.previous = before
            line.hash = before = ledger.line_hash(line)
        self.entries = [told(line) for line in self.lines]


def told(line: LedgerEntry) -> dict[str, Any]:
    return {"index": line.index, "line": ledger.line(line), "hash": line.hash}


def answered(record: dict[str, Any]) -> tuple[str, Any]:
    """Return the server's answer to a record, keyed by its tokens and end as JavaScript writes them."""
    key = json.dumps([record["tokens"], record["end"]], separators=(",", ":"))
    try:
        return key, replay(Record.from_json(record)).to_json()
    except RulesError:
        return key, None


def lines_of(days: int) -> list[LedgerEntry]:
    """Return the ledger of the nine deals of each of `days` days, announced two days before each."""
    lines: list[LedgerEntry] = []
    for day in range(days):
        for name in CATALOGUE:
            opens = DAY + timedelta(days=day)
            line = LedgerEntry(
                index=len(lines),
                deal=Deal(),
                variant=name,
                day=opens.date(),
                rules_version=1,
                proven=True,
                commitment=commitment(won(name, day).seed),
                opens_at=opens,
                published_at=opens - timedelta(days=2),
                previous=lines[-1].hash if lines else ledger.BEGINNING,
            )
            line.hash = ledger.line_hash(line)
            lines.append(line)
    return lines


def deal_file(line: LedgerEntry, record: Record) -> dict[str, Any]:
    return {
        "rules": 1,
        "variant": line.variant,
        "game": CATALOGUE[line.variant].game,
        "options": dict(CATALOGUE[line.variant].options),
        "day": line.day.isoformat(),
        "commitment": line.commitment,
        "ledger_index": line.index,
        "seed": record.seed.hex(),
        "deck": shuffled_deck(line.variant, record.seed),
        "solution": record.to_json(),
    }


def deal_world(variant: str = "stonewall") -> World:
    """Return a world with a daily deal's file, and the ledger's head noted when it had eleven lines."""
    lines = lines_of(2)
    line = next(line for line in lines if line.variant == variant)
    document = deal_file(line, won(variant))
    deals = {f"{line.day} {variant}": copy.deepcopy(document)}
    return World(document, lines, deals, head={"hash": lines[10].hash, "index": 10})


def record_world(variant: str = "stonewall") -> World:
    """Return a world with a record of a daily deal and a link to that deal."""
    world = deal_world(variant)
    world.link = f"/deals/{world.document['day']}/{variant}/"
    world.document = world.document["solution"]
    return world


def practice_world(number: int = 42) -> World:
    """Return a world with the record of a numbered practice deal, resigned at once, and a link to the deal."""
    world = deal_world()
    seed = numbered_deals.seed_of(CATALOGUE["plot"], number)
    world.document = Record.from_json(won("plot").to_json() | given_up(seed)).to_json()
    world.link = f"/practice/?name=plot&number={number}"
    return world


def given_up(seed: bytes) -> dict[str, Any]:
    """Return the fields that change in a record that was resigned after one move."""
    return {"seed": seed.hex(), "tokens": ["d"], "clock": [900], "end": {"how": "resigned", "ms": 1500}}


def race_world(variant: str = "tarot-adept", file_version: int = 3, **rule: bool) -> World:
    """Return a world with a race of four: two winners, a racer who resigned, and one absent."""
    world = deal_world()
    record = won(variant)
    slower = Record.from_json(record.to_json() | {"clock": [ms + 5 for ms in record.clock], "end": later(record)})
    retired = Record.from_json(record.to_json() | given_up(record.seed))
    scores = [score_of(one, file_version) for one in (record, slower, retired)] + [Score("absent")]
    entrants = [
        entrant(k, score, place, one)
        for k, (score, place, one) in enumerate(
            zip(scores, places(scores), (record, slower, retired, None), strict=True), 1
        )
    ]
    terms = {
        "id": "3f0e8f0c-0000-4000-8000-000000000000",
        "number": 1,
        "rated": True,
        "rules": 1,
        "variant": variant,
        "limit_s": 1200,
        "starts_at": "2026-11-22T03:00:00.000Z",
        **rule,
    }
    shown = commitment(record.seed)
    if file_version > 1:
        shown = race_commitment(terms, shown)
        entrants = [one | {"in_review": False} for one in entrants]
    if file_version > 2:
        entrants = [one | {"progress_ms": score.progress_ms} for one, score in zip(entrants, scores, strict=True)]
    race = terms | {"room": "quick", "commitment": shown, "seed": record.seed.hex()}
    world.document = {"format": "talon-race", "version": file_version, "race": race, "entrants": entrants}
    return world


def later(record: Record) -> dict[str, Any]:
    return {"how": record.end.how, "ms": record.end.ms + 5}


def score_of(record: Record, file_version: int) -> Score:
    result = replay(record)
    progress_ms = result.progress_ms if file_version > 2 else None
    return Score(OUTCOME_OF[result.how], result.cards_up, result.elapsed_ms, result.tokens, progress_ms)


def entrant(number: int, score: Score, place: int | None, record: Record | None) -> dict[str, Any]:
    return {
        "id": number,
        "name": f"Racer {number}",
        "player": None,
        "state": score.outcome,
        "place": place,
        "cards_up": score.cards_up,
        "elapsed_ms": score.elapsed_ms,
        "tokens": score.tokens,
        "record": None if record is None else record.to_json(),
    }


def states(findings: Sequence[dict[str, Any]], state: str) -> set[str]:
    return {one["check"] for one in findings if one["state"] == state}


def other_hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
