"""JSON document of a finished race (docs/records.md, "Races"). `file_checks` verifies it without a server.

The commitment covers the seed, and since version 2 the race's terms. Since version 3, entrants who did not win rank by
progress time. Older files can still be read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self
from uuid import UUID

from games.rules.catalogue import resolve
from games.rules.errors import RaceError, RulesError, quoted
from games.rules.races.ranking import OUTCOMES, UNRANKED, Outcome, Score
from games.rules.record_encoding import MAX_MS
from games.rules.records import Record, check_keys
from games.rules.shuffle import read_seed
from games.rules.table import Options

FORMAT: Final = "talon-race"
VERSION: Final = 3
VERSIONS: Final = (1, 2, 3)
MOST_ENTRANTS: Final = 16
ROOMS: Final = ("private", "public", "quick", "heat")
_LONGEST_NAME: Final = 64
_ENTRANT_KEYS: Final = frozenset(
    {"id", "name", "player", "state", "place", "cards_up", "elapsed_ms", "tokens", "record"}
)
_RACE_KEYS: Final = frozenset({"id", "room", "number", "rated", "rules", "limit_s", "starts_at", "commitment", "seed"})


def race_terms(
    *,
    race_id: UUID,
    number: int,
    rated: bool,
    version: int,
    name: str,
    options: Options | None,
    limit_s: int,
    starts_at: datetime,
    free_undo: bool = True,
) -> dict[str, Any]:
    """Return the terms of a race as a dict of JSON types: everything its commitment binds besides the deal."""
    return {
        "id": str(race_id),
        "number": number,
        "rated": rated,
        "rules": version,
        **({"variant": name} if options is None else {"game": name, "options": dict(options)}),
        "limit_s": limit_s,
        "starts_at": starts_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        **({} if free_undo else {"free_undo": False}),
    }


def race_commitment(terms: Mapping[str, Any], deal_commitment: str) -> str:
    """Return the SHA-256 that binds a race's terms and its deal, as 64 hexadecimal digits.

    It needs only the seed's own commitment, so it can be computed while the seed is still secret.
    """
    return hashlib.sha256(race_text(terms, deal_commitment).encode()).hexdigest()


def race_text(terms: Mapping[str, Any], deal_commitment: str) -> str:
    """Return the text whose SHA-256 is the race's commitment."""
    text = json.dumps({**terms, "deal": deal_commitment}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"{FORMAT}\n{text}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entrant as stated in a race file: state, place and figures, times in milliseconds.

    Absent entrants and entrants under review have no place. Figures are None if there is no readable record, and under
    review; `progress_ms` also in files before version 3. `record` is None if it is gone or was rejected.
    """

    id: int
    name: str | None
    player: UUID | None
    state: Outcome
    place: int | None
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    record: Record | None
    in_review: bool = False
    progress_ms: int | None = None

    @property
    def score(self) -> Score:
        """The stated score that decides the place."""
        return Score(self.state, self.cards_up, self.elapsed_ms, self.tokens, self.progress_ms)

    def to_json(self, file_version: int = VERSION) -> dict[str, Any]:
        """Return the entry as a dict of JSON types."""
        return {
            **({"in_review": self.in_review} if file_version > 1 else {}),
            **({"progress_ms": self.progress_ms} if file_version > 2 else {}),
            "id": self.id,
            "name": self.name,
            "player": None if self.player is None else str(self.player),
            "state": self.state,
            "place": self.place,
            "cards_up": self.cards_up,
            "elapsed_ms": self.elapsed_ms,
            "tokens": self.tokens,
            "record": None if self.record is None else self.record.to_json(),
        }

    @classmethod
    def from_json(cls, data: object, file_version: int = VERSION) -> Self:
        """Parse the output of `to_json`.

        :raises RaceError: for anything else.
        """
        keys = _ENTRANT_KEYS.union(["in_review"] * (file_version > 1), ["progress_ms"] * (file_version > 2))
        entry = check_keys(data, keys, "an entrant", RaceError)
        state = entry["state"]
        if state not in OUTCOMES:
            raise RaceError(f"an entrant's state is {', '.join(OUTCOMES)}; not {quoted(state)}")
        in_review = _flag(entry.get("in_review", False), "in_review")
        if in_review and state in UNRANKED:
            raise RaceError(f"an entrant who is {state} is not under review")
        return cls(
            id=_whole(entry["id"], "an entrant's id"),
            name=_name(entry["name"]),
            player=None if entry["player"] is None else _uuid(entry["player"], "a player"),
            state=state,
            place=_place(entry["place"], is_placed=state != "absent" and not in_review),
            cards_up=_figure(entry["cards_up"]),
            elapsed_ms=_figure(entry["elapsed_ms"]),
            tokens=_figure(entry["tokens"]),
            record=None if entry["record"] is None else _record(entry["record"]),
            in_review=in_review,
            progress_ms=_figure(entry.get("progress_ms")),
        )


@dataclass(frozen=True, slots=True)
class RaceFile:
    """A race as stated in its file: the facts of the race and its entrants.

    `name` is a catalogue variant if `options` is None, otherwise a game, and `version` is the rules version. `seed` is
    32 bytes. `commitment` was published before the race: it binds seed and terms, or only the seed in a version 1 file.
    Unless `free_undo` is true, moves that revealed a card could not be undone.
    """

    id: UUID
    room: str
    number: int
    rated: bool
    version: int
    name: str
    options: Options | None
    limit_s: int
    starts_at: datetime
    commitment: str
    seed: bytes
    entrants: tuple[Entry, ...]
    file_version: int = VERSION
    free_undo: bool = True

    @property
    def terms(self) -> dict[str, Any]:
        """The terms that the commitment binds since version 2."""
        return race_terms(
            race_id=self.id,
            number=self.number,
            rated=self.rated,
            version=self.version,
            name=self.name,
            options=self.options,
            limit_s=self.limit_s,
            starts_at=self.starts_at,
            free_undo=self.free_undo,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the document as a dict of JSON types."""
        race = {**self.terms, "room": self.room, "commitment": self.commitment, "seed": self.seed.hex()}
        entrants = [entry.to_json(self.file_version) for entry in self.entrants]
        return {"format": FORMAT, "version": self.file_version, "race": race, "entrants": entrants}

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Parse the output of `to_json`.

        :raises RaceError: for anything else, unknown keys included.
        """
        document = check_keys(data, frozenset({"format", "version", "race", "entrants"}), "a race's file", RaceError)
        if document["format"] != FORMAT:
            raise RaceError(f"the format is {FORMAT}, not {quoted(document['format'])}")
        version = document["version"]
        if type(version) is not int or version not in VERSIONS:
            raise RaceError(f"version {quoted(version)} of the format is not known")
        race = document["race"]
        named = ("variant",) if isinstance(race, Mapping) and "variant" in race else ("game", "options")
        free_undo = version == 1 or not isinstance(race, Mapping) or "free_undo" not in race
        keys = _RACE_KEYS | set(named) | (set() if free_undo else {"free_undo"})
        race = check_keys(race, keys, "a race", RaceError)
        if race.get("free_undo", False) is not False:
            raise RaceError(f"free_undo is false or left out, not {quoted(race['free_undo'])}")
        name, options = _game(race)
        return cls(
            id=_uuid(race["id"], "a race's id"),
            room=_room(race["room"]),
            number=_whole(race["number"], "a race's number"),
            rated=_flag(race["rated"], "rated"),
            version=race["rules"],
            name=name,
            options=options,
            limit_s=_whole(race["limit_s"], "the limit"),
            starts_at=_moment(race["starts_at"], in_ms=version > 1),
            commitment=_commitment(race["commitment"]),
            seed=_seed(race["seed"]),
            entrants=_entrants(document["entrants"], version),
            file_version=version,
            free_undo=free_undo,
        )


def is_race(data: object) -> bool:
    """Return whether a JSON value is meant as a race file rather than a record, which has no `format` key."""
    return isinstance(data, Mapping) and "format" in data


def _whole(number: object, what: str) -> int:
    if type(number) is not int or not 0 <= number < MAX_MS:
        raise RaceError(f"{what} is a whole number, not {quoted(number)}")
    return number


def _figure(number: object) -> int | None:
    return None if number is None else _whole(number, "a figure of an entrant")


def _flag(value: object, what: str) -> bool:
    if not isinstance(value, bool):
        raise RaceError(f"{what} is true or false, not {quoted(value)}")
    return value


def _room(kind: object) -> str:
    if not isinstance(kind, str) or kind not in ROOMS:
        raise RaceError(f"a room is {', '.join(ROOMS)}; not {quoted(kind)}")
    return kind


def _uuid(text: object, what: str) -> UUID:
    if not isinstance(text, str) or not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text):
        raise RaceError(f"{what} is a UUID, not {quoted(text)}")
    return UUID(text)


def _name(name: object) -> str | None:
    if name is not None and not (isinstance(name, str) and len(name) <= _LONGEST_NAME and name.isprintable()):
        raise RaceError(f"a name is at most {_LONGEST_NAME} plain characters, not {quoted(name)}")
    return name


def _place(place: object, *, is_placed: bool) -> int | None:
    if (place is not None) != is_placed:
        raise RaceError("an entrant has a place unless it is absent or under review")
    return None if place is None else _whole(place, "a place")


def _moment(text: object, *, in_ms: bool) -> datetime:
    fraction = r"\.\d{3}" if in_ms else r"(\.\d{1,6})?"
    if not isinstance(text, str) or not re.fullmatch(
        rf"\d{{4}}(-\d\d){{2}}T(\d\d:){{2}}\d\d{fraction}Z", text, re.ASCII
    ):
        raise RaceError(f"a moment is written like 2026-11-22T03:00:00.000Z, not {quoted(text)}")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise RaceError(f"there is no such moment: {quoted(text)}") from None


def _commitment(text: object) -> str:
    if not isinstance(text, str) or not re.fullmatch(r"[0-9a-f]{64}", text):
        raise RaceError("a commitment is written as 64 hexadecimal digits")
    return text


def _seed(text: object) -> bytes:
    try:
        return read_seed(text)
    except RulesError as error:
        raise RaceError(str(error)) from None


def _game(race: Mapping[str, Any]) -> tuple[str, Options | None]:
    named = "variant" if "variant" in race else "game"
    options = None if named == "variant" else race["options"]
    if named == "game" and not isinstance(options, Mapping):
        raise RaceError("options are names with values")
    try:
        _, checked = resolve(race[named], options, version=race["rules"])
    except RulesError as error:
        raise RaceError(str(error)) from None
    return race[named], None if named == "variant" else checked


def _record(data: object) -> Record:
    try:
        return Record.from_json(data)
    except RulesError as error:
        raise RaceError(f"an entrant's record: {error}") from None


def _entrants(data: object, version: int) -> tuple[Entry, ...]:
    if isinstance(data, str) or not isinstance(data, Sequence):
        raise RaceError("entrants are a list")
    if not 1 <= len(data) <= MOST_ENTRANTS:
        raise RaceError(f"a race has 1 to {MOST_ENTRANTS} entrants, not {len(data)}")
    entrants = tuple(Entry.from_json(entry, version) for entry in data)
    if len({entry.id for entry in entrants}) < len(entrants):
        raise RaceError("two entrants have the same id")
    return entrants
