"""Daily pages: the home page, deals, tables, and a newcomer's button and guide."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from games.attempts.lifecycle import close_attempt, deal_table, start_attempt
from games.daily.shared_day import shared_days
from games.deals import publishing
from games.models import GRACE, Attempt, Deal, Move
from games.pages.daily import table_page
from games.presentation.anonymous_cache import RANKED_COOKIE
from games.rules import CATALOGUE, open_table
from tests.factories import make_deal
from tests.games.conftest import Play

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_guide_is_for_newcomers(client: Client, mine: Client, player: User, today: list[Deal]) -> None:
    assert "New here?" in client.get("/").content.decode()
    assert "New here?" in mine.get("/").content.decode()
    close_attempt(start_attempt(player, today[0]).pk, "resigned")
    assert "New here?" not in mine.get("/").content.decode()
    client.cookies["talon_guide"] = "known"
    assert "New here?" not in client.get("/").content.decode()


def test_missing_deals_are_read_once_a_visit(
    client: Client, monkeypatch: pytest.MonkeyPatch, today: list[Deal]
) -> None:
    monkeypatch.setattr(shared_days, "fresh", 60.0)
    client.cookies[RANKED_COOKIE] = "1"
    read: list[int] = []

    def deals(_now: datetime) -> list[Deal]:
        read.append(len(read))
        return today[: 4 if len(read) < 3 else 9]

    monkeypatch.setattr("games.deals.publishing.todays_deals", deals)
    assert [len(client.get("/").context["tiles"]) for _ in range(4)] == [4, 4, 9, 9]
    assert len(read) == 3  # one reading per visit while deals are missing, then none for a while


def test_the_button_leads_to_a_guided_table(client: Client) -> None:
    assert b'action="/practice/first"' in client.get("/").content
    table = client.post("/practice/first")["Location"]
    attempt = Attempt.objects.get()
    assert (attempt.ranked, attempt.deal.proven, attempt.deal.grade) == (False, True, 1)
    assert client.post("/practice/first")["Location"] == table, "the game goes on"
    page = client.get(table)
    assert page.context["guide"]["moves"] == []
    assert b'id="guide-say"' in page.content


def test_the_guide_follows_the_moves_and_ends_with_the_game(client: Client) -> None:
    table = client.post("/practice/first")["Location"]
    attempt = Attempt.objects.get()
    token = client.get(table).context["guide"]["steps"][0]["token"]
    Move.objects.create(attempt=attempt, n=1, token=token, ms=1000)
    assert client.get(table).context["guide"]["moves"] == [token]
    Move.objects.create(attempt=attempt, n=2, token="u", ms=2000)
    assert client.get(table).context["guide"]["moves"] == []
    close_attempt(attempt.pk, "resigned")
    assert client.get(table).context["guide"] is None


def test_the_guide_leaves_after_two_moves_of_the_players_own(client: Client) -> None:
    url = client.post("/practice/first", {"name": "tarot"})["Location"]
    attempt = Attempt.objects.select_related("deal").get()
    table, guided = deal_table(attempt.deal), {step["token"] for step in client.get(url).context["guide"]["steps"]}
    for n, stays in ((1, True), (2, False)):
        token = next(token for token in table.legal_moves() if token not in guided)
        table.push(token)
        Move.objects.create(attempt=attempt, n=n, token=token, ms=n)
        assert (client.get(url).context["guide"] is not None) == stays


def test_tiles_of_unknown_variants_offer_a_guided_game_first(
    client: Client, mine: Client, player: User, today: list[Deal]
) -> None:
    def offered(page: str) -> set[str]:
        return set(re.findall(r'class="learn" form="learn" name="name" value="([\w-]+)"', page))

    page = client.get("/").content.decode()
    assert offered(page) == set(CATALOGUE)
    tile = page[page.index('<li class="deal ') :]
    assert tile.index("Learn to play") < tile.index("deal-link")
    close_attempt(start_attempt(player, publishing.practice_deal("plot")).pk, "resigned")
    start_attempt(player, today[0])
    assert offered(mine.get("/").content.decode()) == set(CATALOGUE) - {"plot", today[0].variant}
    mine.post("/practice/first", {"name": "pigtail"})
    assert Attempt.objects.latest("pk").deal.variant == "pigtail"
    assert mine.post("/practice/first", {"name": "nonsense"}).status_code == 404


def test_no_other_game_has_a_guide(mine: Client, attempt_at: Any) -> None:
    ranked = attempt_at("stonewall")
    mine.post("/practice/start", {"name": "stonewall"})
    for attempt in (ranked, Attempt.objects.latest("pk")):
        page = mine.get(f"/table/{attempt.public_id}/")
        assert page.context["guide"] is None


def test_a_deals_secrets_are_released_in_time(client: Client, seed: bytes) -> None:
    deal = make_deal("braid", seed=seed)
    page, data = f"/deals/{deal.day}/braid/", f"/deals/{deal.day}/braid/deal.json"
    assert deal.commitment in client.get(page).content.decode()
    assert client.get(data).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - GRACE / 2)
    assert seed.hex() not in client.get(page).content.decode()
    assert client.get(data).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert seed.hex() in client.get(page).content.decode()
    told = client.get(data).json()
    assert (told["seed"], told["commitment"]) == (seed.hex(), deal.commitment)
    assert open_table("braid", deck=told["deck"]).view() == open_table("braid", seed).view()


def test_a_deals_page_links_to_the_visitors_game(client: Client, player: User) -> None:
    begun, other = make_deal("braid"), make_deal("plot")
    attempt = start_attempt(player, begun)
    client.force_login(player)
    table = f'"/table/{attempt.public_id}/">'
    assert table in client.get(f"/deals/{begun.day}/braid/").content.decode()
    assert table not in client.get(f"/deals/{other.day}/plot/").content.decode()


def test_a_visitor_who_starts_becomes_a_guest_and_resumes(client: Client, today: list[Deal]) -> None:
    assert client.get("/play/plot/").status_code == 200
    assert client.get("/play/nonsense/").status_code == 404
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
        assert "That game has closed." in client.get("/play/plot/").content.decode()
    else:
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "deal_closed")
    assert not Attempt.objects.exists()


def test_another_players_table(client: Client, mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    path = f"/table/{attempt.public_id}/"
    assert mine.get(path).status_code == 200
    assert client.get(path).status_code == 403
    close_attempt(attempt.pk, "resigned")
    assert client.get(path).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert client.get(path)["Location"] == f"/replay/{attempt.public_id}/"


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
        with CaptureQueriesContext(connection) as captured:
            Client().post("/play/plot/start")
    assert not [query for query in captured.captured_queries if 'FROM "games_deal"' in query["sql"]]
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
