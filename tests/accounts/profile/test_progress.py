"""Levels that never fall, goals of the week, badges with stages, the practice tab and the year in squares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.profile.finished_games import FinishedGame, finished_games_of
from accounts.profile.play_statistics import VerifiedPlay
from accounts.profile.player_progress import Level, Progress, progress
from accounts.profile.year import Year
from accounts.sign_in.guests import create_guest, merge_guest
from games import housekeeping
from games.core.retention import remove_aged
from games.models import Attempt
from games.puzzles.models import PuzzleTry
from games.replays.models import Continuation
from games.rules import CATALOGUE
from tests.accounts.conftest import MakeAttempt, SignIn, exported
from tests.factories import make_deal
from tests.games.puzzles.puzzles import stored_puzzle
from tests.games.races.runs import VARIANT, Run
from tests.rules.profile import examples

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)  # a Thursday
DAY = timedelta(days=1)
MONDAY = datetime(2026, 11, 23, tzinfo=UTC)


def game(
    variant: str = "plot", *, ago: float = 0, won: bool = True, ranked: bool = False, **facts: Any
) -> FinishedGame:
    return FinishedGame(NOW - ago * DAY, variant, not ranked, won, **facts)


def play(variant: str = "plot", *, ago: int = 0, won: bool = True, tokens: int = 100) -> VerifiedPlay:
    return VerifiedPlay(variant, (NOW - ago * DAY).date(), won, 52, 1_000, tokens, par=90)


def found(
    *games: FinishedGame, solved: int = 0, plays: Sequence[VerifiedPlay] = (), relaxed: Sequence[date] = ()
) -> Progress:
    return progress(games, [NOW] * solved, plays, relaxed, NOW)


def badge(kind: str, *games: FinishedGame, **facts: Any) -> tuple[int, int]:
    """Return a badge's count and stage."""
    one = next(one for one in found(*games, **facts).badges if one.kind == kind)
    return one.done, one.stage


def level_of(*games: FinishedGame) -> Level:
    (level,) = found(*games).levels
    return level


@pytest.mark.parametrize(
    ("won", "lost", "level", "wins_left"),
    [
        (0, 1, 1, 1),
        (1, 0, 2, 2),
        (0, 3, 2, 2),
        (2, 0, 2, 1),
        (3, 0, 3, 3),
        (2, 3, 3, 3),
        (45, 0, 10, 10),
        (46, 0, 10, 9),
    ],
)
def test_a_level_takes_one_more_win_than_the_last(won: int, lost: int, level: int, wins_left: int) -> None:
    reached = level_of(*[game()] * won, *[game(won=False)] * lost)
    assert (reached.number, reached.wins_left) == (level, wins_left)


@examples(100)
@given(st.integers(1, 10**6))
def test_levels_never_fall_with_more_points(points: int) -> None:
    level, after = Level("plot", points), Level("plot", points + 1)
    assert 0 <= level.done < level.number
    assert (after.number, after.done) in {(level.number, level.done + n) for n in (0, 1)} | {(level.number + 1, 0)}
    assert Level("plot", points + 3 * level.wins_left).number == level.number + 1


def test_each_game_begun_has_a_level() -> None:
    assert [level.variant for level in found(game("tarot"), game("braid", won=False)).levels] == ["braid", "tarot"]


@pytest.mark.parametrize(
    ("games", "solved", "done"),
    [
        ([game()] * 5, 0, (5, 0, 0)),
        ([game()] * 5, 3, (5, 3, 0)),
        ([game(ranked=True, won=False)] * 3, 3, (3, 3, 3)),
        ([game(ranked=True)] * 5, 0, (5, 0, 5)),
    ],
)
def test_two_goals_of_three_make_a_good_week(games: list[FinishedGame], solved: int, done: tuple[int, ...]) -> None:
    week = found(*games, solved=solved)
    assert tuple(goal.done for goal in week.goals) == done
    assert week.is_good_week == (sum(count >= enough for count, enough in zip(done, (5, 3, 3), strict=True)) >= 2)
    assert next(one.done for one in week.badges if one.kind == "weeks") == week.is_good_week


def test_a_week_lasts_from_monday_to_sunday() -> None:
    second = timedelta(seconds=1)
    games = [game()._replace(at=at) for at in (MONDAY - second, MONDAY, MONDAY + 7 * DAY - second, MONDAY + 7 * DAY)]
    assert found(*games).goals[0].done == 2


def test_wins_and_different_games_reach_stages() -> None:
    assert [badge("wins", *[game()] * n)[1] for n in (9, 10, 49, 50, 199, 200, 201)] == [0, 1, 1, 2, 2, 3, 3]
    assert badge("wins", *[game(won=False)] * 10) == (0, 0)
    assert badge("every", *map(game, CATALOGUE)) == (9, 3)
    assert badge("every", *[game(name, won=False) for name in CATALOGUE], game()) == (1, 1)


