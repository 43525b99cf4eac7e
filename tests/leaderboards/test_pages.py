"""Pages of boards and ratings."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from games.races.results.ratings_registry import EntrantRatingChange, Limit, ShownRating
from games.races.results.ratings_registry import ratings as asked_by_races
from games.rules import CATALOGUE
from leaderboards.boards import seasons
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import ProvisionalChange, ProvisionalRating, Rating, RatingChange
from leaderboards.ratings import folding, rated_players
from leaderboards.ratings.shown_points import shown_ratings
from tests import factories
from tests.factories import NOON, make_account, make_deal, signed_in
from tests.leaderboards import raced

pytestmark = pytest.mark.django_db


@pytest.fixture
def deal() -> Any:
    return make_deal("stonewall", day=timezone.now().date())


def url(deal: Any, query: str = "") -> str:
    return f"/boards/{deal.day}/{deal.variant}/{query}"


def test_the_index_shows_todays_deals_and_the_periods(client: Client) -> None:
    for variant in CATALOGUE:
        make_deal(variant, day=timezone.now().date())
    response = client.get("/boards/")
    assert response.status_code == 200
    assert [item["deal"].variant for item in response.context["deals"]] == list(CATALOGUE)
    assert "/boards/week/" in response.content.decode()


def test_a_day_without_results_invites_once(client: Client, deal: Any) -> None:
    empty = client.get("/boards/").content.decode()
    assert (empty.count("No results yet"), empty.count("No results yet today.")) == (1, 1)
    factories.listed(deal, BoardScore(20, 300, 40))
    begun = client.get("/boards/").content.decode()
    shown, folded = begun.split("No results yet:")
    assert (shown.count('<li class="panel">'), shown.count(f'/{deal.variant}/"')) == (1, 1)
    assert all(f'/{variant}/"' in folded for variant in CATALOGUE if variant != deal.variant)


def test_a_deals_board_shows_ranks_and_pending_players(client: Client, deal: Any) -> None:
    for ms in (300, 100, 200):
        factories.listed(deal, BoardScore(20, ms, 40))
    factories.finished(deal)
    response = client.get(url(deal))
    assert [(e.rank, e.elapsed_ms) for e in response.context["page"].entries] == [(1, 100), (2, 200), (3, 300)]
    assert [e.status for e in response.context["waiting"]] == ["pending"]
    assert response.context["after_url"] is None
    assert client.get(url(deal, "?board=fewest")).context["board"] == "fewest"


def test_only_the_player_is_told_of_a_review(client: Client, deal: Any) -> None:
    doubted = factories.finished(deal, state="review").player
    pages = [visitor.get(url(deal)).content.decode() for visitor in (signed_in(doubted), client)]
    marks = [re.findall(r'class="mark pending">(.+?)<', page) for page in pages]
    assert marks == [["under review"], ["being verified"]]


def test_pages_of_a_board_are_linked(client: Client, deal: Any) -> None:
    for ms in range(60):
        factories.listed(deal, BoardScore(20, ms, 40))
    first = client.get(url(deal))
    assert 'data-label="Time">0:00.007</td>' in first.content.decode()  # neighbours that would look equal
    second = client.get(url(deal, first.context["after_url"]))
    assert [e.rank for e in second.context["page"].entries] == list(range(51, 61))
    assert second.context["waiting"] == []
    assert client.get(url(deal, second.context["before_url"])).context["page"].entries == first.context["page"].entries


def test_a_player_on_another_page_sees_the_neighbours(deal: Any) -> None:
    results = [factories.listed(deal, BoardScore(20, ms, 40)) for ms in range(60)]
    far, near = signed_in(results[-1].player), signed_in(results[0].player)
    assert [e.rank for e in far.get(url(deal)).context["around"]] == list(range(55, 61))
    assert far.get(url(deal)).context["own"].rank == 60
    assert near.get(url(deal)).context["around"] == []


def test_a_deleted_accounts_result_is_labelled_former_player(client: Client, deal: Any) -> None:
    gone = factories.listed(deal, BoardScore(20, 1, 40)).player
    waits = factories.finished(deal).player
    stays = factories.listed(
        deal, BoardScore(20, 2, 40), who=make_account(display_name="Former players' friend")
    ).player
    for one in (gone, waits):
        erase_player(one)
    found = client.get(f"/api/v1/boards/{deal.pk}").json()
    assert [(e["name"], e["is_former"]) for e in found["entries"]] == [
        ("Former player", True),
        (stays.display_name, False),
    ]
    assert [e["is_former"] for e in found["waiting"]] == [True]
    page = client.get(url(deal), headers={"accept-language": "de"}).content.decode()
    assert page.count("Ehemaliges Mitglied") == 2
    assert "Former player<" not in page


@pytest.mark.parametrize(("day", "status"), [("8999-12-31", 200), ("9000-01-01", 404), ("1970-01-01", 404)])
def test_a_season_beyond_all_time_is_not_found(client: Client, day: str, status: int) -> None:
    assert client.get(f"/boards/week/?day={day}").status_code == status


def test_friends_are_ranked_among_themselves(client: Client, deal: Any) -> None:
    me, friend = make_account(), make_account()
    me.following.create(followed=friend)
    for ms, who in ((1, None), (2, friend), (3, me)):
        factories.listed(deal, BoardScore(20, ms, 40), who=who)
    found = signed_in(me).get(url(deal, "?who=friends")).context["page"].entries
    assert [(e.rank, e.player) for e in found] == [(1, friend.public_id), (2, me.public_id)]
    assert client.get(url(deal, "?who=friends")).context["page"].entries == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("?cursor=x", 400),
        ("?board=best", 404),
        ("?who=nobody", 404),
    ],
)
def test_invalid_board_parameters(deal: Any, path: str, status: int) -> None:
    assert Client().get(url(deal, path)).status_code == status


@pytest.mark.parametrize(
    "path",
    [
        "/boards/2026-02-30/braid/",
        "/boards/2020-01-01/braid/",
        "/boards/year/",
        "/boards/week/?variant=x",
        "/boards/week/?day=x",
    ],
)
def test_unknown_boards(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("period", ["week", "month", "all"])
def test_a_seasons_board(client: Client, deal: Any, period: str) -> None:
    result = factories.listed(deal, BoardScore(20, 100, 40))
    seasons.recount_marked()
    response = client.get(f"/boards/{period}/?variant=stonewall")
    assert [(e.rank, e.player, e.deals) for e in response.context["page"].entries] == [(1, result.player.public_id, 1)]
    assert client.get(f"/boards/{period}/?variant=braid").context["page"].entries == []
    past = timezone.now().date() - timedelta(days=62)
    expected = 1 if period == "all" else 0
    assert len(client.get(f"/boards/{period}/?day={past}").context["page"].entries) == expected


@pytest.mark.parametrize(
    "path", ["/boards/", "/boards/nine/", "/boards/week/", "/boards/all/", "/boards/rating/", "/boards/records/"]
)
def test_every_board_links_to_all_others(client: Client, path: str) -> None:
    text = client.get(path).content.decode()
    tabs = text[text.index('aria-label="Period"') :].partition("</nav>")[0]
    assert re.findall('href="([^"]+)"', tabs) == [
        "/boards/", "/boards/nine/", "/boards/week/", "/boards/month/", "/boards/all/", "/boards/rating/",
        "/boards/records/",
    ]  # fmt: skip
    assert re.findall(r'href="([^"]+)"\s+aria-current="page"', tabs) == [path]


def test_a_live_board_shows_par_once_revealed(client: Client) -> None:
    deal = make_deal("labyrinth", day=timezone.now().date() - timedelta(days=3))
    type(deal).objects.filter(pk=deal.pk).update(proven=True, grade=2, par=50)
    assert re.search(r'\sdata-revealed\s+data-par="50"\s+data-goal="52"', client.get(url(deal)).content.decode())
    open_deal = make_deal("labyrinth", day=timezone.now().date())
    type(deal).objects.filter(pk=open_deal.pk).update(proven=True, grade=2, par=50)
    assert "data-par" not in client.get(url(open_deal)).content.decode()


def rated(mu: float = 1600, *, sigma: float = 120, races: int = 20, at: datetime = NOON, **fields: Any) -> Any:
    """Create a player with a rating, and a lower provisional one from five more races."""
    who = make_account(**fields)
    Rating.objects.create(player=who, mu=mu, sigma=sigma, races=races, last_raced_at=at)
    ProvisionalRating.objects.create(player=who, mu=mu - 50, sigma=sigma, races=races + 5, last_raced_at=at)
    return who


def names(lines: list[rated_players.Rated]) -> list[str]:
    return [line.name for line in lines]


def test_a_rating_is_provisional_until_ten_races_against_regulars_and_a_sigma_of_250() -> None:
    settled, uncertain, few = rated(1512.5, sigma=250, races=10), rated(sigma=250.1), rated(races=9)
    new = make_account()
    ProvisionalRating.objects.create(player=new, mu=1400.51, sigma=60, races=90, last_raced_at=NOON)
    shown = {
        settled.pk: ShownRating(1512, provisional=False),
        uncertain.pk: ShownRating(1550, provisional=True),
        few.pk: ShownRating(1550, provisional=True),
        new.pk: ShownRating(1401, provisional=True),
    }
    assert shown_ratings() == asked_by_races().shown(list(shown)) == shown
    assert shown_ratings([new.pk]) == {new.pk: shown[new.pk]}
    assert asked_by_races().provisional([settled.pk]) == {settled.pk: 1462.5}


def test_races_show_ratings_and_the_change_per_rival() -> None:
    who = [make_account() for _ in range(4)]
    for n in range(3):
        raced.race(who, at=NOON + n * raced.MINUTE)
    last = raced.race(
        [*reversed(who), make_account(is_guest=True)], [1, 2, 2, "disqualified", 5], at=NOON + 5 * raced.MINUTE
    )
    assert asked_by_races().changes(last.pk) == {}
    folding.rate_finished()
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


def result_of(race: Any, client: Client) -> str:
    page = client.get(reverse("games:race_result", args=[race.room.code, race.number])).content.decode()
    return re.sub(r"\s+", " ", page)


def settled_pair() -> tuple[Any, Any]:
    """Create two regulars who met in fifteen races, of which the first player won ten."""
    one, two = make_account(), make_account()
    for n in range(15):
        at = NOON - timedelta(days=20 - n)
        raced.race([one, two] if n % 3 else [two, one], at=at, regulars=[one, two])
    return one, two


def test_a_result_shows_settled_ratings_and_who_does_not_count(client: Client) -> None:
    (one, two), newcomer = settled_pair(), make_account()
    race = raced.race([newcomer, one, two], regulars=[one, two])
    duel = raced.race([newcomer, one], at=NOON + raced.MINUTE, regulars=[one])
    folding.rate_finished()
    changes: dict[int, EntrantRatingChange] = {}
    for entrant, change in asked_by_races().changes(race.pk).items():
        changes[race.entrants.get(pk=entrant).player_id or 0] = change
        assert sum(duel.points for duel in change.duels) == change.after.value - change.before.value
    assert {player: change.after.provisional for player, change in changes.items()} == {
        one.pk: False, two.pk: False, newcomer.pk: True
    }  # fmt: skip
    assert [duel.limit for duel in changes[one.pk].duels] == [Limit.NOT_REGULAR, None]
    assert changes[one.pk].after.value > changes[one.pk].before.value  # ahead of the other regular
    assert [duel.limit for duel in changes[newcomer.pk].duels] == [None, None]
    shown = shown_ratings([one.pk])[one.pk].value
    page = result_of(duel, client)
    assert f'{shown} → <b>{shown}</b> <span class="change up">±0</span>' in page
    assert page.count("doesn&#x27;t count: not a regular") + page.count("doesn't count: not a regular") == 1


def test_a_race_between_new_players_counts_for_both(client: Client) -> None:
    race = raced.race([make_account(), make_account()])
    folding.rate_finished()
    page = result_of(race, client)
    assert re.search(r"1500 → <b>1611\?</b>", page)
    assert re.search(r"1500 → <b>1389\?</b>", page)
    assert "not a regular" not in page


def test_the_board_lists_certain_active_named_players() -> None:
    best, second = rated(1900), rated(1700, at=NOON - timedelta(days=29))
    rated(2000, races=9)
    rated(2000, sigma=251)
    rated(2000, at=NOON - timedelta(days=31))
    rated(2000, banned_at=NOON)
    rated(2000, deleted_at=NOON)
    rated(2000, is_guest=True)
    assert names(rated_players.top(now=NOON)) == [str(best), str(second)]
    assert [line.rank for line in rated_players.top(now=NOON)] == [1, 2]
    assert rated_players.total(NOON) == 2
    assert names(rated_players.top(1, NOON)) == [str(best)]


def test_own_place_is_shown_with_its_neighbours() -> None:
    everybody = [rated(2000 - 10 * n) for n in range(15)]
    around = rated_players.around(everybody[7], 2, NOON)
    assert [(line.rank, line.name) for line in around] == [(n + 1, str(everybody[n])) for n in range(5, 10)]
    assert [line.rank for line in rated_players.around(everybody[0], 2, NOON)] == [1, 2, 3]
    away = rated(3000, at=NOON - timedelta(days=40))
    assert rated_players.around(away, 2, NOON) == []
    own = rated_players.own(everybody[7], NOON)
    assert own is not None
    assert own.rank == 8
    gone = rated_players.own(away, NOON)
    assert gone is not None
    assert gone.is_inactive
    assert rated_players.own(make_account(), NOON) is None


def test_provisional_players_are_listed_apart_while_fewer_than_ten_others_are(client: Client) -> None:
    now = timezone.now()
    listed = [rated(1900 - n, at=now) for n in range(9)]
    uncertain, away = rated(races=9, at=now), rated(races=9, at=now - timedelta(days=31))
    assert names(rated_players.top_provisional()) == [str(uncertain)]
    page = client.get("/boards/rating/").content.decode()
    board, _, provisional = page.partition("Provisional ratings")
    assert all(str(one) in board and str(one) not in provisional for one in listed)
    assert str(uncertain) in provisional
    assert "<strong>1550?</strong>" in provisional
    assert str(away) not in page
    rated(at=now)
    assert rated_players.top_provisional() == []
    assert "Provisional ratings" not in client.get("/boards/rating/").content.decode()


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
    assert "3 more races against regulars" in page
    assert ">?</abbr>" in page
    client.force_login(rated(1600, at=now - timedelta(days=90)))
    assert "Your last race against regulars was a while ago" in client.get("/boards/rating/").content.decode()
    client.force_login(best)
    assert "you: rank 1" in client.get("/boards/rating/").content.decode()


def test_a_profile_shows_rating_races_and_chart(client: Client) -> None:
    one, two = make_account(), make_account()
    now = timezone.now()
    first = raced.race([one, two], at=now - timedelta(days=2))
    raced.race([one, two], ["disqualified", 1], at=now - timedelta(days=1))
    folding.rate_finished()
    page = client.get(one.get_absolute_url()).content.decode()
    value = round(ProvisionalRating.objects.get(player=one).mu)
    assert f"{value}<abbr" in page
    assert f'href="/races/{first.room.code}/1/"' in page
    assert "disqualified" in page
    change = ProvisionalChange.objects.get(player=one, race=first)
    assert f"+{round(change.mu_after) - 1500}" in page
    chart = client.get(reverse("players:ratings", args=[one.public_id])).json()
    assert chart["start"] == 1500
    assert [point["value"] for point in chart["points"]] == [round(change.mu_after), value]
    assert "data-ratings" not in client.get(make_account().get_absolute_url()).content.decode()


def test_a_profile_shows_the_settled_rating_and_its_own_races(client: Client) -> None:
    (_, two), newcomer = settled_pair(), make_account()
    raced.race([newcomer, two], regulars=[two])
    folding.rate_finished()
    rating = Rating.objects.get(player=two)
    own = rated_players.own(two)
    assert own is not None
    assert (own.value, own.provisional, own.races) == (round(rating.mu), False, 15)
    assert round(ProvisionalRating.objects.get(player=two).mu) < own.value
    page = client.get(two.get_absolute_url()).content.decode()
    assert "after 15 races against regulars" in page
    assert f'rating-value">{own.value}</strong>' in page
    runs = rated_players.runs(two, 99)
    assert RatingChange.objects.filter(player=two).count() == len(runs) == 15
    assert [run.provisional for run in (runs[0], runs[-1])] == [False, True]
    (_at, start, _after), *later = rated_players.history_points(two.pk, NOON - timedelta(days=40))
    assert (start, later[-1][2]) == (1500, rating.mu)
    assert rated_players.own(newcomer) == rated_players.OwnRating(
        value=round(ProvisionalRating.objects.get(player=newcomer).mu),
        provisional=True, races=1, last_raced_at=NOON, rank=None, races_to_go=9,
    )  # fmt: skip


def test_the_api_returns_board_and_history(client: Client) -> None:
    now = timezone.now()
    best = rated(1850, at=now)
    board_now = client.get("/api/v1/ratings").json()
    assert (board_now["total"], board_now["entries"][0]["value"]) == (1, 1850)
    one, two = make_account(), make_account()
    race = raced.race([one, two], at=now - timedelta(days=1))
    raced.race([two, one], at=now)
    folding.rate_finished()
    found = client.get(f"/api/v1/ratings/{one.public_id}").json()
    assert (found["provisional"], found["races"], found["rank"]) == (True, 2, None)
    assert [(run["room"] == race.room.code, run["place"]) for run in found["changes"]] == [(False, 2), (True, 1)]
    assert found["changes"][1]["before"] == 1500
    assert found["changes"][0]["after"] == found["value"]
    earlier = client.get(f"/api/v1/ratings/{one.public_id}", {"before": found["changes"][0]["finished_at"]}).json()
    assert len(earlier["changes"]) == 1
    assert client.get(f"/api/v1/ratings/{make_account().public_id}").status_code == 404
    get_user_model().objects.filter(pk=best.pk).update(banned_at=now)
    assert client.get(f"/api/v1/ratings/{best.public_id}").status_code == 404
    assert "limit" in json.dumps(client.get("/api/v1/ratings?limit=101").json())
