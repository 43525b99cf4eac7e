"""Figures of a profile: statistics and streaks."""

from __future__ import annotations

import secrets
from collections import Counter
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from accounts.profile.contents import plays_of, statistics_of
from accounts.profile.play_statistics import VerifiedPlay, figures, statistics
from accounts.profile.win_days import current_streaks, daily_wins
from games.core.streaks import Streaks, streaks
from games.deals.todays_game import todays_game
from games.models import Attempt, Deal
from games.races.models import Race
from leaderboards.boards.rank_keys import BoardScore
from tests import factories
from tests.factories import make_account, make_deal, verified_win
from tests.games.races.runs import VARIANT, Run
from tests.rules.profile import examples

pytestmark = pytest.mark.django_db


TODAY = date(2026, 3, 10)

plays = st.builds(
    VerifiedPlay,
    variant=st.sampled_from(["braid", "plot", "tarot"]),
    day=st.dates(TODAY - timedelta(days=40), TODAY),
    won=st.booleans(),
    cards_up=st.integers(0, 104),
    elapsed_ms=st.integers(0, 10**8),
    tokens=st.integers(0, 5000),
)


def play(
    *, won: bool = True, day: date = TODAY, variant: str = "braid", ms: int = 1000, tokens: int = 100
) -> VerifiedPlay:
    return VerifiedPlay(variant=variant, day=day, won=won, cards_up=104, elapsed_ms=ms, tokens=tokens)


def test_without_games() -> None:
    nothing = figures([], TODAY)
    assert (nothing.played, nothing.won, nothing.best_ms, nothing.fewest_moves) == (0, 0, None, None)
    assert nothing.win_rate is None


def test_best_time_and_fewest_moves_are_of_won_games() -> None:
    found = figures([play(ms=900, tokens=90), play(ms=800, tokens=95), play(won=False, ms=10, tokens=1)], TODAY)
    assert (found.played, found.won, found.best_ms, found.fewest_moves) == (3, 2, 800, 90)
    assert found.win_rate == pytest.approx(2 / 3)


def test_a_lost_deal_breaks_a_streak() -> None:
    yesterday = TODAY - timedelta(days=1)
    found = figures([play(day=yesterday), play(won=False)], TODAY)
    assert (found.streak, found.longest_streak) == (1, 1)


def test_the_overall_streak_counts_any_variant() -> None:
    yesterday = TODAY - timedelta(days=1)
    found = statistics([play(variant="plot"), play(variant="braid", day=yesterday)], TODAY)
    assert found.overall.streak == 2
    assert found.by_variant["plot"].streak == 1


def test_games_in_races_count_in_rows_of_their_own() -> None:
    run = Run.ended("won", "retired", players=[make_account(), make_account()])
    run.tend(20)
    run.judge().tend(21)
    winner, loser = run.players
    verified_win(winner, make_deal(VARIANT, TODAY))
    found = statistics_of(winner, plays_of(winner))
    ranked, raced = found.by_variant[VARIANT], found.in_races[VARIANT]
    best = run.attempt(0).elapsed_ms
    assert (ranked.won, raced.won, raced.best_ms, raced.streak) == (1, 1, best, 0)
    assert (found.overall.played, found.overall.best_ms) == (2, min(best or 0, ranked.best_ms or 0))
    lost = statistics_of(loser, plays_of(loser))
    assert (lost.overall.played, lost.in_races[VARIANT].won, lost.by_variant) == (1, 0, {})
    theirs = Client().get(f"/players/{loser.public_id}/").content.decode()
    assert "No ranked results yet." not in theirs
    page = Client().get(f"/players/{winner.public_id}/").content.decode()
    assert ("data-history" in page, "data-history" in theirs) == (True, False), "the charts are of ranked games"
    assert page.count('<span class="mark">race</span>') == 1
    Race.objects.update(state=Race.State.SETTLING, finished_at=None)
    assert statistics_of(winner, []).in_races == {}, "not before the result is public"


def test_variants_are_in_catalogue_order() -> None:
    found = statistics([play(variant=name) for name in ("tarot", "old", "braid")], TODAY, ["braid", "tarot"])
    assert list(found.by_variant) == ["braid", "tarot", "old"]


@examples(40)
@given(st.lists(plays))
def test_variants_add_up_to_the_total(played: list[VerifiedPlay]) -> None:
    found = statistics(played, TODAY)
    assert found.overall.played == sum(f.played for f in found.by_variant.values()) == len(played)
    assert found.overall.won == sum(f.won for f in found.by_variant.values())
    bests = [f.best_ms for f in found.by_variant.values() if f.best_ms is not None]
    assert found.overall.best_ms == min(bests, default=None)


