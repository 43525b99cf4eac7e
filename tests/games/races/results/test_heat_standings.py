"""Standings of heats, and a player's races."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.races.models import Entrant
from games.races.results import heat_standings
from tests.games.races.finished_races import heat, race_of
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db
SUNDAY = date(2026, 11, 22)


@pytest.fixture
def ada() -> User:
    return factory.player()  # type: ignore[no-any-return]


@pytest.fixture
def bob() -> User:
    return factory.player()  # type: ignore[no-any-return]


def shown(period: heat_standings.Period, day: date = SUNDAY, **asked: int) -> list[tuple[int, int, int, int, int]]:
    return [
        (one.place, one.player_id, one.points, one.heats, one.wins)
        for one in heat_standings.standing(period, day, **asked)
    ]


def test_points_of_a_day_are_summed(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 2, bob: 1})
    heat(SUNDAY, 11, {ada: 1, bob: 5})
    heat(SUNDAY - timedelta(days=1), 19, {ada: 16})
    heat(SUNDAY + timedelta(days=1), 3, {ada: 16})
    assert shown("day") == [(1, bob.pk, 6, 2, 1), (2, ada.pk, 3, 2, 1)]


def test_weeks_are_iso_weeks(ada: User) -> None:
    for day in (date(2026, 11, 15), date(2026, 11, 16), SUNDAY, date(2026, 11, 23)):
        heat(day, 11, {ada: 3})
    assert shown("week") == shown("week", date(2026, 11, 18)) == [(1, ada.pk, 6, 2, 2)]
    assert shown("week", date(2026, 11, 23)) == [(1, ada.pk, 3, 1, 1)]
    assert heat_standings.span("week", SUNDAY) == (date(2026, 11, 16), date(2026, 11, 23))


def test_equal_points_share_a_place_across_divisions(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 4, factory.player(): 1})
    heat(SUNDAY, 3, {bob: 4}, division=2)
    assert [place for place, *_ in shown("day")] == [1, 1, 3]
    assert [place for place, *_ in shown("day", limit=1, after=2)] == [3]


def test_only_players_with_a_page_are_listed(ada: User, bob: User) -> None:
    """Even if they hide their presence."""
    User.objects.filter(pk=ada.pk).update(preferences={"hide_presence": True})
    banned = factory.player(banned_at=timezone.now())
    heat(SUNDAY, 3, {create_guest(): 9, banned: 8, bob: 7, ada: 1})
    User.objects.filter(pk=bob.pk).update(deleted_at=timezone.now())
    assert shown("day") == [(1, ada.pk, 1, 1, 0)]
    assert heat_standings.standing_of(bob.pk, "day", SUNDAY) is None
    (entry,) = heat_standings.standing("day", SUNDAY)
    assert (entry.name, entry.page) == (ada.display_name, ada.public_id)


def test_only_finished_heats_count(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 4}, state="void")
    other = race_of(datetime(2026, 11, 22, 12, tzinfo=UTC))
    Entrant.objects.create(race=other, player=bob, joined_at=other.opened_at, points=4, state="won", place=1)
    assert shown("day") == []


def test_own_standing_equals_the_listed_one(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 4, bob: 6, factory.player(): 6})
    for entry in heat_standings.standing("day", SUNDAY):
        assert heat_standings.standing_of(entry.player_id, "day", SUNDAY) == entry
    assert heat_standings.standing_of(factory.player().pk, "day", SUNDAY) is None


def test_a_decision_updates_the_standing(ada: User, bob: User) -> None:
    heat(SUNDAY, 3, {ada: 4, bob: 6})
    Entrant.objects.filter(player=bob).update(points=0)
    assert [key for _, key, *_ in shown("day")] == [ada.pk, bob.pk]


@pytest.mark.parametrize("day", [date.min, date.max, date(1999, 12, 31)])
def test_days_without_races_are_refused(day: date) -> None:
    for period in ("day", "week"):
        with pytest.raises(ValueError, match="no races"):
            heat_standings.standing(period, day)


def test_a_history_lists_finished_races_latest_first(ada: User, bob: User) -> None:
    races = [heat(SUNDAY, hour, {ada: 1, bob: 1}) for hour in (3, 11, 19)]
    heat(SUNDAY + timedelta(days=1), 3, {ada: 1}, state="void")
    found = heat_standings.history(ada.pk, limit=2)
    assert [one.race_id for one in found] == [races[2].pk, races[1].pk]
    assert [one.race_id for one in heat_standings.history(ada.pk, before=found[-1].pk)] == [races[0].pk]
