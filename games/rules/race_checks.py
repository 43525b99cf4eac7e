"""Checks what a race's file says: commitment, deal, every record, and the places worked out anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from .places import Outcome, Score, places
from .race_files import Entry, RaceFile, race_commitment
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
    `unbound` names what the file's commitment leaves open: in a file of version 1 nobody can tell whether that was
    changed after the race.
    """

    places: tuple[int | None, ...]
    problems: tuple[Problem, ...]
    unbound: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything in the file is so."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """The outcome as a dict of JSON types."""
        problems = [{"entrant": one.entrant, "code": one.code, "reason": one.reason} for one in self.problems]
        return {"ok": self.ok, "places": list(self.places), "problems": problems, "unbound": list(self.unbound)}


def check_race(race: RaceFile) -> RaceCheck:
    """Replay every record of a race from its seed and place the entrants anew.

    What is wrong does not raise: it is reported in `RaceCheck.problems`.
    """
    problems = list(_wrong_commitment(race))
    scores: list[Score] = []
    for entry in race.entrants:
        replayed = _replayed(race, entry)
        problems.extend(_wrong_record(race, entry, replayed))
        score = entry.score if replayed is None else _score(replayed)
        problems.extend(_wrong_clock(race, entry, score))
        scores.append(Score("absent") if entry.in_review else score)
    found = tuple(places(scores))
    for entry, place in zip(race.entrants, found, strict=True):
        if entry.place != place:
            reason = f"the place is {place}, not {entry.place} as stated"
            problems.append(Problem(entry.id, "wrong_place", reason))
    return RaceCheck(found, tuple(problems), tuple(race.terms) if race.file_version == 1 else ())


def _wrong_commitment(race: RaceFile) -> Iterator[Problem]:
    bound = commitment(race.seed)
    reason = "the commitment is not the SHA-256 of the seed"
    if race.file_version > 1:
        bound = race_commitment(race.terms, bound)
        reason = "the commitment is not that of this seed and these terms"
    if bound != race.commitment:
        yield Problem(None, "wrong_commitment", reason)


def _wrong_clock(race: RaceFile, entry: Entry, score: Score) -> Iterator[Problem]:
    """Compare the time of one who raced with the limit; only the end of the time closes a game before its end."""
    limit, ms = 1000 * race.limit_s, score.elapsed_ms
    if not score.ranked or ms is None:
        return
    if ms > limit:
        yield Problem(entry.id, "over_limit", f"the time of {ms} ms is over the limit of {limit} ms")
    elif score.outcome == "timed_out" and ms < limit:
        yield Problem(entry.id, "under_limit", f"the time ran out after {ms} ms, before the limit of {limit} ms")


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
    for what in ("outcome",) if entry.in_review else ("outcome", "cards_up", "elapsed_ms", "tokens"):
        if getattr(stated, what) != getattr(found, what):
            reason = f"the record comes to {what} {getattr(found, what)}, not {getattr(stated, what)} as stated"
            yield Problem(entry.id, "wrong_result", reason)
