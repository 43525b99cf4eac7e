"""Podium and hall of fame of the races of the day, and their page."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from games.races import heats
from games.races.models import Entrant, Race
from games.races.results import heat_standings, race_of_the_day
from tests.games.races.finished_races import heat

pytestmark = pytest.mark.django_db

DAY = date(2026, 12, 3)
NOON = datetime(2026, 12, 3, 12, tzinfo=UTC)


@pytest.fixture
def players() -> list[User]:
    return [User.objects.create_user(name) for name in ("Ada", "Brook", "Cleo", "Dara")]


def raced(day: date, hour: int, players: list[User], *, division: int = 1) -> Race:
    """Create a heat in which the players come in this order, each a little slower than the one before."""
    race = heat(day, hour, {player: len(players) - k for k, player in enumerate(players)}, division=division)
    for k, player in enumerate(players):
        figures = {"state": "won", "cards_up": 52, "elapsed_ms": 60_000 + k + division, "tokens": 90, "place": k + 1}
        Entrant.objects.filter(race=race, player=player).update(**figures)
    return race


def test_a_podium_has_the_best_of_all_divisions(players: list[User]) -> None:
    ada, brook, cleo, dara = players
    raced(DAY, 7, [ada, brook])
    raced(DAY, 7, [cleo, dara], division=2)
    (podium,) = race_of_the_day.podiums(NOON)
    assert [str(finisher) for finisher in podium] == ["Ada", "Brook", "Cleo"]


def test_other_heats_do_not_count(players: list[User]) -> None:
    raced(DAY, 11, players)
    raced(DAY - timedelta(days=1), 19, players[1:])
    podiums = race_of_the_day.podiums(NOON)
    assert [[str(finisher) for finisher in podium] for podium in podiums] == [["Brook", "Cleo", "Dara"]]
    assert race_of_the_day.most_wins(DAY - timedelta(days=7), NOON) == [("Brook", players[1].public_id, 1)]
    first, last = heat_standings.span("week", DAY)
    week = heat_standings.standing("week", DAY, starts=heats.races_of_the_day(first, last))
    assert [(row.name, row.points) for row in week] == [("Brook", 3), ("Cleo", 2), ("Dara", 1)]


def test_the_hall_of_fame_counts_one_winner_a_race(players: list[User]) -> None:
    ada, brook, cleo, dara = players
    raced(DAY, 7, [ada, brook])
    raced(DAY, 7, [cleo, dara], division=2)
    raced(DAY - timedelta(days=1), 7, [ada, dara])
    raced(DAY - timedelta(days=1), 19, [dara, ada])
    found = race_of_the_day.most_wins(DAY - timedelta(days=7), NOON)
    assert [(name, wins) for name, _page, wins in found] == [("Ada", 2), ("Dara", 1)]


def test_the_page_shows_podium_and_fame(client: Client, players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOON)
    raced(DAY, 7, players)
    page: Any = client.get(reverse("games:race_of_the_day"))
    text = page.content.decode()
    assert [str(finisher) for finisher in page.context["podium"]] == ["Ada", "Brook", "Cleo"]
    assert "Hall of fame" in text
    assert page.context["next"]["starts_at"] == NOON.replace(hour=19)
    assert not page.context["next"]["is_open"]
    monkeypatch.setattr(timezone, "now", lambda: NOON.replace(hour=18, minute=50))
    assert reverse("games:race_heat") in client.get(reverse("games:race_of_the_day")).content.decode()


def test_home_counts_down_to_it(client: Client) -> None:
    text = client.get("/").content.decode()
    assert "Race of the day: " in text
    assert f'data-countdown="{race_of_the_day.next_race(timezone.now())["starts_at"].isoformat()}"' in text


def test_a_calendar_reminds_when_the_doors_open(client: Client) -> None:
    answer = client.get(reverse("games:race_of_the_day_calendar"))
    assert answer["Content-Type"].startswith("text/calendar")
    lines = answer.content.decode().splitlines()
    assert {"RRULE:FREQ=DAILY", "TRIGGER:-PT10M", "DTSTART:20261126T190000Z"} <= set(lines)
