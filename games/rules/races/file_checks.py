"""Verification of a race file: commitment, deal, every record, and the recomputed places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from games.rules.hidden_cards import undone_reveal
from games.rules.races.document import Entry, RaceFile, race_commitment
from games.rules.races.ranking import Outcome, Score, places
from games.rules.records import How
from games.rules.replay import Replay, replay
from games.rules.shuffle import commitment

#: The entrant's outcome for each way a record can end.
OUTCOME_OF: Final[dict[How, Outcome]] = {"won": "won", "resigned": "retired", "closed": "timed_out"}


@dataclass(frozen=True, slots=True)
class Problem:
    """An error found in a race file. `entrant` is the id of the entrant concerned, None for the race itself.

    `code` is stable; `reason` is for people.
    """

    entrant: int | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class RaceCheck:
    """Result of checking a race file: the place of each entrant, in the file's order, and the problems found.

    The places are computed from the replayed records, or from the stated figures if a record is gone. `unbound` names
    the terms that the file's commitment does not bind: in a version 1 file, a change to them after the race cannot be
    detected.
    """

    places: tuple[int | None, ...]
    problems: tuple[Problem, ...]
    unbound: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True if no problem was found."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """Return the result as a dict of JSON types."""
        problems = [asdict(problem) for problem in self.problems]
        return {"ok": self.ok, "places": list(self.places), "problems": problems, "unbound": list(self.unbound)}


def check_race(race: RaceFile) -> RaceCheck:
    """Replay every record of a race from its seed and recompute the places.

    Problems do not raise; they are listed in `RaceCheck.problems`.
    """
    problems = list(_wrong_commitment(race))
    scores: list[Score] = []
    for entry in race.entrants:
        replayed = _replayed(race, entry)
        problems.extend(_wrong_record(race, entry, replayed))
        score = entry.score if replayed is None else _score(race, replayed)
        problems.extend(_wrong_clock(race, entry, score))
        scores.append(Score("absent") if entry.in_review else score)
    computed = tuple(places(scores))
    for entry, place in zip(race.entrants, computed, strict=True):
        if entry.place != place:
            reason = f"the place is {place}, not {entry.place} as stated"
            problems.append(Problem(entry.id, "wrong_place", reason))
    return RaceCheck(computed, tuple(problems), tuple(race.terms) if race.file_version == 1 else ())


def _wrong_commitment(race: RaceFile) -> Iterator[Problem]:
    bound = commitment(race.seed)
    reason = "the commitment is not the SHA-256 of the seed"
    if race.file_version > 1:
        bound = race_commitment(race.terms, bound)
        reason = "the commitment is not that of this seed and these terms"
    if bound != race.commitment:
        yield Problem(None, "wrong_commitment", reason)


def _wrong_clock(race: RaceFile, entry: Entry, score: Score) -> Iterator[Problem]:
    """Compare a ranked entrant's time with the limit: it may not exceed it, and a game times out only at the limit."""
    limit, ms = 1000 * race.limit_s, score.elapsed_ms
    if not score.ranked or ms is None:
        return
    if ms > limit:
        yield Problem(entry.id, "over_limit", f"the time of {ms} ms is over the limit of {limit} ms")
    elif score.outcome == "timed_out" and ms < limit:
        yield Problem(entry.id, "under_limit", f"the time ran out after {ms} ms, before the limit of {limit} ms")


def _replayed(race: RaceFile, entry: Entry) -> Replay | None:
    """Replay an entrant's record; None if it is missing or of another deal, or if the entrant is unranked."""
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


def _score(race: RaceFile, replayed: Replay) -> Score:
    """Return the score of a replay, without progress time in a file of a version that did not place by it."""
    if not replayed.ok:
        return Score("disqualified")
    progress_ms = replayed.progress_ms if race.file_version > 2 else None
    return Score(OUTCOME_OF[replayed.how], replayed.cards_up, replayed.elapsed_ms, replayed.tokens, progress_ms)


def _wrong_record(race: RaceFile, entry: Entry, replayed: Replay | None) -> Iterator[Problem]:
    if not _same_deal(race, entry):
        yield Problem(entry.id, "wrong_deal", "the record is not of this race's deal")
    if replayed is None:
        return
    if replayed.failure is not None:
        failure = replayed.failure
        yield Problem(entry.id, failure.code, f"{failure.place}: {failure.reason}")
        return
    assert entry.record is not None
    if not race.free_undo and (n := undone_reveal(entry.record.open_table(), entry.record.tokens)):
        yield Problem(entry.id, "undone_reveal", f"token {n} undoes a move that revealed a card")
    stated, result = entry.score, _score(race, replayed)
    for field in ("outcome",) if entry.in_review else ("outcome", "cards_up", "elapsed_ms", "tokens", "progress_ms"):
        if getattr(stated, field) != getattr(result, field):
            reason = f"the record results in {field} {getattr(result, field)}, not {getattr(stated, field)} as stated"
            yield Problem(entry.id, "wrong_result", reason)
