"""Checks what a race's file says: commitment, deal, every record, and the places worked out anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from .places import Outcome, Score, places
from .race_files import Entry, RaceFile
from .records import How
from .replay import Replay, replay
from .shuffle import commitment

#: How a record ends for those who are in a state.
OUTCOME_OF: Final[dict[How, Outcome]] = {"won": "won", "resigned": "retired", "closed": "timed_out"}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a race's file that is not so. `entrant` is the id of whom it concerns, None for the race itself.

    `code` is stable; `reason` is for people.
    """

    entrant: int | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class RaceCheck:
    """What a race's file comes to: the place of each entrant, in the file's order, and what is wrong with the file.

    The places are worked out from what the records replay to, or from the stated figures where a record is gone.
    """

    places: tuple[int | None, ...]
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether everything in the file is so."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """The outcome as a dict of JSON types."""
        problems = [{"entrant": one.entrant, "code": one.code, "reason": one.reason} for one in self.problems]
        return {"ok": self.ok, "places": list(self.places), "problems": problems}


def check_race(race: RaceFile) -> RaceCheck:
    """Replay every record of a race from its seed and place the entrants anew.

    What is wrong does not raise: it is reported in `RaceCheck.problems`.
    """
    problems: list[Problem] = []
    if commitment(race.seed) != race.commitment:
        problems.append(Problem(None, "wrong_commitment", "the commitment is not the SHA-256 of the seed"))
    scores: list[Score] = []
    for entry in race.entrants:
        replayed = _replayed(race, entry)
        problems.extend(_wrong_record(race, entry, replayed))
        scores.append(entry.score if replayed is None else _score(replayed))
    found = tuple(places(scores))
    for entry, place in zip(race.entrants, found, strict=True):
        if entry.place != place:
            reason = f"the place is {place}, not {entry.place} as stated"
            problems.append(Problem(entry.id, "wrong_place", reason))
    return RaceCheck(found, tuple(problems))


def _replayed(race: RaceFile, entry: Entry) -> Replay | None:
    """The replay of an entrant's record, if it is there and is of this deal, and the entrant's state rests on it."""
    if entry.record is None or not entry.score.ranked or not _same_deal(race, entry):
        return None
    return replay(entry.record)


def _same_deal(race: RaceFile, entry: Entry) -> bool:
    record = entry.record
    return record is None or (record.version, record.name, record.options, record.seed) == (
        race.version,
        race.name,
        race.options,
        race.seed,
    )


def _score(replayed: Replay) -> Score:
    if not replayed.ok:
        return Score("disqualified")
    return Score(OUTCOME_OF[replayed.how], replayed.cards_up, replayed.elapsed_ms, replayed.tokens)


def _wrong_record(race: RaceFile, entry: Entry, replayed: Replay | None) -> Iterator[Problem]:
    if not _same_deal(race, entry):
        yield Problem(entry.id, "wrong_deal", "the record is not of this race's deal")
    if replayed is None:
        return
    if replayed.failure is not None:
        failure = replayed.failure
        yield Problem(entry.id, failure.code, f"{failure.place}: {failure.reason}")
        return
    stated, found = entry.score, _score(replayed)
    for what in ("outcome", "cards_up", "elapsed_ms", "tokens"):
        if getattr(stated, what) != getattr(found, what):
            reason = f"the record comes to {what} {getattr(found, what)}, not {getattr(stated, what)} as stated"
            yield Problem(entry.id, "wrong_result", reason)
