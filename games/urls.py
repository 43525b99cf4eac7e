"""URL patterns of the games' pages."""

from __future__ import annotations

from django.conf import settings
from django.urls import path
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

import games.presentation.url_converters  # noqa: F401 - days and months in paths
from games.appeals import appeals
from games.pages.daily import archive_page, deal_page, home_page, relaxed_page, table_page
from games.pages.info import (
    inbox_page,
    ledger_heads_page,
    ledger_page,
    offline_pages,
    privacy_page,
    queue_page,
    rules_page,
    which_game_page,
    winnability_page,
)
from games.pages.practice import hints_page, practice_page
from games.pages.puzzles import explanations_page, past_puzzles_page, puzzle_page, run_page
from games.pages.races import (
    heats_page,
    lobby_page,
    puzzle_race_page,
    race_of_the_day_page,
    race_results_page,
    room_page,
)
from games.pages.replays import (
    analysis_page,
    appeal_page,
    challenge_pages,
    explorer_page,
    ghost_pages,
    link_previews,
    replay_page,
    report_page,
    side_by_side_page,
)

app_name = "games"

_FAIRPLAY = TemplateView.as_view(
    template_name="games/fairplay.html",
    extra_context={"appeal_days": appeals.WITHIN.days, "review_days": settings.REVIEW_DAYS},
)