def test_ranked_wins_reach_stages() -> None:
    week = [play(ago=n) for n in (0, 1, 2, 4, 5, 6, 7)]
    assert [badge("streak", plays=week[n:])[1] for n in (0, 1)] == [1, 0]
    assert badge("relaxed", relaxed=[one.day for one in week]) == (7, 1)
    names = list(CATALOGUE)
    assert badge("nine", plays=[play(name) for name in names]) == (9, 3)
    assert badge("nine", plays=[play(name, won=name != "plot") for name in names]) == (8, 2)
    assert badge("nine", plays=[play(name, ago=n % 2) for n, name in enumerate(names)]) == (5, 1)
    assert badge("par", plays=[play(tokens=90), play(tokens=91), play(tokens=89, won=False)]) == (1, 1)


def test_a_comeback_is_a_win_right_after_losing_a_hard_deal() -> None:
    hard, lost, won = game(won=False, grade=4), game(won=False, grade=3), game()
    assert badge("comeback", hard, won, won) == (1, 1)
    assert badge("comeback", hard, lost, won, lost, won, game(grade=5), won) == (0, 0)
    assert badge("comeback", *[hard, won] * 10) == (10, 2)


def test_a_week_without_hints_has_five_practice_games_and_is_over() -> None:
    last_week = [game(ago=7)] * 5
    assert badge("unaided", *last_week) == (1, 1)
    assert badge("unaided", *last_week[:4]) == badge("unaided", *last_week, game(ago=8, hinted=True)) == (0, 0)
    assert badge("unaided", *[game(ago=7, ranked=True)] * 5) == (0, 0), "ranked games have no hints"
    assert badge("unaided", *[game()] * 5) == (0, 0), "the week may still bring a hint"


@pytest.mark.django_db
def test_daily_games_practice_and_races_count(user: User, make_attempt: MakeAttempt) -> None:
    run = Run.ended("won", "retired", players=[user, create_guest()])
    run.tend(20)
    run.judge().tend(21)
    make_attempt(user, make_deal("plot"), won=True)
    make_attempt(user, make_deal("braid", practice=True))
    make_attempt(user, make_deal("tarot"), state="pending")
    counted = {one.variant: (one.is_practice, one.is_won) for one in finished_games_of(user.pk)}
    assert counted == {VARIANT: (False, True), "plot": (False, True), "braid": (True, False), "tarot": (False, False)}


@pytest.mark.django_db
def test_only_games_that_stay_count(user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal("plot"), won=True, state="rejected")
    goes_on = make_attempt(user, make_deal("plot", practice=True), won=True)
    Continuation.objects.create(attempt=goes_on, n=3)
    closed = make_attempt(user, make_deal("braid", practice=True), end="closed", finished_at=NOW - 500 * DAY)
    lost = make_attempt(user, make_deal("tarot", practice=True), finished_at=NOW - 500 * DAY)
    before = finished_games_of(user.pk)
    assert [one.variant for one in before] == ["tarot"]
    remove_aged(housekeeping.KINDS)
    assert set(Attempt.objects.filter(pk__in=[closed.pk, lost.pk])) == {lost}
    assert finished_games_of(user.pk) == before


@pytest.mark.django_db
def test_a_guests_games_count_for_the_account(user: User, make_attempt: MakeAttempt) -> None:
    guest = create_guest()
    make_attempt(guest, make_deal("plot"), won=True)
    make_attempt(user, make_deal("braid"), won=True)
    merge_guest(guest, user)
    assert {one.variant: one.is_won for one in finished_games_of(user.pk)} == {"plot": True, "braid": True}


@pytest.mark.django_db
def test_the_profile_shows_levels_to_all_and_goals_to_the_player(
    client: Client, mine: Client, user: User, make_attempt: MakeAttempt
) -> None:
    deal = make_deal("plot", practice=True)
    for _ in range(10):
        make_attempt(user, deal, won=True)
    for _ in range(3):
        PuzzleTry.objects.create(player=user, puzzle=stored_puzzle(), solved_at=timezone.now())
    address = reverse("players:profile", args=[user.public_id])
    own, others = mine.get(address), client.get(address)
    assert ('id="week"' in own.content.decode(), 'id="week"' in others.content.decode()) == (True, False)
    for response in (own, others):
        text = re.sub(r"\s+", " ", response.content.decode())
        assert "A good week: two goals reached." in text or response is others
        assert "level 5 <small>5 wins to the next" in text
        assert "stage 1 of 3 · 10 of 50" in text
    assert [len(response.context["badges"]) for response in (own, others)] == [9, 3]


