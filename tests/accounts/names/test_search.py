"""Search for players by name, on the page and in the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from accounts.names.player_search import MOST, find_players
from accounts.sign_in.guests import create_guest
from games.core import limits

pytestmark = pytest.mark.django_db


def player(name: str, **fields: Any) -> User:
    return User.objects.create_user(name, **fields)


def found(text: str) -> list[str]:
    return [str(one) for one in find_players(text)]


def test_names_are_found_by_prefix_in_any_spelling() -> None:
    for name in ("Ariadne", "Ari", "Aristotle", "Mariana"):
        player(name)
    assert found("ari") == ["Ari", "Ariadne", "Aristotle"]
    assert found("Á R I a") == ["Ariadne"]
    assert found("ar|") == found("ari") == found("arı")


@pytest.mark.parametrize("text", ["", "a", " ", "..", "\x00", "%", "_%", "ari%"])
def test_too_short_queries_find_nothing(text: str) -> None:
    player("Ariadne")
    assert found(text) == (["Ariadne"] if text == "ari%" else [])


def test_only_players_with_a_page_are_found() -> None:
    now = timezone.now()
    player("Orpheus")
    player("Orpheus two", deleted_at=now)
    player("Orpheus three", banned_at=now)
    create_guest()
    assert found("orph") == ["Orpheus"]
    assert found("guest") == []


def test_a_page_of_players_is_one_query() -> None:
    for number in range(MOST + 5):
        player(f"Theseus {number}")
    with CaptureQueriesContext(connection) as queries:
        assert len(found("theseus")) == MOST
    assert len(queries) == 1


def test_the_page_links_to_its_results(client: Client) -> None:
    ariadne = player("Ariadne")
    page = client.get("/players/", {"name": " aria"}).content.decode()
    assert f'href="/players/{ariadne.public_id}/"' in page
    nobody = client.get("/players/", {"name": "<b>xyz"}).content.decode()
    assert "No player has a name that begins with “&lt;b&gt;xyz”" in nobody
    assert 'role="search"' in client.get("/players/").content.decode()


def test_searching_is_limited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "search", "2/m")
    answers = [client.get("/players/", {"name": "ab"}).status_code for _ in range(3)]
    assert answers == [200, 200, 429]
    assert client.get("/players/").status_code == 200


def test_the_api_finds_the_same_players(client: Client) -> None:
    ariadne = player("Ariadne")
    assert client.get("/api/v1/players", {"name": "ARI"}).json() == [{"id": str(ariadne.public_id), "name": "Ariadne"}]
    for name in ("", "a", "x" * 65, "ab\x00"):
        assert client.get("/api/v1/players", {"name": name}).json()["error"]["code"] == "bad_parameters"
