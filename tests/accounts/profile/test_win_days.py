"""The streak as computed for pages: reads no further back than needed, with the same result."""

from __future__ import annotations

import secrets
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.profile.streaks import streaks
from accounts.profile.win_days import current_streak, days_won
from games.models import Attempt, Deal
from leaderboards.boards.rank_keys import BoardScore
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db
TODAY = factory.DAY


def wins(who: Any, back: range | list[int], state: str = "verified") -> None:
    days = [TODAY - timedelta(days=n) for n in back]
    made = {deal.day: deal for deal in Deal.objects.filter(day__in=days)}
    for day in days:
        deal = made.get(day) or factory.deal("stonewall", day, seed=secrets.token_bytes(32))
        result = factory.listed(deal, BoardScore(52, 1_000, 50), who=who)
        Attempt.objects.filter(pk=result.attempt_id).update(end="won", started_at=deal.opens_at, state=state)


@pytest.mark.parametrize(
    ("back", "most"),
    [([], 1), ([0, 1, 2], 1), ([1, 2, 5, 6], 1), (list(range(62)), 2), (list(range(70)), 2), ([0, *range(61, 66)], 1)],
)
def test_it_equals_the_streak_over_all_days(back: list[int], most: int) -> None:
    who = factory.player()
    wins(who, back)
    with CaptureQueriesContext(connection) as asked:
        found = current_streak(who.pk, TODAY)
    assert found == streaks(days_won(who.pk, date(2000, 1, 1)), TODAY).current
    assert len(asked) <= most


def test_only_verified_wins_count() -> None:
    who = factory.player()
    wins(who, [0])
    wins(who, [1], "rejected")
    assert current_streak(who.pk, TODAY) == 1
