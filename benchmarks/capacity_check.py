"""Check of `benchmarks.capacity`: its expectations of a rush beside the results of `benchmarks.rush --json`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.capacity_model import Cost, Costs
from benchmarks.rush_parts import MOVES

TOLERANCE: Final = 0.25
#: CPU ms per player below which nothing is compared; the accuracy of the measurement.
NOTHING: Final = 1.0
CHECKED: Final = ("web", "worker")
SHOWN: Final = (*CHECKED, "postgres", "redis")


@dataclass(frozen=True, slots=True)
class Rush:
    """Results of a rush."""

    newcomers: int
    returning: int
    arrived: int
    queued: int
    cpu: dict[str, float]
    """ms per arrival, by process."""

    def __post_init__(self) -> None:
        """Refuse an empty result.

        :raises ValueError: if no player arrived.
        """
        if min(self.arrived, self.newcomers + self.returning) < 1:
            raise ValueError("no player arrived in this rush")

    def spent(self, kind: str) -> float:
        """Return the ms per arrival of all processes of a kind, such as `web-1` and `web-2`.

        Pages and tables share a process when costs are measured, and are separate in the rush.
        """
        kinds = ("web", "tables") if kind == "web" else (kind,)
        return sum(ms for name, ms in self.cpu.items() if name.partition("-")[0] in kinds)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Expected and measured CPU ms per player, for one kind of process."""

    kind: str
    expected: float
    measured: float

    @property
    def off(self) -> float:
        """Return the difference as a share of the expected value, or 0 if both are negligible."""
        if max(self.expected, self.measured) < NOTHING:
            return 0.0
        return self.measured / self.expected - 1 if self.expected else float("inf")

    @property
    def agrees(self) -> bool:
        """Return whether the difference is within the tolerance."""
        return abs(self.off) <= TOLERANCE


def expected(costs: Costs, rush: Rush) -> Cost:
    """Return the expected cost of one arrival up to the last move of the rush. No game ends."""
    every = rush.newcomers + rush.returning
    arrivals = costs.newcomer * (rush.newcomers / every) + costs.returning * (rush.returning / every)
    return arrivals + costs.each["move"] * MOVES


def compare(costs: Costs, rush: Rush) -> Iterator[Comparison]:
    """Yield the comparisons by kind of process."""
    hoped = expected(costs, rush)
    for kind in SHOWN:
        yield Comparison(kind, max(0.0, getattr(hoped, kind)), rush.spent(kind))


def report(costs: Costs, rushes: Sequence[Rush]) -> int:
    """Print the comparisons; return 1 if web processes or workers are too far off."""
    missed = False
    for rush in rushes:
        print(f"{rush.arrived} arrived, {rush.queued} of them through the queue; ms of CPU per player:")
        for one in compare(costs, rush):
            said = ("ok" if one.agrees else "MISSED") if one.kind in CHECKED else ""
            missed |= said == "MISSED"
            print(
                f"{one.kind:>10}  expected {one.expected:6.2f}  measured {one.measured:6.2f}  {one.off:+7.0%}  {said}"
            )
    return int(missed)
