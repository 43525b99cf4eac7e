"""Gap chart: all tokens are drawn inside the frame, and kinds differ by shape."""

from __future__ import annotations

import re

import pytest

from games.fairplay.move_gaps import Gap, Kind
from leaderboards.desk.gap_chart import Series, chart, seconds


def gaps(*given: tuple[Kind, int]) -> list[Gap]:
    return [Gap(n, "d", kind, 0, ms) for n, (kind, ms) in enumerate(given, 1)]


def starts(series: Series) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)", series.path)]


@pytest.mark.parametrize(
    "given",
    [
        gaps((Kind.PLAY, 0)),
        gaps((Kind.PLAY, 1), (Kind.DRAW, 40_000_000)),
        gaps(*((Kind.PLAY, 37 * n) for n in range(5_000))),
        gaps(*((kind, 300) for kind in Kind)),
    ],
    ids=["one", "far apart", "many", "every kind"],
)
def test_every_token_is_drawn_inside_the_frame(given: list[Gap]) -> None:
    drawn = chart(given)
    marks = [mark for series in drawn.series for mark in starts(series)]
    assert len(marks) == len(given)
    assert all(drawn.left - 5 <= x <= drawn.right + 5 for x, _ in marks)
    assert all(drawn.top - 5 <= y <= drawn.bottom + 5 for _, y in marks)
    assert len(drawn.steps) <= 11


def test_kinds_have_different_shapes() -> None:
    signs = [series.sign for series in chart(gaps(*((kind, 300) for kind in Kind))).series]
    assert len({re.sub(r"M[\d.]+ [\d.]+", "", sign) for sign in signs}) == len(Kind)


def test_longer_gaps_are_higher() -> None:
    drawn = chart(gaps((Kind.PLAY, 20), (Kind.PLAY, 200), (Kind.PLAY, 2_000)))
    heights = [y for _, y in starts(drawn.series[0])]
    assert heights == sorted(heights, reverse=True)
    assert [line.text for line in drawn.levels] == ["0.01 s", "0.1 s", "1 s", "10 s"]


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0.000 s"), (32, "0.032 s"), (480, "0.48 s"), (1_949, "1.9 s"), (61_000, "61 s")]
)
def test_times_have_significant_figures(ms: int, text: str) -> None:
    assert seconds(ms) == text
