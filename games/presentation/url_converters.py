"""URL converters: `<day:…>`, `<month:…>` and `<run:…>`. Importing this module registers them."""

from __future__ import annotations

from datetime import date

from django.urls import register_converter
from django.urls.converters import StringConverter


class DayConverter:
    """A day of this millennium in a path, such as 2026-11-21."""

    regex = r"2\d{3}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        """Parse the day.

        :raises ValueError: if there is no such day, so that the path does not match.
        """
        return date.fromisoformat(value)

    def to_url(self, value: date | str) -> str:
        """Format the day for a path."""
        return str(value)


class MonthConverter:
    """A month of this millennium in a path, such as 2026-11, as its first day."""

    regex = r"2\d{3}-\d{2}"

    def to_python(self, value: str) -> date:
        """Parse the month as its first day, or raise `ValueError` as `DayConverter` does."""
        return date.fromisoformat(f"{value}-01")

    def to_url(self, value: date) -> str:
        """Format the month for a path."""
        return value.isoformat()[:7]


class RunConverter(StringConverter):
    """A kind of puzzle runs outside races."""

    regex = "storm|streak"


register_converter(DayConverter, "day")
register_converter(MonthConverter, "month")
register_converter(RunConverter, "run")
