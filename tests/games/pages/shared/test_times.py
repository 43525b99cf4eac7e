"""Format of game times: to a tenth, with more digits where a board would show two alike."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.utils import translation

from games.templatetags.client import duration, timed

TEMPLATES = Path(settings.BASE_DIR) / "frontend" / "templates"


@pytest.mark.parametrize(
    ("ms", "places", "text"),
    [
        (0, 1, "0:00.0"),
        (61_999, 1, "1:01.9"),
        (61_009, 3, "1:01.009"),
        (61_999, 0, "1:01"),
        (3_600_000 + 247_312, 1, "1:04:07.3"),
        (None, 1, "–"),
    ],
)
def test_a_time_is_formatted(ms: int | None, places: int, text: str) -> None:
    assert duration(ms, places) == text


def test_the_decimal_sign_follows_the_language() -> None:
    with translation.override("de"):
        assert duration(61_999) == "1:01,9"


def test_neighbours_that_would_look_equal_get_more_digits() -> None:
    board = [(52, 60_010), (52, 60_090), (52, 60_110), (51, 60_110), (51, 60_110), (50, None), (50, None)]
    shown = timed([SimpleNamespace(cards_up=cards, elapsed_ms=ms) for cards, ms in board])
    assert [text for _, text in shown] == ["1:00.010", "1:00.090", "1:00.1", "1:00.110", "1:00.110", "–", "–"]
    assert [one.elapsed_ms for one, _ in shown] == [ms for _, ms in board]
    assert timed([]) == []


def test_no_page_formats_times_otherwise() -> None:
    for path in TEMPLATES.rglob("*.html"):
        for written in re.findall(r"\w+\.(?:elapsed_ms|best_ms)\b(\|\w+)?", path.read_text()):
            assert written == "|duration", path.name