@examples(40)
@given(st.lists(plays), st.randoms())
def test_the_order_of_plays_does_not_matter(played: list[VerifiedPlay], random: object) -> None:
    shuffled = list(played)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert statistics(shuffled, TODAY).overall == statistics(played, TODAY).overall


DAY = timedelta(days=1)

# Days of three months, around a new year.
START, DAYS = date(2025, 12, 24), 42
near = st.integers(0, DAYS).map(lambda n: START + n * DAY)


def run(start: date, pattern: str) -> set[date]:
    """Return the days won: ``#`` in ``pattern``, one character per day from ``start``."""
    return {start + n * DAY for n, mark in enumerate(pattern) if mark == "#"}


def is_stretch(first: date, last: date, won: set[date]) -> bool:
    missed = Counter(d.isocalendar()[:2] for n in range((last - first).days + 1) if (d := first + n * DAY) not in won)
    return all(count <= 1 for count in missed.values())


def by_definition(won: set[date], today: date) -> Streaks:
    won = {d for d in won if d <= today}
    if not won:
        return Streaks()
    end = today if today in won else today - DAY
    days = [min(won) + n * DAY for n in range((end - min(won)).days + 1)]
    lengths = {
        last: max(
            (sum(first <= d <= last for d in won) for first in days if first <= last and is_stretch(first, last, won)),
            default=0,
        )
        for last in days
    }
    return Streaks(current=lengths.get(end, 0), longest=max(lengths.values(), default=0))


@examples(40)
@given(won=st.sets(near, max_size=DAYS), today=near)
def test_streaks_are_the_longest_runs(won: set[date], today: date) -> None:
    assert streaks(won, today) == by_definition(won, today)


@examples(40)
@given(missed=st.sets(near, max_size=8), today=near)
def test_streaks_of_a_regular_player(missed: set[date], today: date) -> None:
    won = {START + n * DAY for n in range(DAYS + 1)} - missed
    assert streaks(won, today) == by_definition(won, today)


@pytest.mark.parametrize(
    ("start", "pattern", "expected"),
    [
        (TODAY, "", (0, 0)),
        (date(2026, 3, 7), "###", (3, 3)),  # today is not missed until it is over
        (date(2026, 3, 5), "##.###", (5, 5)),  # a forgiven day does not count
        (date(2026, 3, 2), "##.##.###", (5, 5)),  # a second miss ends the streak before the first
        (date(2026, 3, 2), "####..###", (3, 4)),  # two misses in a row break the streak
        (date(2026, 2, 27), "##..########", (10, 10)),  # misses in two weeks are both forgiven
        (date(2026, 3, 1), "########", (8, 8)),  # yesterday is forgiven,
        (date(2026, 3, 1), "######", (0, 6)),  # but not the whole weekend before
        (TODAY + DAY, "#", (0, 0)),  # a future day does not count
    ],
)
def test_one_missed_day_a_week_is_forgiven(start: date, pattern: str, expected: tuple[int, int]) -> None:
    assert streaks(run(start, pattern), TODAY) == Streaks(*expected)


LAST = factories.DAY


def wins(who: Any, back: range | list[int], state: str = "verified") -> None:
    days = [LAST - timedelta(days=n) for n in back]
    attempts = {deal.day: deal for deal in Deal.objects.filter(day__in=days)}
    for day in days:
        deal = attempts.get(day) or make_deal("stonewall", day, seed=secrets.token_bytes(32))
        result = factories.listed(deal, BoardScore(52, 1_000, 50), who=who)
        Attempt.objects.filter(pk=result.attempt_id).update(end="won", started_at=deal.opens_at, state=state)


@pytest.mark.parametrize(
    ("back", "at_most"),
    [([], 1), ([0, 1, 2], 1), ([1, 2, 5, 6], 1), (list(range(62)), 2), (list(range(70)), 2), ([0, *range(61, 66)], 1)],
)
def test_it_equals_the_streak_over_all_days(back: list[int], at_most: int) -> None:
    who = make_account()
    wins(who, back)
    with CaptureQueriesContext(connection) as queries:
        found = current_streaks(who.pk, LAST)
    assert found.any_game == streaks({day for day, _ in daily_wins(who.pk, date(2000, 1, 1))}, LAST).current
    assert len(queries) <= at_most


def test_only_verified_wins_count() -> None:
    who = make_account()
    wins(who, [0])
    wins(who, [1], "rejected")
    assert current_streaks(who.pk, LAST).any_game == 1


def test_todays_game_has_a_streak_of_its_own() -> None:
    who = make_account()
    wins(who, range(5))  # in a month whose weekdays alternate between Labyrinth and Stonewall
    stonewall_days = [day for day in (LAST - timedelta(days=n) for n in range(5)) if todays_game(day) == "stonewall"]
    found = current_streaks(who.pk, LAST)
    assert found.any_game == 5
    assert found.todays_game == streaks(stonewall_days, LAST).current != 5
