"""Podium and hall of fame of the races of the day, and their page."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.bans import ban_player, lift_ban
from accounts.models import User
from accounts.sign_in.guests import create_guest
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


def podium() -> tuple[list[str], int]:
    finishers, removed = race_of_the_day.last_podium(NOON)
    return [str(finisher) for finisher in finishers], removed


def winners() -> list[str]:
    return [str(finisher) for finisher in race_of_the_day.winners(NOON)]


def fame() -> list[tuple[str, int]]:
    return [(name, wins) for name, _page, wins in race_of_the_day.most_wins(DAY - timedelta(days=7), NOON)]


def test_a_podium_has_the_best_of_all_divisions(players: list[User]) -> None:
    ada, brook, cleo, dara = players
    raced(DAY, 7, [ada, brook])
    raced(DAY, 7, [cleo, dara], division=2)
    assert podium() == (["Ada", "Brook", "Cleo"], 0)
    assert winners() == ["Ada", "Cleo"], "each division has a winner"


def test_a_removed_racer_leaves_no_gap(players: list[User]) -> None:
    ada, brook, *_rest = players
    guest = create_guest()
    race = raced(DAY, 7, [guest, *players])
    Entrant.objects.filter(race=race, player=guest).update(as_guest=True)
    everyone = (["Ada", "Brook", "Cleo"], 0), ["Ada"], [("Ada", 1)]
    assert (podium(), winners(), fame()) == everyone
    ban_player(ada)
    first = heat_standings.standing("day", DAY)[0]
    assert (podium(), winners(), fame()) == ((["Brook", "Cleo", "Dara"], 1), ["Brook"], [("Brook", 1)])
    assert (first.name, first.place, first.wins) == ("Brook", 1, 1)
    guest.delete()
    brook.delete()
    assert (podium(), winners()) == ((["Cleo", "Dara"], 2), ["Cleo"])
    lift_ban(ada)
    assert (podium(), winners(), fame()) == ((["Ada", "Cleo", "Dara"], 1), ["Ada"], [("Ada", 1)])


def test_a_lifted_ban_brings_everything_back(players: list[User]) -> None:
    ada, brook, cleo, dara = players
    raced(DAY - timedelta(days=2), 19, [ada, brook, cleo])
    raced(DAY - timedelta(days=1), 7, [dara, ada, brook])
    raced(DAY, 7, players)

    def tables() -> list[Any]:
        return [podium(), winners(), fame(), *(heat_standings.standing(period, DAY) for period in ("day", "week"))]

    before = tables()
    ban_player(ada)
    assert tables()[:3] == [
        (["Brook", "Cleo", "Dara"], 1), ["Brook", "Dara", "Brook"], [("Brook", 2), ("Dara", 1)]
    ]  # fmt: skip
    day, week = tables()[3:]
    assert [(row.place, row.name) for row in day] == [(1, "Brook"), (2, "Cleo"), (3, "Dara")]
    assert [(row.place, row.name) for row in week] == [(1, "Brook"), (2, "Dara"), (3, "Cleo")]
    lift_ban(ada)
    assert tables() == before


def test_a_win_is_a_first_place_alone_or_shared(players: list[User]) -> None:
    """The game itself need not be won. A disqualified racer never wins the race."""
    ada, brook, cleo, _dara = players
    race = raced(DAY, 7, [ada, brook, cleo])
    Entrant.objects.filter(race=race).update(place=1, state="retired")
    Entrant.objects.filter(race=race, player=cleo).update(state="disqualified")
    assert sorted(fame()) == [("Ada", 1), ("Brook", 1)]
    week = heat_standings.standing("week", DAY)
    assert {row.name: row.wins for row in week} == {"Ada": 1, "Brook": 1, "Cleo": 0}


def test_other_heats_do_not_count(players: list[User]) -> None:
    raced(DAY, 11, players)
    raced(DAY - timedelta(days=1), 19, players[1:])
    assert (podium(), winners()) == ((["Brook", "Cleo", "Dara"], 0), ["Brook"])
    assert race_of_the_day.most_wins(DAY - timedelta(days=7), NOON) == [("Brook", players[1].public_id, 1)]
    first, last = heat_standings.span("week", DAY)
    week = heat_standings.standing("week", DAY, starts=heats.races_of_the_day(first, last))
    assert [(row.name, row.points) for row in week] == [("Brook", 3), ("Cleo", 2), ("Dara", 1)]


def test_the_hall_of_fame_counts_races_won(players: list[User]) -> None:
    ada, brook, cleo, dara = players
    raced(DAY, 7, [ada, brook])
    raced(DAY, 7, [cleo, dara], division=2)
    raced(DAY - timedelta(days=1), 7, [ada, dara])
    raced(DAY - timedelta(days=1), 19, [dara, ada])
    assert fame() == [("Ada", 2), ("Cleo", 1), ("Dara", 1)]


def test_the_page_shows_podium_and_fame(client: Client, players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOON)
    raced(DAY, 7, players)
    page: Any = client.get(reverse("games:race_of_the_day"))
    text = page.content.decode()
    assert [str(finisher) for finisher in page.context["podium"]] == ["Ada", "Brook", "Cleo"]
    assert ("Hall of fame" in text, "player was removed" in text) == (True, False)
    ban_player(players[0])
    assert "One player was removed." in client.get(reverse("games:race_of_the_day")).content.decode()
    assert page.context["next"]["starts_at"] == NOON.replace(hour=19)
    assert not page.context["next"]["is_open"]
    monkeypatch.setattr(timezone, "now", lambda: NOON.replace(hour=18, minute=50))
    assert reverse("games:race_heat") in client.get(reverse("games:race_of_the_day")).content.decode()


def test_home_counts_down_to_it(client: Client) -> None:
    text = client.get("/").content.decode()
    assert "Race of the day: " in text
    assert f'data-countdown="{race_of_the_day.next_race(timezone.now())["starts_at"].isoformat()}"' in text


def test_home_shows_the_open_doors_of_every_heat(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    join = f'<a class="button gold" href="{reverse("games:race_heat")}">'
    for minutes, shown, is_open in (
        (-11, "Race of the day: ", False), (-10, "Heat: ", True), (-1, "Heat: ", True), (0, "Race of the day: ", False)
    ):  # fmt: skip
        now = NOON.replace(hour=11) + timedelta(minutes=minutes)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        text = client.get("/").content.decode()
        assert (shown in text, join in text) == (True, is_open), minutes
    assert not race_of_the_day.next_race(NOON.replace(hour=10, minute=55))["is_open"], "its own page stays"


def test_a_calendar_reminds_when_the_doors_open(client: Client) -> None:
    answer = client.get(reverse("games:race_of_the_day_calendar"))
    assert answer["Content-Type"].startswith("text/calendar")
    lines = answer.content.decode().splitlines()
    assert {"RRULE:FREQ=DAILY", "TRIGGER:-PT10M", "DTSTART:20261126T190000Z"} <= set(lines)
