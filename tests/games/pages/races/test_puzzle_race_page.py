"""Pages of a puzzle race: the room, the racer's page and its requests, and the result."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from games.races.models import Room
from games.races.webhooks.result_post import result_message
from tests.factories import signed_in
from tests.games.puzzles.puzzles import STONEWALL, right, wrong
from tests.games.races.conftest import House
from tests.games.races.storms import end, house_of_puzzles, play, racing_house, solve, storm

pytestmark = pytest.mark.django_db(transaction=True)


def path(house: House, part: str = "") -> str:
    return f"/races/{house.room.code}/{house.race.number}/puzzles/{part}"


def post(client: Client, address: str, **body: object) -> Any:
    return client.post(address, json.dumps(body), content_type="application/json")


def text(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_a_host_opens_a_room_for_puzzles(mine: Client) -> None:
    house_of_puzzles(1)
    response = mine.post("/races/new", {"name": "puzzles", "limit": "900", "seats": "4", "privacy": "private"})
    room = Room.objects.latest("pk")
    assert response["Location"] == f"/races/{room.code}/"
    assert (room.game, room.limit_s, room.seats) == ("puzzles", 180, 4)
    page = text(mine, f"/races/{room.code}/")
    assert '<h1 id="room-title">Puzzles</h1>' in page
    assert "/pictures/" not in page


def test_a_racer_counts_down_and_solves(client: Client) -> None:
    house = house_of_puzzles(2)
    house.start(countdown=60)
    racer = signed_in(house.players[0])
    page = text(racer, path(house))
    assert f'data-entrant="{house.entrant(0).pk}"' in page
    assert '"piles"' not in page
    assert set(post(racer, path(house, "current")).json()) == {"starts_in", "now"}
    early = post(racer, path(house, "move"), at=0, turn=0, token=right(STONEWALL, 0))
    assert (early.status_code, early.json()["error"]["code"]) == (409, "not_begun")
    assert client.get(path(house)).status_code == 404
    assert post(client, path(house, "current")).status_code == 404


def test_moves_and_the_puzzle_to_solve_have_the_form_of_a_storms(mine: Client) -> None:
    house = racing_house(2)
    racer = signed_in(house.players[0])
    first = post(racer, path(house, "current")).json()
    assert (first["puzzle"]["title"], first["state"]["solved"]) == ("Stonewall", 0)
    reply = post(racer, path(house, "move"), at=0, turn=0, token=right(STONEWALL, 0)).json()
    assert (reply["right"], reply["state"]["turn"], reply["next"]) == (True, 1, None)
    assert post(mine, path(house, "move"), at=0, turn=1, token="d").json()["error"]["code"] == "not_found"
    # A racer's run has no page of its own.
    assert racer.get(f"/puzzles/storm/{storm(house, 0).public_id}/").status_code == 404


def test_the_result_shows_places_and_the_own_missed_puzzles(client: Client) -> None:
    house = racing_house(2)
    for place, at in ((0, 0), (0, 1), (1, 0)):
        solve(house, place, at)
    play(house, 0, 2, 0, wrong(STONEWALL, 0))
    end(house)
    racer = signed_in(house.players[0])
    assert racer.get(path(house))["Location"] == f"/races/{house.room.code}/1/"
    page, others = text(racer, f"/races/{house.room.code}/1/"), text(client, f"/races/{house.room.code}/1/")
    assert house.race.puzzles is not None
    missed = f'href="/puzzles/{house.race.puzzles[2]}/"'
    assert (missed in page, missed in others) == (True, False)
    assert "<b>2</b> solved" in page
    assert "<b>1</b> missed" in page
    assert "2 puzzles solved" in page  # the text to share
    for absent in ("Out of time", "Check this race", "Replay", "cards up", "race.json"):
        assert absent not in page
    assert "2 solved" in text(racer, "/races/mine/")
    assert client.get(f"/races/{house.room.code}/1/race.json").status_code == 404
    assert client.get(f"/races/{house.room.code}/1/replay/").status_code == 403


def test_the_api_shows_a_puzzle_race_without_its_puzzles(client: Client) -> None:
    house = racing_house(2)
    solve(house, 0, 0)
    end(house)
    shown = client.get(f"/api/v1/races/{house.race.public_id}").json()
    assert (shown["game"], shown["variant"], shown["commitment"], shown["seed"]) == ("puzzles", "puzzles", None, None)
    assert [(one["place"], one["cards_up"], one["state"]) for one in shown["entrants"]] == [
        (1, 1, "timed_out"), (2, 0, "timed_out"),
    ]  # fmt: skip
    assert "puzzles" not in shown
    assert client.get(f"/api/v1/races/{house.race.public_id}/file").status_code == 404


def test_the_webhooks_message_counts_puzzles() -> None:
    house = racing_house(2)
    solve(house, 0, 0)
    end(house)
    message = result_message(house.race, "en-gb")
    assert message is not None
    [embed] = message["embeds"]
    assert embed["title"] == "Race 1: Puzzles"
    assert [line.partition(": ")[2] for line in embed["description"].splitlines()] == [
        "One puzzle solved", "0 puzzles solved",
    ]  # fmt: skip


def test_the_lobby_lists_puzzle_races(client: Client) -> None:
    house = house_of_puzzles(1)
    [room] = client.get("/races/lobby.json").json()["rooms"]
    assert (room["code"], room["variant"], room["limit_s"]) == (house.room.code, "puzzles", 180)
