"""Input files and plain-text reports of the `verify` command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from games.rules.errors import RaceError, RecordError
from games.rules.races.document import Entry, RaceFile, is_race
from games.rules.races.file_checks import RaceCheck
from games.rules.replay import Replay

_LARGEST_RECORD: Final = 1_000_000
_LARGEST_RACE: Final = 4_000_000


def read_document(file: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """Read a JSON file, or standard input for `-`.

    :raises RecordError: when it is not JSON, or too large for a record.
    :raises RaceError: when it is too large even for a race.
    """
    if file == "-":
        text = sys.stdin.buffer.read(_LARGEST_RACE + 1)
    else:
        with Path(file).open("rb") as stream:
            text = stream.read(_LARGEST_RACE + 1)
    if len(text) > _LARGEST_RACE:
        raise RaceError(f"a race's file has at most {_LARGEST_RACE:,} bytes")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError("not JSON") from None
    if len(text) > _LARGEST_RECORD and not is_race(data):
        raise RecordError(f"a record's file has at most {_LARGEST_RECORD:,} bytes")
    return data


def replay_report(result: Replay) -> str:
    """Return the result of a replay as text."""
    figures = f"{result.cards_up}/{result.goal} cards up, {result.tokens} tokens, {_seconds(result.elapsed_ms)}"
    if result.failure is None:
        return f"verified: {result.how}, {figures}"
    return f"refused: {result.failure.place}: {result.failure.reason}\nreached: {figures}"


def race_report(race: RaceFile, check: RaceCheck) -> str:
    """Return the places of a race and the problems of its file as text."""
    lines = [f"race {race.id}: {race.name}, {race.starts_at:%Y-%m-%d %H:%M:%S} UTC"]
    placed = zip(check.places, race.entrants, strict=True)
    lines += [_line(place, entry) for place, entry in sorted(placed, key=lambda row: (row[0] is None, row[0] or 0))]
    for problem in check.problems:
        subject = "" if problem.entrant is None else f"entrant {problem.entrant}: "
        lines.append(f"wrong: {subject}{problem.reason}")
    if check.unbound:
        lines.append(f"not bound by the commitment of a version 1 file: {', '.join(check.unbound)}")
    lines.append("verified" if check.ok else "refused")
    return "\n".join(lines)


def _line(place: int | None, entry: Entry) -> str:
    line = f"{'-' if place is None else place:>3}  {_name(entry)}: {entry.state.replace('_', ' ')}"
    if entry.in_review:
        return f"{line}, under review"
    if not entry.score.ranked or entry.elapsed_ms is None:
        return line
    line += f", {entry.cards_up} cards up, {entry.tokens} tokens, {_seconds(entry.elapsed_ms)}"
    return line if entry.record else f"{line} (as stated, without a record)"


def _name(entry: Entry) -> str:
    """Return the entrant's name, limited to characters that the terminal can print."""
    encoding = sys.stdout.encoding or "ascii"
    name = entry.name or f"entrant {entry.id}"
    return name.encode(encoding, "replace").decode(encoding)


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f} s"
