from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from games.rules import CATALOGUE
from leaderboards.boards import seasons
from leaderboards.boards.rank_keys import BoardScore
from tests.leaderboards import factory
from tests.players import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def deal() -> Any:
    return factory.deal(day=timezone.now().date())


def url(deal: Any, query: str = "") -> str:
    return f"/boards/{deal.day}/{deal.variant}/{query}"


def test_the_index_shows_todays_deals_and_the_periods(client: Client) -> None:
    for variant in CATALOGUE:
        factory.deal(variant, day=timezone.now().date())
    response = client.get("/boards/")
    assert response.status_code == 200
    assert [item["deal"].variant for item in response.context["deals"]] == list(CATALOGUE)
    assert "/boards/week/" in response.content.decode()


def test_a_deals_board_shows_ranks_and_pending_players(client: Client, deal: Any) -> None:
    for ms in (300, 100, 200):
        factory.listed(deal, BoardScore(20, ms, 40))
    factory.finished(deal)
    response = client.get(url(deal))
    assert [(e.rank, e.elapsed_ms) for e in response.context["page"].entries] == [(1, 100), (2, 200), (3, 300)]
    assert [e.status for e in response.context["waiting"]] == ["pending"]
    assert response.context["after_url"] is None
    assert client.get(url(deal, "?board=fewest")).context["board"] == "fewest"


def test_pages_of_a_board_are_linked(client: Client, deal: Any) -> None:
    for ms in range(60):
        factory.listed(deal, BoardScore(20, ms, 40))
    first = client.get(url(deal))
    assert '<td class="number">0:00.007</td>' in first.content.decode()  # neighbours that would look equal
    second = client.get(url(deal, first.context["after_url"]))
    assert [e.rank for e in second.context["page"].entries] == list(range(51, 61))
    assert second.context["waiting"] == []
    assert client.get(url(deal, second.context["before_url"])).context["page"].entries == first.context["page"].entries


def test_a_player_on_another_page_sees_the_neighbours(deal: Any) -> None:
    results = [factory.listed(deal, BoardScore(20, ms, 40)) for ms in range(60)]
    far, near = signed_in(results[-1].player), signed_in(results[0].player)
    assert [e.rank for e in far.get(url(deal)).context["around"]] == list(range(55, 61))
    assert far.get(url(deal)).context["own"].rank == 60
    assert near.get(url(deal)).context["around"] == []


def test_a_deleted_accounts_result_is_labelled_former_player(client: Client, deal: Any) -> None:
    gone = factory.listed(deal, BoardScore(20, 1, 40)).player
    waits = factory.finished(deal).player
    stays = factory.listed(
        deal, BoardScore(20, 2, 40), who=factory.player(display_name="Former players' friend")
    ).player
    for player in (gone, waits):
        erase_player(player)
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
    me, friend = factory.player(), factory.player()
    me.following.create(followed=friend)
    for ms, who in ((1, None), (2, friend), (3, me)):
        factory.listed(deal, BoardScore(20, ms, 40), who=who)
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
    result = factory.listed(deal, BoardScore(20, 100, 40))
    seasons.recount_marked()
    response = client.get(f"/boards/{period}/?variant=stonewall")
    assert [(e.rank, e.player, e.deals) for e in response.context["page"].entries] == [(1, result.player.public_id, 1)]
    assert client.get(f"/boards/{period}/?variant=braid").context["page"].entries == []
    past = timezone.now().date() - timedelta(days=62)
    expected = 1 if period == "all" else 0
    assert len(client.get(f"/boards/{period}/?day={past}").context["page"].entries) == expected


@pytest.mark.parametrize("path", ["/boards/", "/boards/nine/", "/boards/week/", "/boards/all/", "/boards/rating/"])
def test_every_board_links_to_all_others(client: Client, path: str) -> None:
    text = client.get(path).content.decode()
    tabs = text[text.index('aria-label="Period"') :].partition("</nav>")[0]
    assert re.findall('href="([^"]+)"', tabs) == [
        "/boards/", "/boards/nine/", "/boards/week/", "/boards/month/", "/boards/all/", "/boards/rating/"
    ]  # fmt: skip
    assert re.findall('href="([^"]+)" aria-current="page"', tabs) == [path]


def test_boards_accept_no_posts(client: Client, deal: Any) -> None:
    for path in ("/boards/", "/boards/week/", url(deal)):
        assert client.post(path).status_code == 405


def test_a_live_board_shows_par_once_revealed(client: Client) -> None:
    deal = factory.deal("labyrinth", day=timezone.now().date() - timedelta(days=3))
    type(deal).objects.filter(pk=deal.pk).update(proven=True, grade=2, par=50)
    assert ' data-revealed data-par="50" data-goal="52"' in client.get(url(deal)).content.decode()
    open_deal = factory.deal("labyrinth", day=timezone.now().date())
    type(deal).objects.filter(pk=open_deal.pk).update(proven=True, grade=2, par=50)
    assert "data-par" not in client.get(url(open_deal)).content.decode()
