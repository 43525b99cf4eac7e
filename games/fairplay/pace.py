"""Pace: what a person can hardly have done, by the receive times of the tokens.

The thresholds leave room for very fast people. Plays are the tokens that place a card: drawing and turning over can be
done by holding a key, undo comes in bursts, and runs that the server played out itself (auto-finish) are nobody's
speed.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Final

from games.models import Attempt
from games.reasons import Reason, reason
from games.rules import Record

#: Tokens that place no card.
FREE_TOKENS: Final = frozenset({"u", "d", "n", "up", "down"})

#: So many plays within a second are beyond hands: pointing at a card and clicking takes 0.2 s when well practised.
BURST_PLAYS: Final = 15
BURST_MS: Final = 1_000

#: So many plays in a row at 0.15 s each are beyond anybody who looks at the cards.
SUSTAINED_PLAYS: Final = 60
SUSTAINED_MS: Final = 9_000

#: Gaps between plays that vary by less than this share of their mean are a timer's; people vary by their whole mean.
STEADY_PLAYS: Final = 40
STEADY_VARIATION: Final = 0.05

#: How far the record's clock may differ from the time between start and finish as the database has it.
CLOCK_TOLERANCE: Final = timedelta(seconds=5)


def doubts(attempt: Attempt, record: Record) -> list[Reason]:
    """What is doubtful about the pace and the clock of a finished attempt."""
    found = implausibilities(record.tokens, record.clock, record.end.ms, attempt.auto_runs)
    return found + _clock_doubts(attempt, record.end.ms)


def implausibilities(
    tokens: Sequence[str], clock: Sequence[int], end_ms: int, auto_runs: Collection[Sequence[int]]
) -> list[Reason]:
    """What a person can hardly have done, from the receive times (ms) of the tokens; empty for a plausible game."""
    if any(later < earlier for earlier, later in zip(clock, [*clock[1:], end_ms], strict=False)):
        return [reason("clock_backwards", "The receive times go backwards.")]
    times = play_times(tokens, clock, auto_runs)
    found = []
    burst = _shortest(times, BURST_PLAYS)
    if burst is not None and burst <= BURST_MS:
        found.append(reason("burst", f"{BURST_PLAYS} plays within {burst} ms.", plays=BURST_PLAYS, ms=burst))
    sustained = _shortest(times, SUSTAINED_PLAYS)
    if sustained is not None and sustained <= SUSTAINED_MS:
        found.append(
            reason("pace", f"{SUSTAINED_PLAYS} plays within {sustained} ms.", plays=SUSTAINED_PLAYS, ms=sustained)
        )
    variation = _variation(times)
    if len(times) >= STEADY_PLAYS and variation < STEADY_VARIATION:
        found.append(
            reason("steady", f"The gaps between plays vary by {variation:.1%} only.", variation=round(variation, 4))
        )
    return found


def play_times(tokens: Sequence[str], clock: Sequence[int], auto_runs: Collection[Sequence[int]]) -> list[int]:
    """When the plays came: tokens that place a card, but for those that the server played out."""
    return [
        ms
        for n, (token, ms) in enumerate(zip(tokens, clock, strict=True), 1)
        if token not in FREE_TOKENS and not any(first <= n <= last for first, last in auto_runs)
    ]


def _shortest(times: Sequence[int], plays: int) -> int | None:
    """The shortest time in which `plays` plays in a row came; None for fewer plays."""
    return min((end - start for start, end in zip(times, times[plays - 1 :], strict=False)), default=None)


def _variation(times: Sequence[int]) -> float:
    """Standard deviation of the gaps over their mean."""
    gaps = [later - earlier for earlier, later in pairwise(times)]
    mean = sum(gaps) / len(gaps) if gaps else 0.0
    if not mean:
        return math.inf
    return math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) / mean


def _clock_doubts(attempt: Attempt, end_ms: int) -> list[Reason]:
    assert attempt.finished_at is not None
    wall = attempt.finished_at - attempt.started_at
    claimed = timedelta(milliseconds=end_ms)
    # A close at the deadline may be noticed late; a win or a resignation happens when it is received.
    late = attempt.end != Attempt.End.CLOSED and wall - claimed > CLOCK_TOLERANCE
    if late or claimed - wall > CLOCK_TOLERANCE:
        return [reason("clock_differs", f"The record says {claimed}, start and finish are {wall} apart.")]
    return []
