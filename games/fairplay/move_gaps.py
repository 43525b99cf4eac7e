"""Times between the tokens of a record, for staff to look at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Final, NamedTuple

from games.fairplay.pace import DRAWS, FREE_TOKENS, served_tokens
from games.rules import Record

UNDO: Final = "u"


class Kind(StrEnum):
    """Timing class of a token."""

    PLAY = "play"
    DRAW = "draw"
    UNDO = "undo"
    CHOICE = "choice"
    SERVED = "served"


class Gap(NamedTuple):
    """A token, numbered from 1, with its time and the gap since the previous token (since the start for the first)."""

    n: int
    token: str
    kind: Kind
    at: int
    ms: int


@dataclass(frozen=True, slots=True)
class GapSpread:
    """Number of tokens of a kind, and their shortest, median and longest gap in ms."""

    kind: Kind
    number: int
    shortest: int
    middle: int
    longest: int


def gaps_of(record: Record, auto_runs: Collection[Sequence[int]]) -> list[Gap]:
    """Return every token of the record with its gap."""
    served = served_tokens(auto_runs)
    gaps, previous_ms = list[Gap](), 0
    for n, (token, ms) in enumerate(zip(record.tokens, record.clock, strict=True), 1):
        gaps.append(Gap(n, token, Kind.SERVED if n in served else kind_of(token), ms, ms - previous_ms))
        previous_ms = ms
    return gaps


def kind_of(token: str) -> Kind:
    """Return the kind of a token that the player sent."""
    if token in DRAWS:
        return Kind.DRAW
    if token == UNDO:
        return Kind.UNDO
    return Kind.CHOICE if token in FREE_TOKENS else Kind.PLAY


def spreads(gaps: Collection[Gap]) -> list[GapSpread]:
    """Summarize the gaps of each kind that occurs."""
    times = {kind: [gap.ms for gap in gaps if gap.kind == kind] for kind in Kind}
    return [
        GapSpread(kind, len(durations), min(durations), round(median(durations)), max(durations))
        for kind, durations in times.items()
        if durations
    ]
