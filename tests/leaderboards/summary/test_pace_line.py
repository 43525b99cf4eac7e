"""The leader's pace on an open deal, which reveals only cards up over time."""

from __future__ import annotations

from datetime import timedelta
from itertools import accumulate, pairwise
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from games.models import Deal
from games.rules import Record, replay
from leaderboards.summary import pace_line
from leaderboards.verdicts.settlement import settle
from tests import factories
from tests.factories import make_account, make_deal, won_records

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = min(won_records("stonewall"), key=lambda record: len(record.tokens))


def paced(gap_ms: int) -> Record:
    """Return a won game with this average of milliseconds per move, at uneven intervals."""
    gaps = [gap_ms * (50 + (n * 37) % 101) // 100 for n in range(len(RECORD.tokens))]
    clock = list(accumulate(gaps))
    return factories.record_of(todays(), RECORD.tokens, clock, end="won")


def todays() -> Deal:
    deal = Deal.objects.filter(seed=RECORD.seed).first()
    return deal or make_deal("stonewall", day=timezone.now().date(), seed=RECORD.seed)


def led(gap_ms: int, **player: Any) -> Any:
    record, who = paced(gap_ms), make_account(**player)
    attempt = factories.finished(
        todays(), who, record=record, tokens=record.tokens, started_at=timezone.now() - timedelta(hours=1)
    )
    settle(attempt.pk)
    attempt.refresh_from_db()
    assert attempt.state == "verified", attempt.reasons
    return who


def address() -> str:
    deal = todays()
    return f"/boards/{deal.day}/{deal.variant}/pace.json"


@pytest.mark.parametrize("gap_ms", [90, 700, 2_300])
def test_a_line_rises_in_whole_seconds(gap_ms: int) -> None:
    record = paced(gap_ms)
    points = pace_line.points_of(record)
    assert all(ms % 1000 == 0 for ms, _ in points)
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(points))
    assert points[-1][1] == replay(record).goal
    assert 0 <= points[-1][0] - record.clock[-1] < 1000


def test_the_answer_has_only_the_leaders_name_and_line(client: Client) -> None:
    assert client.get(address()).json() == {"name": "", "points": []}
    cache.clear()
    leader = led(1_400)
    answer = client.get(address())
    found = answer.json()
    assert set(found) == {"name", "points"}
    assert found["name"] == leader.display_name
    assert all(len(point) == 2 and all(type(figure) is int for figure in point) for point in found["points"])
    text = answer.content.decode()
    assert bytes(todays().seed).hex() not in text
    assert not [token for token in RECORD.tokens if f'"{token}"' in text]


def test_all_visitors_share_one_reading(
    client: Client, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace_line.pace_lines, "fresh", 60.0)
    led(1_400)
    where = address()
    client.get(where)
    with django_assert_max_num_queries(1):  # the deal
        client.get(where)


def test_a_coming_deal_has_none(client: Client) -> None:
    deal = make_deal("stonewall", day=timezone.now().date() + timedelta(days=1))
    assert client.get(f"/boards/{deal.day}/{deal.variant}/pace.json").status_code == 404
    assert client.get("/boards/2020-01-01/plot/pace.json").status_code == 404
