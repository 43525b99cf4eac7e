"""A finished race as one JSON document, with everything needed to check it without a server (docs/records.md, "Races").

`race_checks` checks what a file says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self
from uuid import UUID

from .catalogue import resolve
from .errors import RaceError, RulesError, quoted
from .packed import MAX_MS
from .places import OUTCOMES, Outcome, Score
from .records import Record
from .shuffle import read_seed
from .table import Options

FORMAT: Final = "talon-race"
VERSION: Final = 1
MOST_ENTRANTS: Final = 16
ROOMS: Final = ("private", "public", "quick", "heat")
_LONGEST_NAME: Final = 64
_ENTRANT_KEYS: Final = frozenset(
    {"id", "name", "player", "state", "place", "cards_up", "elapsed_ms", "tokens", "record"}
)
_RACE_KEYS: Final = frozenset({"id", "room", "number", "rated", "rules", "limit_s", "starts_at", "commitment", "seed"})


@dataclass(frozen=True, slots=True)
class Entry:
    """What a file states of one entrant: its state, place and figures, `elapsed_ms` in milliseconds.

    The absent have no place. Figures are None where there is no record that can be read. `record` is None when it is
    gone or was rejected.
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

    @property
    def score(self) -> Score:
        """What decides the place, as stated."""
        return Score(self.state, self.cards_up, self.elapsed_ms, self.tokens)

    def to_json(self) -> dict[str, Any]:
        """The entry as a dict of JSON types."""
        return {
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
    def from_json(cls, data: object) -> Self:
        """Read the form that `to_json` writes.

        :raises RaceError: for anything else.
        """
        entry = _object(data, _ENTRANT_KEYS, "an entrant")
        state = entry["state"]
        if state not in OUTCOMES:
            raise RaceError(f"an entrant's state is {', '.join(OUTCOMES)}; not {quoted(state)}")
        return cls(
            id=_whole(entry["id"], "an entrant's id"),
            name=_name(entry["name"]),
            player=None if entry["player"] is None else _uuid(entry["player"], "a player"),
            state=state,
            place=_place(entry["place"], state),
            cards_up=_figure(entry["cards_up"]),
            elapsed_ms=_figure(entry["elapsed_ms"]),
            tokens=_figure(entry["tokens"]),
            record=None if entry["record"] is None else _record(entry["record"]),
        )


@dataclass(frozen=True, slots=True)
class RaceFile:
    """What a file states of a race: its facts and its entrants.

    `name` is a catalogue variant if `options` is None, otherwise a game, and `version` that of the rules. `seed` is
    32 bytes, `commitment` what was published of it before the race.
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

    def to_json(self) -> dict[str, Any]:
        """The document as a dict of JSON types."""
        what: dict[str, Any] = (
            {"variant": self.name} if self.options is None else {"game": self.name, "options": dict(self.options)}
        )
        race = {
            "id": str(self.id),
            "room": self.room,
            "number": self.number,
            "rated": self.rated,
            "rules": self.version,
            **what,
            "limit_s": self.limit_s,
            "starts_at": self.starts_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "commitment": self.commitment,
            "seed": self.seed.hex(),
        }
        entrants = [entry.to_json() for entry in self.entrants]
        return {"format": FORMAT, "version": VERSION, "race": race, "entrants": entrants}

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Read the form that `to_json` writes.

        :raises RaceError: for anything else, unknown keys included.
        """
        document = _object(data, frozenset({"format", "version", "race", "entrants"}), "a race's file")
        if document["format"] != FORMAT:
            raise RaceError(f"the format is {FORMAT}, not {quoted(document['format'])}")
        if type(document["version"]) is not int or document["version"] != VERSION:
            raise RaceError(f"version {quoted(document['version'])} of the format is not known")
        race = document["race"]
        named = ("variant",) if isinstance(race, Mapping) and "variant" in race else ("game", "options")
        race = _object(race, _RACE_KEYS | set(named), "a race")
        name, options = _game(race)
        return cls(
            id=_uuid(race["id"], "a race's id"),
            room=_room(race["room"]),
            number=_whole(race["number"], "a race's number"),
            rated=_flag(race["rated"]),
            version=race["rules"],
            name=name,
            options=options,
            limit_s=_whole(race["limit_s"], "the limit"),
            starts_at=_moment(race["starts_at"]),
            commitment=_commitment(race["commitment"]),
            seed=_seed(race["seed"]),
            entrants=_entrants(document["entrants"]),
        )


def is_race(data: object) -> bool:
    """Whether a JSON value is meant as a race's file, not as a record: records have no format."""
    return isinstance(data, Mapping) and "format" in data


def _object(data: object, keys: frozenset[str], what: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise RaceError(f"{what} is an object")
    for key in sorted(keys - data.keys()):
        raise RaceError(f"{what} has {key!r}")
    for key in data.keys() - keys:
        raise RaceError(f"{what} has no {quoted(key)}")
    return data


def _whole(number: object, what: str) -> int:
    if type(number) is not int or not 0 <= number < MAX_MS:
        raise RaceError(f"{what} is a whole number, not {quoted(number)}")
    return number


def _figure(number: object) -> int | None:
    return None if number is None else _whole(number, "a figure of an entrant")


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise RaceError(f"rated is true or false, not {quoted(value)}")
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


def _place(place: object, state: Outcome) -> int | None:
    if (place is None) != (state == "absent"):
        raise RaceError("an entrant has a place unless it is absent")
    return None if place is None else _whole(place, "a place")


def _moment(text: object) -> datetime:
    if not isinstance(text, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", text, re.ASCII):
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
        _, chosen = resolve(race[named], options, version=race["rules"])
    except RulesError as error:
        raise RaceError(str(error)) from None
    return race[named], None if named == "variant" else chosen


def _record(data: object) -> Record:
    try:
        return Record.from_json(data)
    except RulesError as error:
        raise RaceError(f"an entrant's record: {error}") from None


def _entrants(data: object) -> tuple[Entry, ...]:
    if isinstance(data, str) or not isinstance(data, Sequence):
        raise RaceError("entrants are a list")
    if not 1 <= len(data) <= MOST_ENTRANTS:
        raise RaceError(f"a race has 1 to {MOST_ENTRANTS} entrants, not {len(data)}")
    entrants = tuple(Entry.from_json(entry) for entry in data)
    if len({entry.id for entry in entrants}) < len(entrants):
        raise RaceError("two entrants have the same id")
    return entrants
