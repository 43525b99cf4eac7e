"""Gap chart: the time between consecutive tokens, as a drawing for a template.

Kinds of tokens differ in shape as well as in colour. Gaps are on a logarithmic scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.fairplay.move_gaps import Gap, GapSpread, Kind, spreads

WIDTH: Final = 960
HEIGHT: Final = 320
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 14, 40

#: Bottom of the scale in ms; shorter gaps are drawn there. The top is a power of ten.
SHORTEST: Final = 10
_AT_LEAST: Final = 10_000

NAMES: Final[Mapping[Kind, Promise]] = {
    Kind.PLAY: _("plays"),
    Kind.DRAW: _("draws"),
    Kind.UNDO: _("undo"),
    Kind.CHOICE: _("choices of direction"),
    Kind.SERVED: _("played out by the server"),
}


@dataclass(frozen=True, slots=True)
class GridLine:
    """Grid line at x or y, with its label."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Series:
    """Marks of one kind as one path, its mark in the legend, and its figures in words."""

    kind: Kind
    name: str
    path: str
    sign: str
    number: int
    shortest: str
    middle: str
    longest: str


@dataclass(frozen=True, slots=True)
class GapChart:
    """Drawing for the template."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    levels: list[GridLine]
    steps: list[GridLine]
    series: list[Series]


def chart(gaps: Sequence[Gap]) -> GapChart:
    """Build the chart of a record's gaps."""
    highest = 10 ** math.ceil(math.log10(max(_AT_LEAST, *(gap.ms for gap in gaps), 1)))
    return GapChart(
        WIDTH,
        HEIGHT,
        LEFT,
        WIDTH - RIGHT,
        TOP,
        HEIGHT - BOTTOM,
        [GridLine(_y(10**k, highest), _in_seconds(10**k, max(0, 3 - k))) for k in _powers(highest)],
        [GridLine(_x(n, len(gaps)), str(n)) for n in _numbers(len(gaps))],
        [_series(spread, gaps, highest) for spread in spreads(gaps)],
    )


def seconds(ms: int) -> str:
    """Format a time for readers."""
    return _in_seconds(ms, 0 if ms >= 10_000 else 1 if ms >= 1_000 else 2 if ms >= 100 else 3)


def _in_seconds(ms: int, places: int) -> str:
    return f"{number_format(ms / 1000, places)} s"


def _series(spread: GapSpread, gaps: Sequence[Gap], highest: int) -> Series:
    mark = _MARKS[spread.kind]
    places = [(_x(gap.n, len(gaps)), _y(gap.ms, highest)) for gap in gaps if gap.kind == spread.kind]
    return Series(
        spread.kind,
        str(NAMES[spread.kind]),
        "".join(mark(x, y) for x, y in places),
        mark(8, 8),
        spread.number,
        seconds(spread.shortest),
        seconds(spread.middle),
        seconds(spread.longest),
    )


def _x(n: int, number: int) -> float:
    return round(LEFT + (n - 0.5) / max(1, number) * (WIDTH - LEFT - RIGHT), 1)


def _y(ms: int, highest: int) -> float:
    share = math.log(max(ms, SHORTEST) / SHORTEST) / math.log(highest / SHORTEST)
    return round(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP), 1)


def _powers(highest: int) -> list[int]:
    return list(range(round(math.log10(SHORTEST)), round(math.log10(highest)) + 1))


def _numbers(number: int) -> list[int]:
    """Return about eight token numbers to write under the chart."""
    rough = max(1, number) / 8
    power = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    return list(range(step, number + 1, step))


#: SVG paths of the marks: a circle, a triangle, a cross, a bar and a square.
_MARKS: Final[Mapping[Kind, Callable[[float, float], str]]] = {
    Kind.PLAY: lambda x, y: f"M{x - 3.6:.1f} {y:.1f}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
    Kind.DRAW: lambda x, y: f"M{x:.1f} {y - 4.4:.1f}l4.4 7.8h-8.8z",
    Kind.UNDO: lambda x, y: f"M{x - 4:.1f} {y - 4:.1f}l8 8m0-8l-8 8",
    Kind.CHOICE: lambda x, y: f"M{x:.1f} {y - 5:.1f}v10",
    Kind.SERVED: lambda x, y: f"M{x - 3:.1f} {y - 3:.1f}h6v6h-6z",
}
