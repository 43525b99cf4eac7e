"""Table pages: starting a game creates a guest, and tables are private."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.attempts.lifecycle import close_attempt, start_attempt
from games.deals import publishing
from games.models import GRACE, Attempt, Deal
from games.pages.daily import table_page
from tests.games.conftest import Play

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_visitor_who_starts_becomes_a_guest_and_resumes(client: Client, today: list[Deal]) -> None:
    assert client.get("/play/plot/").status_code == 200
    assert not Attempt.objects.exists()  # viewing the page starts no clock
    table = client.post("/play/plot/start")["Location"]
    attempt = Attempt.objects.get()
    assert (attempt.ranked, attempt.player.is_guest, table) == (True, True, f"/table/{attempt.public_id}/")
    assert client.post("/play/plot/start")["Location"] == table
    assert client.get("/play/plot/")["Location"] == table
    assert client.get(table).context["socket"] == f"/ws/play/{attempt.public_id}/"


def test_a_start_by_a_player_just_deleted(
    mine: Client, today: list[Deal], player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*given: Any, **named: Any) -> Attempt:
        player.delete()
        return start_attempt(*given, **named)

    with monkeypatch.context() as just_then:
        just_then.setattr(table_page, "start_attempt", start)
        assert mine.post("/play/plot/start")["Location"] == "/play/plot/"
    assert mine.post("/play/plot/start")["Location"].startswith("/table/")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_start_at_midnight(client: Client, today: list[Deal], accept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deal is open when it is looked up, but closed when the clock should start."""
    (plot,) = [deal for deal in today if deal.variant == "plot"]
    Deal.objects.filter(pk=plot.pk).update(opens_at=plot.opens_at - timedelta(days=1), closes_at=timezone.now())
    monkeypatch.setattr(publishing, "todays_deal", lambda _: Deal.objects.get(pk=plot.pk))
    answer = client.post("/play/plot/start", headers={"Accept": accept})
    if accept == "text/html":
        assert (answer.status_code, answer["Location"]) == (302, "/play/plot/")
        assert "The day of this deal is over." in client.get("/play/plot/").content.decode()
    else:
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "deal_closed")
    assert not Attempt.objects.exists()


def test_starting_needs_a_csrf_token(today: list[Deal]) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.get("/play/plot/start").status_code == 405
    assert strict.post("/play/plot/start").status_code == 403
    assert strict.post("/practice/start", {"name": "plot"}).status_code == 403


def test_another_players_table(client: Client, mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    path = f"/table/{attempt.public_id}/"
    assert mine.get(path).status_code == 200
    assert client.get(path).status_code == 403
    close_attempt(attempt.pk, "resigned")
    assert client.get(path).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert client.get(path)["Location"] == f"/replay/{attempt.public_id}/"


def test_an_unknown_variant(client: Client) -> None:
    assert client.get("/play/nonsense/").status_code == 404


def test_pages_whose_scripts_post_refresh_the_csrf_cookie(mine: Client, player: Any, today: list[Deal]) -> None:
    page = f"/table/{start_attempt(player, today[0]).public_id}/"
    first = mine.get(page)
    secret = first.cookies["csrftoken"].value
    again = mine.get(page)
    assert again.cookies["csrftoken"].value == secret  # sent again to extend its life
    assert "Cookie" in first["Vary"]
    assert "Cookie" in again["Vary"]
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = mine.cookies
    assert strict.post("/players/me/preferences/", {}, headers={"X-CSRFToken": "0" * 32}).status_code == 403
    assert strict.post("/players/me/preferences/", {}, headers={"X-CSRFToken": secret}).status_code != 403


def test_starts_share_one_reading_of_a_daily_deal(today: list[Deal], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_page.todays_deals, "fresh", 60.0)
    for _ in range(2):
        with CaptureQueriesContext(connection) as asked:
            Client().post("/play/plot/start")
    assert not [query for query in asked.captured_queries if 'FROM "games_deal"' in query["sql"]]
    assert Attempt.objects.filter(deal__variant="plot").count() == 2


def test_the_cached_lanes_contain_nothing_personal(today: list[Deal]) -> None:
    """The second visitor gets the first one's fragment with their own id."""
    pages, players = [], []
    for _ in range(2):
        client = Client()
        pages.append(client.get(client.post("/play/plot/start")["Location"]).content.decode())
        players.append(Attempt.objects.latest("pk").player)
    for page, me, other in zip(pages, players, reversed(players), strict=True):
        assert f'data-me="{me.public_id}" data-socket="/ws/lanes/' in page
        assert str(other.public_id) not in page
