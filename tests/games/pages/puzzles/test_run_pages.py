"""Pages of the puzzle storm: start, table, moves and result."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format

from accounts.models import User
from accounts.sign_in.guests import BACKEND
from games.puzzles.models import PuzzleRun
from games.puzzles.runs import puzzle_runs
from tests.games.puzzles.puzzles import STONEWALL, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db(transaction=True)


def begin(client: Client) -> UUID:
    stored_puzzle(STONEWALL, mu=1000)
    stored_puzzle(STONEWALL)
    response = client.post("/puzzles/storm/new")
    run = PuzzleRun.objects.latest("pk")
    assert response["Location"] == f"/puzzles/storm/{run.public_id}/"
    assert "step" not in client.get(response["Location"]).content.decode(), "the puzzle comes when the clock starts"
    current(client, run.public_id)
    return run.public_id


def current(client: Client, run: UUID) -> Any:
    return client.post(f"/puzzles/storm/{run}/current").json()


def play(client: Client, run: UUID, **move: object) -> Any:
    return client.post(f"/puzzles/storm/{run}/move", json.dumps(move), content_type="application/json")


def test_a_visitor_starts_a_storm_as_a_guest(client: Client) -> None:
    run = begin(client)
    assert PuzzleRun.objects.get().player.is_guest
    reply = play(client, run, at=0, turn=0, token=right(STONEWALL, 0)).json()
    assert (reply["right"], reply["state"]["turn"], reply["next"]) == (True, 1, None)


def test_the_puzzles_number_and_answer_stay_hidden(mine: Client) -> None:
    data = current(mine, begin(mine))
    assert set(data) == {"state", "puzzle"}
    assert set(data["puzzle"]) == {"title", "turns", "step"}
    assert set(data["puzzle"]["step"]) == {"token", "view", "legal", "face_down", "hidden"}


def test_titles_are_in_the_players_language(mine: Client) -> None:
    """Although the page asks for JSON."""
    headers = {"accept": "application/json", "accept-language": "de"}
    run = begin(mine)
    data = mine.post(f"/puzzles/storm/{run}/current", headers=headers).json()
    assert data["puzzle"]["title"] == "Steinmauer"


def test_malformed_moves_are_refused(mine: Client) -> None:
    run = begin(mine)
    moves: list[dict[str, object]] = [{}, {"at": "0", "turn": 0, "token": "d"}, {"at": 0, "turn": 0, "token": 1}]
    for move in moves:
        response = play(mine, run, **move)
        assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_request")


def test_the_time_left_is_told_again(mine: Client) -> None:
    run = begin(mine)
    play(mine, run, at=0, turn=0, token=right(STONEWALL, 0))
    PuzzleRun.objects.update(begun_at=timezone.now() - timedelta(minutes=1))
    state = current(mine, run)["state"]
    assert state["turn"] == 1
    assert 110_000 < state["ms_left"] <= 120_000


def test_others_can_neither_see_nor_play_a_run(client: Client, mine: Client) -> None:
    run = begin(mine)
    assert client.get(f"/puzzles/storm/{run}/").status_code == 404
    assert play(client, run, at=0, turn=0, token=right(STONEWALL, 0)).status_code == 404


def test_the_result_shows_place_best_and_missed_puzzles(client: Client) -> None:
    client.force_login(User.objects.create_user("Stormy"), backend=BACKEND)
    run = begin(client)
    play(client, run, at=0, turn=0, token=wrong(STONEWALL, 0))
    PuzzleRun.objects.update(begun_at=timezone.now() - puzzle_runs.DURATION, solved=4, standing="listed")
    missed = PuzzleRun.objects.get().missed[0]
    text, day = client.get(f"/puzzles/storm/{run}/").content.decode(), date_format(timezone.now(), "DATE_FORMAT")
    for words in ("4 puzzles solved", f"Place 1 on {day}.", "Your best so far.", f"/puzzles/{missed}/", "🟩🟩🟩🟩🟥"):
        assert words in text
    board = client.get("/puzzles/storm/").content.decode()
    assert "Stormy" in board
    assert "Your best ever: 4 puzzles" in board


def test_a_site_without_puzzles_has_no_storm(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.puzzles.shipped_file.first_rows", lambda _: [])
    assert client.post("/puzzles/storm/new").status_code == 503
    assert client.get("/puzzles/").status_code == 503
    assert client.get("/puzzles/days/").status_code == 200
