"""URLs of the games' pages."""

from __future__ import annotations

from datetime import date

from django.urls import path, register_converter

from games.pages import archive, hints, ledger, replays, tables


class DayConverter:
    """A day of this millennium in a path, such as 2026-11-21."""

    regex = r"2\d{3}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        """:raises ValueError: for a day that does not exist; the path is then not found."""
        return date.fromisoformat(value)

    def to_url(self, value: date | str) -> str:
        """The day as it stands in a path."""
        return str(value)


class MonthConverter:
    """A month of this millennium in a path, such as 2026-11: its first day."""

    regex = r"2\d{3}-\d{2}"

    def to_python(self, value: str) -> date:
        """:raises ValueError: for a month that does not exist."""
        return date.fromisoformat(f"{value}-01")

    def to_url(self, value: date) -> str:
        """The month as it stands in a path."""
        return value.isoformat()[:7]


register_converter(DayConverter, "day")
register_converter(MonthConverter, "month")

app_name = "games"

urlpatterns = [
    path("", tables.home, name="home"),
    path("play/<slug:variant>/", tables.play, name="play"),
    path("play/<slug:variant>/start", tables.start, name="start"),
    path("table/<uuid:attempt>/", tables.table, name="table"),
    path("table/<uuid:attempt>/can-win", hints.can_win, name="can_win"),
    path("table/<uuid:attempt>/way/", hints.way_page, name="way"),
    path("table/<uuid:attempt>/way/steps.json", hints.way_steps, name="way_steps"),
    path("practice/", tables.practice, name="practice"),
    path("practice/start", tables.start_practice, name="start_practice"),
    path("deals/", archive.archive, name="archive"),
    path("deals/<month:month>/", archive.archive, name="archive_month"),
    path("deals/<day:day>/", archive.archive, name="archive_day"),
    path("deals/<day:day>/<slug:variant>/", tables.deal_page, name="deal"),
    path("deals/<day:day>/<slug:variant>/deal.json", tables.deal_data, name="deal_data"),
    path("deals/<day:day>/<slug:variant>/solution/", ledger.solution_page, name="solution"),
    path("deals/<day:day>/<slug:variant>/solution/steps.json", ledger.solution_steps, name="solution_steps"),
    path("deals/<day:day>/<slug:variant>/solution/record.json", ledger.solution_record, name="solution_record"),
    path("ledger/", ledger.ledger_page, name="ledger"),
    path("ledger.json", ledger.ledger_json, name="ledger_json"),
    path("rules/<slug:game>/", tables.rules, name="rules"),
    path("replay/<uuid:attempt>/", replays.replay_page, name="replay"),
    path("replay/<uuid:attempt>/steps.json", replays.steps, name="steps"),
    path("replay/<uuid:attempt>/record.json", replays.record, name="record"),
    path("verify/", replays.verify, name="verify"),
]
