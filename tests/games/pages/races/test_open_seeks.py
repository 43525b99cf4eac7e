"""Open seeks on home, in practice and at practice tables, and racing someone with one press."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.models import Attempt, Move
from games.races.models import Entrant
from games.races.quick_match import matchmaking, open_seeks
from tests.factories import make_deal, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

LIST = 'id="seeks"'


def seeks(client: Client) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = client.get("/races/seeks.json").json()["seeks"]
    assert listed == open_seeks.open_seeks()["seeks"]
    return listed


def table_of(client: Client) -> str:
    return client.post("/practice/start", {"name": "stonewall"})["Location"]


def test_the_list_is_on_home_in_practice_and_beside_practice_tables_only(client: Client) -> None:
    make_deal("plot")
    for path in ("/", "/practice/", "/races/", table_of(client)):
        assert LIST in client.get(path).content.decode(), path
    for path in (client.post("/play/plot/start")["Location"], client.post("/practice/first")["Location"]):
        assert path.startswith("/table/")
        assert LIST not in client.get(path).content.decode(), path


def test_no_page_contains_who_waits(client: Client) -> None:
    assert seeks(client) == []
    waiting = User.objects.create_user("Ariadne")
    matchmaking.enter(waiting, ["stonewall"])
    assert [(seek["name"], seek["variants"]) for seek in seeks(client)] == [("Ariadne", ["stonewall"])]
    for path in ("/", "/practice/", table_of(client)):
        assert "Ariadne" not in client.get(path).content.decode(), path


def test_one_press_beside_a_practice_game_races_and_keeps_the_game(client: Client) -> None:
    waiting = create_guest()
    matchmaking.enter(waiting, ["stonewall", "plot"])
    table = table_of(client)
    Move.objects.create(attempt=Attempt.objects.get(), n=0, token="d", ms=900)
    (seek,) = seeks(client)
    room = client.post("/races/quick", {"variant": seek["variants"]})["Location"]
    race = Entrant.objects.get(player=waiting).race
    assert (room, race.entrants.count()) == (f"/races/{race.room.code}/", 2)
    assert race.gathers_until is not None
    assert Attempt.objects.get(deal__for_race=False).state == Attempt.State.PLAYING
    assert table in client.get("/practice/").content.decode()


def test_players_who_wait_are_not_offered_a_race(client: Client) -> None:
    make_deal("plot")
    table = table_of(client)
    client.post("/races/quick", {"variant": "stonewall"})
    for path in ("/", "/practice/", table):
        assert LIST not in client.get(path).content.decode(), path
    assert LIST in signed_in(create_guest()).get("/practice/").content.decode()
