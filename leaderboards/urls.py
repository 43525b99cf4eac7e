"""URLs of the boards' pages."""

from __future__ import annotations

from datetime import date

from django.urls import path, register_converter

from leaderboards import views
from leaderboards.models import Season


class BoardDayConverter:
    """A day in a path, such as 2026-11-21."""

    regex = r"\d{4}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        """:raises ValueError: for a day that does not exist; the path is then not found."""
        return date.fromisoformat(value)

    def to_url(self, value: date | str) -> str:
        """The day as it stands in a path."""
        return str(value)


class PeriodConverter:
    """The length of a season."""

    regex = "|".join(Season.Period.values)

    def to_python(self, value: str) -> str:
        """As it is."""
        return value

    def to_url(self, value: str) -> str:
        """As it is."""
        return value


register_converter(BoardDayConverter, "board_day")
register_converter(PeriodConverter, "period")

app_name = "boards"

urlpatterns = [
    path("boards/", views.index, name="index"),
    path("boards/<period:period>/", views.season_page, name="period"),
    path("boards/<board_day:day>/<slug:variant>/", views.deal_board, name="deal"),
]
