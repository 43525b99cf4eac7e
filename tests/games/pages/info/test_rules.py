"""Pages with the rules of the games."""

from __future__ import annotations

import pytest
from django.test import Client

from games.rules import CATALOGUE, GAMES

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_rules(game: str, client: Client) -> None:
    page = client.get(f"/rules/{game}/")
    assert page.status_code == 200
    assert {v["name"] for v in page.context["variants"]} == {v.name for v in CATALOGUE.values() if v.game == game}


def test_an_unknown_game_has_no_rules(client: Client) -> None:
    assert client.get("/rules/nonsense/").status_code == 404


def test_one_page_links_to_all_rules(client: Client) -> None:
    page = client.get("/rules/")
    text = page.content.decode()
    assert page.status_code == 200
    for game in GAMES:
        assert f'href="/rules/{game}/"' in text
    assert [name for game in page.context["games"] for name in game["variants"]] == list(CATALOGUE)
    assert '<a href="/rules/" aria-current="page">' in text
