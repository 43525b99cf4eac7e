"""Days and months in the addresses of pages: `<day:…>` and `<month:…>`, where this module is imported."""

from __future__ import annotations

from datetime import date

from django.urls import register_converter


class DayConverter:
    """A day of this millennium in a path, such as 2026-11-21."""

    regex = r"2\d{3}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        """The day; :raises ValueError: for one that no calendar has, so that the path is not found."""
        return date.fromisoformat(value)

    def to_url(self, value: date | str) -> str:
        """The day as it stands in a path."""
        return str(value)


class MonthConverter:
    """A month of this millennium in a path, such as 2026-11: its first day."""

    regex = r"2\d{3}-\d{2}"

    def to_python(self, value: str) -> date:
        """The first day of the month; :raises ValueError: for one that no calendar has."""
        return date.fromisoformat(f"{value}-01")

    def to_url(self, value: date) -> str:
        """The month as it stands in a path."""
        return value.isoformat()[:7]


register_converter(DayConverter, "day")
register_converter(MonthConverter, "month")
