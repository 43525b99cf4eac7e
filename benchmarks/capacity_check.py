"""What `benchmarks.capacity` expects of a rush, beside what `benchmarks.rush --json` has measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.capacity_model import Cost, Costs
from benchmarks.rush_parts import MOVES

TOLERANCE: Final = 0.25
#: ms of CPU a player up to which nothing is compared: that is how well it can be measured.
NOTHING: Final = 1.0
CHECKED: Final = ("web", "worker")
SHOWN: Final = (*CHECKED, "postgres", "redis")


@dataclass(frozen=True, slots=True)
class Rush:
    """What is read of a rush."""

    newcomers: int
    returning: int
    arrived: int
    queued: int
    cpu: dict[str, float]
    """ms for each who arrived, by process."""

    def __post_init__(self) -> None:
        """Refuse what says nothing.

        :raises ValueError: when nobody came.
        """
        if min(self.arrived, self.newcomers + self.returning) < 1:
            raise ValueError("nobody arrived in this rush")

    def spent(self, kind: str) -> float:
        """By all processes of a kind, such as `web-1` and `web-2`; in ms for each who arrived.

        What one process does when costs are measured, pages and tables, is divided among two kinds in the rush.
        """
        kinds = ("web", "tables") if kind == "web" else (kind,)
        return sum(ms for name, ms in self.cpu.items() if name.partition("-")[0] in kinds)


@dataclass(frozen=True, slots=True)
class Comparison:
    """ms of CPU a player of one kind of process."""

    kind: str
    expected: float
    measured: float

    @property
    def off(self) -> float:
        """By how much the measured is more than the expected, as a share of the expected; 0 where both are nothing."""
        if max(self.expected, self.measured) < NOTHING:
            return 0.0
        return self.measured / self.expected - 1 if self.expected else float("inf")

    @property
    def agrees(self) -> bool:
        """Whether the model is as good as it should be."""
        return abs(self.off) <= TOLERANCE


def expected(costs: Costs, rush: Rush) -> Cost:
    """What one of those who arrive should cost: the whole way, with some moves. No game ends meanwhile."""
    every = rush.newcomers + rush.returning
    arrivals = costs.newcomer * (rush.newcomers / every) + costs.returning * (rush.returning / every)
    return arrivals + costs.each["move"] * MOVES


def compare(costs: Costs, rush: Rush) -> Iterator[Comparison]:
    """Expected beside measured, by kind of process."""
    hoped = expected(costs, rush)
    for kind in SHOWN:
        yield Comparison(kind, max(0.0, getattr(hoped, kind)), rush.spent(kind))


def report(costs: Costs, rushes: Sequence[Rush]) -> int:
    """Print the comparisons; 1 when one of web processes or workers is too far off."""
    missed = False
    for rush in rushes:
        print(f"{rush.arrived} arrived, {rush.queued} of them by the queue; ms of CPU a player:")
        for one in compare(costs, rush):
            said = ("ok" if one.agrees else "MISSED") if one.kind in CHECKED else ""
            missed |= said == "MISSED"
            print(
                f"{one.kind:>10}  expected {one.expected:6.2f}  measured {one.measured:6.2f}  {one.off:+7.0%}  {said}"
            )
    return int(missed)
