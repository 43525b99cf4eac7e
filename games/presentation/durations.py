"""Durations as text, in the page's language."""

from __future__ import annotations

from django.utils.formats import get_format


def duration(ms: int | None, places: int = 1) -> str:
    """Format milliseconds as ``4:07.3`` or ``1:04:07.3``; with `places` as ``4:07.312`` or ``4:07``."""
    if ms is None:
        return "–"
    seconds, rest = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{text}{get_format('DECIMAL_SEPARATOR')}{f'{rest:03}'[:places]}" if places else text