@pytest.mark.django_db
def test_practice_has_a_tab_for_its_player(client: Client, mine: Client, user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal("plot", practice=True), won=True, elapsed_ms=61_200, tokens=70)
    make_attempt(user, make_deal("plot"), won=True, elapsed_ms=1, tokens=1)
    address = reverse("players:profile", args=[user.public_id])
    shown = mine.get(address, {"of": "practice"}).context["statistics"]
    assert (shown.overall.played, shown.by_variant["plot"].best_ms, shown.overall.fewest_moves) == (1, 61_200, 70)
    assert [
        viewer.get(address, query).context["statistics"].overall.best_ms
        for viewer, query in ((mine, {}), (client, {"of": "practice"}))
    ] == [1, 1]


def marks_in(year: Any) -> list[dict[str, int]]:
    """Return the number of squares by mark, for each month."""
    return [{mark: path.count("M") for mark, path in month.paths.items()} for month in year.months()]


@pytest.mark.django_db
def test_a_year_has_a_square_for_each_game_of_each_day(user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal("plot", date(2025, 12, 30)), won=True)
    make_attempt(user, make_deal("plot", date(2026, 1, 1)), won=True)
    make_attempt(user, make_deal("braid", date(2026, 1, 1)))
    make_attempt(user, make_deal("braid", date(2026, 2, 2)))
    make_attempt(user, make_deal("tarot", date(2026, 2, 2)), state="review")
    today = date(2026, 2, 2)
    year = Year.of(user, 2026, "", today)
    assert year is not None
    assert marks_in(year) == [{"won": 1, "lost": 1, "open": 31 * 9 - 2}, {"lost": 1, "open": 2 * 9 - 1}]
    assert year.figures == "Days: 2 · Games: 3 · Won: 1"
    assert [(month.played, month.won) for month in year.months()] == [(2, 1), (1, 0)]
    assert marks_in(Year.of(user, 2026, "plot", today)) == [{"won": 1, "open": 30}, {"open": 2}]
    assert marks_in(Year.of(user, 2026, "plot", today, "won")) == [{"won": 1}, {}]
    assert marks_in(Year.of(user, 2026, "plot", today, "odd")) == [{"won": 1, "open": 30}, {"open": 2}]
    assert marks_in(Year.of(user, 2025, "", today)) == [{"open": 31 * 9 - 1, "won": 1}], (
        "it begins with the first month played"
    )
    assert year.share_text().startswith(f"Talon, 2026\n{year.figures}\nhttp")
    assert year.share_text().endswith(f"/players/{user.public_id}/year/2026/")


@pytest.mark.django_db
def test_squares_are_in_the_column_of_their_weekday(user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal("braid", date(2026, 2, 9)), won=True)  # the Monday of the third row
    year = Year.of(user, 2026, "", date(2026, 2, 9))
    assert year is not None
    assert [month.paths["won"] for month in year.months()] == ["M0 52h6v6h-6z"]


@pytest.mark.django_db
def test_accounts_share_their_year(client: Client, mine: Client, user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal("plot"), won=True)
    address = reverse("players:this_year", args=[user.public_id])
    assert "Share the year" in mine.get(address).content.decode()
    seen = client.get(address, {"variant": "plot"})
    assert ("Share the year" in seen.content.decode(), seen.context["year"].variants) == (False, ["plot"])
    assert [client.get(f"{address}{year}/").status_code for year in (1999, 9999, 10**12)] == [404] * 3
    ban_player(user)
    assert client.get(address).status_code == 404


@pytest.mark.django_db
def test_a_guests_year_is_only_for_the_guest(
    client: Client, guest: User, sign_in: SignIn, make_attempt: MakeAttempt
) -> None:
    make_attempt(guest, make_deal("plot"), won=True)
    address = reverse("players:this_year", args=[guest.public_id])
    own = sign_in(guest).get(address)
    assert (own.status_code, "Share the year" in own.content.decode()) == (200, False)
    assert client.get(address).status_code == 404


@pytest.mark.django_db
def test_the_year_of_a_deleted_player_is_gone(client: Client, user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal("plot", practice=True), won=True)
    address = reverse("players:this_year", args=[user.public_id])
    erase_player(user)
    assert client.get(address).status_code == 404
    assert finished_games_of(user.pk) == []


@pytest.mark.django_db(transaction=True)
def test_the_export_has_what_progress_follows_from(user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal("plot", practice=True), won=True, hinted=True)
    assert [(one["ranked"], one["end"], one["hinted"]) for one in exported(user)["attempts"]] == [(False, "won", True)]
