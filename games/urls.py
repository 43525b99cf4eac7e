"""The addresses of the games' pages."""

from __future__ import annotations

from django.urls import path

import games.pages.converters  # noqa: F401 - days and months in paths
from games.pages import archive, deals, hints, home, ledger, practice, replays, rules, tables

app_name = "games"

urlpatterns = [
    # Today's deals
    path("", home.home, name="home"),
    # Tables
    path("play/<slug:variant>/", tables.play, name="play"),
    path("play/<slug:variant>/start", tables.start, name="start"),
    path("table/<uuid:attempt>/", tables.table, name="table"),
    # Questions asked at a table
    path("table/<uuid:attempt>/can-win", hints.can_win, name="can_win"),
    path("table/<uuid:attempt>/way/", hints.way_page, name="way"),
    path("table/<uuid:attempt>/way/steps.json", hints.way_steps, name="way_steps"),
    # Practice
    path("practice/", practice.practice, name="practice"),
    path("practice/start", practice.start_practice, name="start_practice"),
    # The archive
    path("deals/", archive.archive, name="archive"),
    path("deals/<month:month>/", archive.archive, name="archive_month"),
    path("deals/<day:day>/", archive.archive, name="archive_day"),
    # A deal, and how it is won
    path("deals/<day:day>/<slug:variant>/", deals.deal_page, name="deal"),
    path("deals/<day:day>/<slug:variant>/deal.json", deals.deal_data, name="deal_data"),
    path("deals/<day:day>/<slug:variant>/solution/", deals.solution_page, name="solution"),
    path("deals/<day:day>/<slug:variant>/solution/steps.json", deals.solution_steps, name="solution_steps"),
    path("deals/<day:day>/<slug:variant>/solution/record.json", deals.solution_record, name="solution_record"),
    # The ledger of deals
    path("ledger/", ledger.ledger_page, name="ledger"),
    path("ledger.json", ledger.ledger_json, name="ledger_json"),
    # The rules of a game
    path("rules/<slug:game>/", rules.rules, name="rules"),
    # Replays of finished games
    path("replay/<uuid:attempt>/", replays.replay_page, name="replay"),
    path("replay/<uuid:attempt>/steps.json", replays.steps, name="steps"),
    path("replay/<uuid:attempt>/record.json", replays.record, name="record"),
    path("verify/", replays.verify, name="verify"),
]
