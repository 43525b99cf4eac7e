"""URL patterns of the games' pages."""

from __future__ import annotations

from django.urls import path

import games.pages.converters  # noqa: F401 - days and months in paths
from games.pages import (
    analyses,
    appeals,
    archive,
    challenges,
    deals,
    fairplay,
    ghosts,
    heads,
    heats,
    hints,
    home,
    inbox,
    ledger,
    lobby,
    offline,
    practice,
    previews,
    privacy,
    queue,
    race_results,
    replays,
    reports,
    rooms,
    rules,
    tables,
    together,
    winnability,
)

app_name = "games"

urlpatterns = [
    # Today's deals
    path("", home.home, name="home"),
    path("playing.json", home.playing_json, name="playing_json"),
    # Tables
    path("play/<slug:variant>/", tables.play, name="play"),
    path("play/<slug:variant>/start", tables.start, name="start"),
    path("table/<uuid:attempt>/", tables.table, name="table"),
    path("table/<uuid:attempt>/restart", tables.restart, name="restart"),
    # Hints and questions at a table
    path("table/<uuid:attempt>/can-win", hints.can_win, name="can_win"),
    path("table/<uuid:attempt>/hint", hints.hint, name="hint"),
    path("table/<uuid:attempt>/way/", hints.way_page, name="way"),
    path("table/<uuid:attempt>/way/steps.json", hints.way_steps, name="way_steps"),
    # Practice
    path("practice/", practice.practice_page, name="practice"),
    path("practice/start", practice.start_practice, name="start_practice"),
    path("practice/looking/", practice.looking, name="looking"),
    path("practice/looking.json", practice.looking_json, name="looking_json"),
    path("practice/looking/start", practice.start_found, name="start_found"),
    path("practice/first", practice.start_first_game, name="first_game"),
    # Races: lobby, rooms and results
    path("races/", lobby.races, name="races"),
    path("races/lobby.json", lobby.lobby_json, name="lobby_json"),
    path("races/new", lobby.new, name="race_new"),
    path("races/quick", lobby.quick_match, name="race_quick"),
    path("races/heat/", lobby.heat, name="race_heat"),
    path("races/heats/", heats.heats, name="race_heats"),
    path("races/mine/", race_results.mine, name="my_races"),
    path("races/<slug:code>/", rooms.room, name="room"),
    path("races/<slug:code>/sit", rooms.sit, name="race_sit"),
    path("races/<slug:code>/<int:number>/", race_results.result, name="race_result"),
    path("races/<slug:code>/<int:number>/race.json", race_results.race_json, name="race_json"),
    # The archive
    path("deals/", archive.archive, name="archive"),
    path("deals/<month:month>/", archive.archive, name="archive_month"),
    path("deals/<day:day>/", archive.archive, name="archive_day"),
    # A deal and its solution
    path("deals/<day:day>/<slug:variant>/", deals.deal_page, name="deal"),
    path("deals/<day:day>/<slug:variant>/deal.json", deals.deal_data, name="deal_data"),
    path("deals/<day:day>/<slug:variant>/solution/", deals.solution_page, name="solution"),
    path("deals/<day:day>/<slug:variant>/solution/steps.json", deals.solution_steps, name="solution_steps"),
    path("deals/<day:day>/<slug:variant>/solution/record.json", deals.solution_record, name="solution_record"),
    # Ghosts and side-by-side replays
    path("ghosts/", ghosts.latest, name="latest_ghosts"),
    path("ghosts/<int:deal>/", ghosts.choose, name="ghosts"),
    path("ghosts/<int:deal>/start", ghosts.race, name="race_ghost"),
    path("ghosts/<uuid:attempt>/lane.json", ghosts.lane, name="lane"),
    path("table/<uuid:attempt>/line.json", ghosts.line, name="line"),
    path("replay/together/", together.together, name="together"),
    path("races/<slug:code>/<int:number>/replay/", together.race_replay, name="race_replay"),
    # Challenges and notices
    path("challenge/", challenges.send, name="send_challenge"),
    path("challenge/<slug:code>/", challenges.challenge, name="challenge"),
    path("challenge/<slug:code>/start", challenges.answer, name="answer_challenge"),
    path("inbox/", inbox.inbox_page, name="inbox"),
    # The ledger of deals
    path("ledger/", ledger.ledger_page, name="ledger"),
    path("ledger.json", ledger.ledger_json, name="ledger_json"),
    path("ledger/heads.txt", heads.heads_text, name="ledger_heads"),
    path("ledger/heads.atom", heads.heads_feed, name="ledger_feed"),
    path(".well-known/talon-ledger.pem", heads.key, name="ledger_key"),
    # Rules
    path("rules/", rules.index, name="rules_index"),
    path("rules/<slug:game>/", rules.rules, name="rules"),
    # Winnability statistics
    path("winnability/", winnability.page, name="winnability"),
    path("winnability.csv", winnability.data, name="winnability_data"),
    # Offline pages
    path("offline/<str:language>/", offline.page, name="offline"),
    path("offline/<str:language>/form/", offline.unsent, name="offline_unsent"),
    path("offline/<str:language>/<slug:game>/", offline.page, name="offline_lesson"),
    # Link preview pictures
    path("previews/<str:language>/<slug:variant>.png", previews.variant_picture, name="variant_picture"),
    path("previews/<str:language>/<day:day>/backs.png", previews.day_picture, name="day_picture"),
    path("previews/<str:language>/<day:day>/opening.png", previews.day_picture, {"opened": True}, name="day_opening"),
    path("previews/<str:language>/<day:day>/<slug:variant>/backs.png", previews.deal_picture, name="deal_picture"),
    path(
        "previews/<str:language>/<day:day>/<slug:variant>/opening.png",
        previews.deal_picture,
        {"opened": True},
        name="deal_opening",
    ),
    # Replays of finished games
    path("replay/<uuid:attempt>/", replays.replay_page, name="replay"),
    path("replay/<uuid:attempt>/steps.json", replays.steps, name="steps"),
    path("replay/<uuid:attempt>/record.json", replays.record, name="record"),
    path("replay/<uuid:attempt>/analysis.json", analyses.analysis, name="analysis"),
    path("replay/<uuid:attempt>/embed/", replays.embed, name="embed"),
    path("replay/<uuid:attempt>/picture", replays.picture, name="picture"),
    path("replay/<uuid:attempt>/picture.gif", replays.picture_gif, name="picture_gif"),
    path("replay/<uuid:attempt>/play-on", replays.play_on, name="play_on"),
    path("verify/", replays.verify, name="verify"),
    # Fair play: policy, appeals and reports
    path("fairplay/", fairplay.fairplay_page, name="fairplay"),
    path("appeals/<uuid:attempt>/", appeals.appeal_page, name="appeal"),
    path("reports/<uuid:attempt>/", reports.report_page, name="report"),
    # Admission queue (config.admission)
    path("queue/", queue.queue, name="queue"),
    # Privacy: the data stored about players
    path("privacy/", privacy.privacy, name="privacy"),
]