urlpatterns = [
    # Today's deals
    path("", home_page.home, name="home"),
    path("today/", home_page.go_to_todays_game, name="todays_game"),
    path("playing.json", home_page.playing_json, name="playing_json"),
    # Tables
    path("play/<slug:variant>/", table_page.play, name="play"),
    path("play/<slug:variant>/start", table_page.start, name="start"),
    path("table/<uuid:attempt>/", table_page.table, name="table"),
    path("table/<uuid:attempt>/restart", table_page.restart, name="restart"),
    path("table/<uuid:attempt>/deck.json", table_page.deck, name="deck"),
    # Hints and questions at a table
    path("table/<uuid:attempt>/can-win", hints_page.can_win, name="can_win"),
    path("table/<uuid:attempt>/hint", hints_page.hint, name="hint"),
    path("table/<uuid:attempt>/way/", hints_page.way_page, name="way"),
    path("table/<uuid:attempt>/way/steps.json", hints_page.way_steps, name="way_steps"),
    # Practice
    path("practice/", practice_page.practice_page, name="practice"),
    path("practice/start", practice_page.start_practice, name="start_practice"),
    path("practice/looking/", practice_page.looking, name="looking"),
    path("practice/looking.json", practice_page.looking_json, name="looking_json"),
    path("practice/looking/start", practice_page.start_found, name="start_found"),
    path("practice/first", practice_page.start_first_game, name="first_game"),
    # Puzzles
    path("puzzles/", puzzle_page.todays_puzzle, name="todays_puzzle"),
    path("puzzles/another/", puzzle_page.another, name="another_puzzle"),
    path("puzzles/days/", past_puzzles_page.past_puzzles, name="past_puzzles"),
    path("puzzles/days/<month:month>/", past_puzzles_page.past_puzzles, name="past_puzzles_of"),
    path("puzzles/<run:kind>/", run_page.runs, name="puzzle_runs"),
    path("puzzles/<run:kind>/new", run_page.begin_run, name="begin_puzzle_run"),
    path("puzzles/<run:kind>/<uuid:run>/", run_page.run, name="puzzle_run"),
    path("puzzles/<run:kind>/<uuid:run>/current", run_page.run_current, name="puzzle_run_current"),
    path("puzzles/<run:kind>/<uuid:run>/move", run_page.run_move, name="puzzle_run_move"),
    path("puzzles/<day:day>/", puzzle_page.puzzle_of_day, name="puzzle_of_day"),
    path("puzzles/<int:number>/", puzzle_page.puzzle_page, name="puzzle"),
    path("puzzles/<int:number>/move", puzzle_page.move, name="puzzle_move"),
    path("puzzles/<int:number>/play-on", puzzle_page.play_on, name="play_on_puzzle"),
    path("puzzles/<int:number>/why.json", explanations_page.why, name="puzzle_why"),
    path("puzzles/<int:number>/loss.json", explanations_page.loss, name="puzzle_loss"),
    path("puzzles/<int:number>/win.json", puzzle_page.win, name="puzzle_win"),
    # Races: lobby, rooms and results
    path("races/", lobby_page.races, name="races"),
    path("races/lobby.json", lobby_page.lobby_json, name="lobby_json"),
    path("races/seeks.json", lobby_page.seeks_json, name="seeks_json"),
    path("races/tv/", lobby_page.tv, name="race_tv"),
    path("races/new", lobby_page.new, name="race_new"),
    path("races/quick", lobby_page.quick_match, name="race_quick"),
    path("races/bot", lobby_page.race_bot, name="race_bot"),
    path("races/heat/", lobby_page.heat, name="race_heat"),
    path("races/heats/", heats_page.heats, name="race_heats"),
    path("races/daily/", race_of_the_day_page.daily_race, name="race_of_the_day"),
    path("races/daily/calendar.ics", race_of_the_day_page.daily_race_calendar, name="race_of_the_day_calendar"),
    path("races/mine/", race_results_page.mine, name="my_races"),
    path("races/<slug:code>/", room_page.room, name="room"),
    path("races/<slug:code>/overlay/", room_page.overlay, name="race_overlay"),
    path("races/<slug:code>/sit", room_page.sit, name="race_sit"),
    path("races/<slug:code>/webhook", room_page.webhook, name="race_webhook"),
    path("races/<slug:code>/<int:number>/", race_results_page.result, name="race_result"),
    path("races/<slug:code>/<int:number>/puzzles/", puzzle_race_page.puzzle_race, name="puzzle_race"),
    path("races/<slug:code>/<int:number>/puzzles/current", puzzle_race_page.current, name="puzzle_race_current"),
    path("races/<slug:code>/<int:number>/puzzles/move", puzzle_race_page.move, name="puzzle_race_move"),
    path("races/<slug:code>/<int:number>/race.json", race_results_page.race_json, name="race_json"),
    # The archive
    path("deals/", archive_page.archive, name="archive"),
    path("deals/<month:month>/", archive_page.archive, name="archive_month"),
    path("deals/<day:day>/", archive_page.archive, name="archive_day"),
    # Relaxed games of the past year
    path("relaxed/", relaxed_page.relaxed, name="relaxed"),
    path("relaxed/<month:month>/", relaxed_page.relaxed, name="relaxed_month"),
    path("relaxed/<day:day>/", relaxed_page.relaxed, name="relaxed_day"),
    # A deal and its solution
    path("deals/<day:day>/<slug:variant>/", deal_page.deal_page, name="deal"),
    path("deals/<day:day>/<slug:variant>/deal.json", deal_page.deal_data, name="deal_data"),
    path("deals/<day:day>/<slug:variant>/explorer/", explorer_page.explorer_page, name="explorer"),
    path("deals/<day:day>/<slug:variant>/explorer/steps.json", explorer_page.explorer_steps, name="explorer_steps"),
    path("deals/<day:day>/<slug:variant>/solution/", deal_page.solution_page, name="solution"),
    path("deals/<day:day>/<slug:variant>/solution/steps.json", deal_page.solution_steps, name="solution_steps"),
    path("deals/<day:day>/<slug:variant>/solution/record.json", deal_page.solution_record, name="solution_record"),
    # Ghosts and side-by-side replays
    path("ghosts/", ghost_pages.latest, name="latest_ghosts"),
    path("ghosts/<int:deal>/", ghost_pages.choose, name="ghosts"),
    path("ghosts/<int:deal>/start", ghost_pages.race, name="race_ghost"),
    path("ghosts/<uuid:attempt>/lane.json", ghost_pages.lane, name="lane"),
    path("table/<uuid:attempt>/line.json", ghost_pages.line, name="line"),
    path("replay/together/", side_by_side_page.together, name="together"),
    path("races/<slug:code>/<int:number>/replay/", side_by_side_page.race_replay, name="race_replay"),
    # Challenges and notices
    path("challenge/", challenge_pages.send, name="send_challenge"),
    path("challenge/<slug:code>/", challenge_pages.challenge, name="challenge"),
    path("challenge/<slug:code>/start", challenge_pages.answer, name="answer_challenge"),
    path("inbox/", inbox_page.inbox_page, name="inbox"),
    # The ledger of deals
    path("ledger/", ledger_page.ledger_page, name="ledger"),
    path("ledger/heads.txt", ledger_heads_page.heads_text, name="ledger_heads"),
    path("ledger/heads.atom", ledger_heads_page.heads_feed, name="ledger_feed"),
    path(".well-known/talon-ledger.pem", ledger_heads_page.key, name="ledger_key"),
    # Rules
    path("rules/", rules_page.index, name="rules_index"),
    path("rules/which/", which_game_page.which_game, name="which_game"),
    path("rules/<slug:game>/", rules_page.rules, name="rules"),
    # Winnability statistics
    path("winnability/", winnability_page.page, name="winnability"),
    path("winnability.csv", winnability_page.data, name="winnability_data"),
    # Offline pages
    path("offline/<str:language>/", offline_pages.page, name="offline"),
    path("offline/<str:language>/form/", offline_pages.unsent, name="offline_unsent"),
    path("offline/<str:language>/<slug:game>/", offline_pages.page, name="offline_lesson"),
    # Link preview pictures
    path("previews/<str:language>/<slug:variant>.png", link_previews.variant_picture, name="variant_picture"),
    path("previews/<str:language>/<day:day>/backs.png", link_previews.day_picture, name="day_picture"),
    path(
        "previews/<str:language>/<day:day>/opening.png", link_previews.day_picture, {"opened": True}, name="day_opening"
    ),
    path("previews/<str:language>/<day:day>/<slug:variant>/backs.png", link_previews.deal_picture, name="deal_picture"),
    path(
        "previews/<str:language>/<day:day>/<slug:variant>/opening.png",
        link_previews.deal_picture,
        {"opened": True},
        name="deal_opening",
    ),
    # Replays of finished games
    path("replay/<uuid:attempt>/", replay_page.replay_page, name="replay"),
    path("replay/<uuid:attempt>/steps.json", replay_page.steps, name="steps"),
    path("replay/<uuid:attempt>/record.json", replay_page.record, name="record"),
    path("replay/<uuid:attempt>/analysis.json", analysis_page.analysis, name="analysis"),
    path("replay/<uuid:attempt>/embed/", replay_page.embed, name="embed"),
    path("replay/<uuid:attempt>/picture", replay_page.picture, name="picture"),
    path("replay/<uuid:attempt>/picture.gif", replay_page.picture_gif, name="picture_gif"),
    path("replay/<uuid:attempt>/play-on", replay_page.play_on, name="play_on"),
    path("verify/", replay_page.verify, name="verify"),
    # Fair play: policy, appeals and reports
    path("fairplay/", require_safe(_FAIRPLAY), name="fairplay"),
    path("appeals/<uuid:attempt>/", appeal_page.appeal_page, name="appeal"),
    path("reports/<uuid:attempt>/", report_page.report_page, name="report"),
    # Newcomers who wait (games.core.waiting)
    path("queue/", queue_page.queue, name="queue"),
    # Privacy: the data stored about players
    path("privacy/", privacy_page.privacy, name="privacy"),
]
