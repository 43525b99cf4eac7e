"""The home page."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client

from games.models import Deal
from games.pages.daily import day_summary, home_page
from games.rules import CATALOGUE

pytestmark = pytest.mark.django_db(transaction=True)


def test_home_shows_the_nine_deals_of_the_day(client: Client, today: list[Deal]) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert [tile.deal.variant for tile in page.context["tiles"]] == list(CATALOGUE)


def test_the_guide_is_for_newcomers(client: Client, mine: Client, today: list[Deal]) -> None:
    assert "New here?" in client.get("/").content.decode()
    assert "New here?" not in mine.get("/").content.decode()
    client.cookies["talon_guide"] = "known"
    assert "New here?" not in client.get("/").content.decode()


def test_missing_deals_are_read_once_a_visit(
    client: Client, monkeypatch: pytest.MonkeyPatch, today: list[Deal]
) -> None:
    monkeypatch.setattr(day_summary.days_deals, "fresh", 60.0)
    monkeypatch.setattr(home_page.home_pages, "fresh", 60.0)
    read: list[int] = []

    def deals(_now: datetime) -> list[Deal]:
        read.append(len(read))
        return today[: 4 if len(read) < 3 else 9]

    monkeypatch.setattr("games.deals.publishing.todays_deals", deals)
    assert [len(client.get("/").context["tiles"]) for _ in range(4)] == [4, 4, 9, 9]
    assert len(read) == 3  # one reading per visit while deals are missing, then none for a while
