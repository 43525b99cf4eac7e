"""Deal certification: the solver finds a winning line, and the rules must replay its record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from games.deals import difficulty
from games.deals.difficulty import DifficultyFigures
from games.rules import CATALOGUE, RULES_VERSION, End, Record, Table, open_table, replay
from games.solver import Budget, FalseSolutionError, Solution, shorten, solve
from games.solver.full_shortening import shorten_fully

#: Milliseconds per move on the clock of a line found by the solver: the speed at which the replay viewer plays it.
MS_A_MOVE: Final = 1000

#: Search budget per seed; most winnable deals need far less. With the compiled search, the nodes run out first.
BUDGET: Final = Budget(nodes=300_000, seconds=6.0)

Cancel = Callable[[], bool]
Options = Mapping[str, bool | int | str]


class CertificateError(Exception):
    """The solver's line does not win, which is a solver bug. The deal is not published."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Proof that a deal is winnable: its winning record and, for a catalogue variant, its grade and figures."""

    record: Record
    figures: DifficultyFigures | None
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
    """Certify a deal of a catalogue variant, or of a game with options; return None if no win is found in the budget.

    Deals of catalogue variants are graded. With `patience`, the line is shortened fully, for at most that many seconds;
    without, only quickly. The grade is the same either way.

    :raises CertificateError: when the solver's line does not replay.
    """
    try:
        result = solve(open_table(name, seed, options), budget, cancel=cancel)
    except FalseSolutionError:
        raise CertificateError(f"the rules refuse the solver's line for a deal of {name}") from None
    if not isinstance(result, Solution):
        return None
    short = shorten(open_table(name, seed, options), result.tokens)
    tokens = _shortened_fully(open_table(name, seed, options), short, patience, cancel) if patience else short
    record = winning_record(name, seed, tokens, options)
    if name not in CATALOGUE or options is not None:
        return Certificate(record, None, None)
    figures = difficulty.measure(name, seed, nodes=result.effort.nodes, line=len(short))
    return Certificate(record, figures, difficulty.grade(name, figures))


def _shortened_fully(table: Table, tokens: tuple[str, ...], seconds: float, cancel: Cancel | None) -> tuple[str, ...]:
    latest = time.monotonic() + seconds

    def is_over() -> bool:
        return time.monotonic() >= latest or (cancel is not None and cancel())

    return shorten_fully(table, tokens, cancel=is_over).tokens


def winning_record(name: str, seed: bytes, tokens: tuple[str, ...], options: Options | None = None) -> Record:
    """Return the record of a winning line, read back from its stored form and replayed by the rules.

    :raises CertificateError: when it does not win. The message names no token and no card.
    """
    clock = tuple(range(MS_A_MOVE, MS_A_MOVE * (len(tokens) + 1), MS_A_MOVE))
    ended = End("won", clock[-1] if clock else 0)
    stored_options = None if options is None else dict(options)
    record = Record.from_bytes(
        Record(RULES_VERSION, name, stored_options, seed, tuple(tokens), clock, ended).to_bytes()
    )
    result = replay(record)
    if not (result.ok and result.won):
        raise CertificateError(f"the solver's line for a deal of {name} does not win")
    return record
