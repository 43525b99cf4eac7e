"""Certifies deals: the solver finds a winning line, and the rules must replay its record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from games.deals import difficulty
from games.deals.difficulty import Figures
from games.rules import CATALOGUE, RULES_VERSION, End, Record, Table, open_table, replay
from games.solver import Budget, FalseSolutionError, Solution, shorten, solve
from games.solver.tighten import tighten

#: The pace at which the clock of a line that nobody played ticks: what the replay viewer plays it at.
MS_A_MOVE: Final = 1000

#: When a search is given up for another seed; most winnable deals need far less. Compiled, the nodes run out first.
BUDGET: Final = Budget(nodes=300_000, seconds=6.0)

Cancel = Callable[[], bool]
Options = Mapping[str, bool | int | str]


class CertificateError(Exception):
    """A line from the solver does not win: a bug in the solver. Nothing is published."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A winnable deal: its winning record, and of a catalogue variant's the grade and the figures behind it."""

    record: Record
    figures: Figures | None
    grade: int | None

    @property
    def par(self) -> int:
        """The winning record's number of tokens."""
        return len(self.record.tokens)


def certify(
    name: str,
    seed: bytes,
    options: Options | None = None,
    *,
    budget: Budget = BUDGET,
    cancel: Cancel | None = None,
    patience: float = 0,
) -> Certificate | None:
    """Find a winning record of a deal, of a catalogue variant or of a game with options; None when the budget is not
    enough. A catalogue variant's deal is graded.

    With `patience`, the line is tightened for so many seconds at most; without, it is shortened in a moment. The grade
    is the same either way.

    :raises CertificateError: when the solver's line does not replay.
    """
    try:
        found = solve(open_table(name, seed, options), budget, cancel=cancel)
    except FalseSolutionError:
        raise CertificateError(f"the rules refuse the solver's line for a deal of {name}") from None
    if not isinstance(found, Solution):
        return None
    short = shorten(open_table(name, seed, options), found.tokens)
    tokens = _tightened(open_table(name, seed, options), short, patience, cancel) if patience else short
    record = winning_record(name, seed, tokens, options)
    if name not in CATALOGUE or options is not None:
        return Certificate(record, None, None)
    figures = difficulty.measure(name, seed, nodes=found.effort.nodes, line=len(short))
    return Certificate(record, figures, difficulty.grade(name, figures))


def _tightened(table: Table, tokens: tuple[str, ...], seconds: float, cancel: Cancel | None) -> tuple[str, ...]:
    latest = time.monotonic() + seconds

    def is_over() -> bool:
        return time.monotonic() >= latest or (cancel is not None and cancel())

    return tighten(table, tokens, cancel=is_over).tokens


def winning_record(name: str, seed: bytes, tokens: tuple[str, ...], options: Options | None = None) -> Record:
    """The record of a winning line, read back from its stored form and replayed by the rules.

    :raises CertificateError: when it does not win. The message names no token and no card.
    """
    clock = tuple(range(MS_A_MOVE, MS_A_MOVE * (len(tokens) + 1), MS_A_MOVE))
    ended = End("won", clock[-1] if clock else 0)
    chosen = None if options is None else dict(options)
    record = Record.from_bytes(Record(RULES_VERSION, name, chosen, seed, tuple(tokens), clock, ended).to_bytes())
    played = replay(record)
    if not (played.ok and played.won):
        raise CertificateError(f"the solver's line for a deal of {name} does not win")
    return record
