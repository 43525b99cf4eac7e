"""Display of ratings: uncertainty mark, explanation, board, profiles and API."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games.races.results.ratings_registry import ShownRating
from games.races.results.ratings_registry import ratings as asked_by_races
from leaderboards.models import Rating, RatingChange
from leaderboards.ratings import display, rating_board, rating_reconciler
from tests.leaderboards import raced
from tests.leaderboards.factory import NOON, player

pytestmark = pytest.mark.django_db


def rated(mu: float = 1600, *, sigma: float = 120, races: int = 20, at: datetime = NOON, **fields: Any) -> Any:
    who = player(**fields)
    Rating.objects.create(player=who, mu=mu, sigma=sigma, races=races, last_raced_at=at)
    return who


def names(lines: list[rating_board.Rated]) -> list[str]:
    return [line.name for line in lines]


def test_a_rating_is_uncertain_until_ten_races_and_a_sigma_of_250() -> None:
    assert display.shown(1512.5, 250, 10) == ShownRating(1512, provisional=False)
    assert display.shown(1512.51, 250.1, 10) == ShownRating(1513, provisional=True)
    assert display.shown(1500, 60, 9).provisional


def test_races_show_ratings_and_the_change_per_rival() -> None:
    who = [player() for _ in range(4)]
    for n in range(3):
        raced.race(who, at=NOON + n * raced.MINUTE)
    last = raced.race([*reversed(who), player(is_guest=True)], [1, 2, 2, "disqualified", 5], at=NOON + 5 * raced.MINUTE)
    assert asked_by_races().changes(last.pk) == {}
    rating_reconciler.rate_finished()
    ratings = asked_by_races().shown([one.pk for one in who])
    changes = asked_by_races().changes(last.pk)
    by_entrant = dict(last.entrants.values_list("pk", "player_id"))
    assert {by_entrant[entrant] for entrant in changes} == {one.pk for one in who}
    for entrant, change in changes.items():
        assert change.after == ratings[by_entrant[entrant]]
        assert change.before.provisional
        assert {duel.rival for duel in change.duels} == changes.keys() - {entrant}
        assert sum(duel.points for duel in change.duels) == change.after.value - change.before.value
    best = changes[last.entrants.get(player=who[3]).pk]
    assert all(duel.points > 0 for duel in best.duels)


def test_the_board_lists_certain_active_named_players() -> None:
    best, second = rated(1900), rated(1700, at=NOON - timedelta(days=29))
    rated(2000, races=9)
    rated(2000, sigma=251)
    rated(2000, at=NOON - timedelta(days=31))
    rated(2000, banned_at=NOON)
    rated(2000, deleted_at=NOON)
    rated(2000, is_guest=True)
    assert names(rating_board.top(now=NOON)) == [str(best), str(second)]
    assert [line.rank for line in rating_board.top(now=NOON)] == [1, 2]
    assert rating_board.total(NOON) == 2
    assert names(rating_board.top(1, NOON)) == [str(best)]


def test_own_place_is_shown_with_its_neighbours() -> None:
    everybody = [rated(2000 - 10 * n) for n in range(15)]
    around = rating_board.around(everybody[7], 2, NOON)
    assert [(line.rank, line.name) for line in around] == [(n + 1, str(everybody[n])) for n in range(5, 10)]
    assert [line.rank for line in rating_board.around(everybody[0], 2, NOON)] == [1, 2, 3]
    away = rated(3000, at=NOON - timedelta(days=40))
    assert rating_board.around(away, 2, NOON) == []
    own = rating_board.own(everybody[7], NOON)
    assert own is not None
    assert own.rank == 8
    gone = rating_board.own(away, NOON)
    assert gone is not None
    assert gone.is_inactive
    assert rating_board.own(player(), NOON) is None


def test_the_page_of_the_board(client: Client) -> None:
    now = timezone.now()
    best = rated(1901.4, at=now)
    page = client.get("/boards/rating/").content.decode()
    assert str(best) in page
    assert "1901" in page
    assert "/boards/rating/" in client.get("/boards/").content.decode()
    newcomer = rated(1600, races=7, sigma=200, at=now)
    client.force_login(newcomer)
    page = client.get("/boards/rating/").content.decode()
    assert "3 more rated races" in page
    assert ">?</abbr>" in page
    client.force_login(rated(1600, at=now - timedelta(days=90)))
    assert "Your last rated race was a while ago" in client.get("/boards/rating/").content.decode()
    client.force_login(best)
    assert "your rank: 1" in client.get("/boards/rating/").content.decode()


def test_a_profile_shows_rating_races_and_chart(client: Client) -> None:
    one, two = player(), player()
    now = timezone.now()
    first = raced.race([one, two], at=now - timedelta(days=2))
    raced.race([one, two], ["disqualified", 1], at=now - timedelta(days=1))
    rating_reconciler.rate_finished()
    page = client.get(one.get_absolute_url()).content.decode()
    value = round(Rating.objects.get(player=one).mu)
    assert f"{value}<abbr" in page
    assert f'href="/races/{first.room.code}/1/"' in page
    assert "disqualified" in page
    change = RatingChange.objects.get(player=one, race=first)
    assert f"+{round(change.mu_after) - 1500}" in page
    points = client.get(reverse("players:ratings", args=[one.public_id])).json()["points"]
    assert [point["value"] for point in points] == [round(change.mu_after), value]
    assert "data-ratings" not in client.get(player().get_absolute_url()).content.decode()


def test_the_api_returns_board_and_history(client: Client) -> None:
    now = timezone.now()
    best = rated(1850, at=now)
    board_now = client.get("/api/v1/ratings").json()
    assert (board_now["total"], board_now["entries"][0]["value"]) == (1, 1850)
    one, two = player(), player()
    race = raced.race([one, two], at=now - timedelta(days=1))
    raced.race([two, one], at=now)
    rating_reconciler.rate_finished()
    found = client.get(f"/api/v1/ratings/{one.public_id}").json()
    assert (found["provisional"], found["races"], found["rank"]) == (True, 2, None)
    assert [(run["room"] == race.room.code, run["place"]) for run in found["changes"]] == [(False, 2), (True, 1)]
    assert found["changes"][1]["before"] == 1500
    assert found["changes"][0]["after"] == found["value"]
    earlier = client.get(f"/api/v1/ratings/{one.public_id}", {"before": found["changes"][0]["finished_at"]}).json()
    assert len(earlier["changes"]) == 1
    assert client.get(f"/api/v1/ratings/{player().public_id}").status_code == 404
    get_user_model().objects.filter(pk=best.pk).update(banned_at=now)
    assert client.get(f"/api/v1/ratings/{best.public_id}").status_code == 404
    assert "limit" in json.dumps(client.get("/api/v1/ratings?limit=101").json())
