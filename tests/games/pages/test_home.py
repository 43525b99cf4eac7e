"""The home page."""

from __future__ import annotations

import pytest
from django.test import Client

from games.models import Deal
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
