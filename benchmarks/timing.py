"""Medians and the printing of ratios, shared by the benchmarks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

ROUNDS = 5


def per_second(work: Callable[[], int], *, rounds: int = ROUNDS) -> float:
    """The median over `rounds` of what `work` says it got done, a CPU second of this process."""
    rates = []
    for _ in range(rounds):
        begun = time.process_time()
        done = work()
        rates.append(done / (time.process_time() - begun))
    return statistics.median(rates)


def row(what: str, rate: float, beside: float, *, at_least: float) -> bool:
    """Print a rate and its ratio to another; returns whether the ratio reaches the aim."""
    ratio = rate / beside
    reached = ratio >= at_least
    print(f"{what:<34} {rate:>12,.0f}/s   x {ratio:6.2f}   aim {at_least:g}   {'ok' if reached else 'MISSED'}")
    return reached
