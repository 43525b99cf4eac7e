"""Errors of puzzles and storms: numbers out of range, stale turns, runs of others or that are over, and no stock."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.puzzles.models import DailyPuzzle, PuzzleRun, PuzzleTry, PuzzleVote, StoredPuzzle
from games.puzzles.runs import puzzle_runs
from tests.factories import signed_in
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db(transaction=True)

HUGE = (-1, 32_767, 32_768, 2**31, 2**63, 10**30)


def sent(client: Client, address: str, **move: object) -> tuple[int, str]:
    answer = client.post(address, json.dumps(move), content_type="application/json")
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize("number", HUGE)
def test_numbers_out_of_range_are_stale_or_unknown(mine: Client, player: User, number: int) -> None:
    stored, run = stored_puzzle(), puzzle_runs.begin(player.pk, "storm")
    puzzle_runs.show(run.pk)
    page, storm, token = f"/puzzles/{stored.pk}/move", f"/puzzles/storm/{run.public_id}/move", right(LABYRINTH, 0)
    assert sent(mine, page, turn=number, mistakes=0, token=token) == (409, "stale")
    assert number < 0 or sent(mine, page, turn=0, mistakes=number, token=token) == (409, "stale")
    for at, turn in ((number, 0), (0, number), (number, number)):
        assert sent(mine, storm, at=at, turn=turn, token=token) == (409, "stale")
    if number > 0:
        api = mine.post(f"/api/v1/puzzles/{stored.pk}/moves", {"turn": number, "token": "d"}, "application/json")
        assert (api.status_code, api.json()["error"]["code"]) == (409, "stale")
        for address in (f"/puzzles/{number}/", f"/puzzles/{number}/win.json", f"/api/v1/puzzles/{number}"):
            assert mine.get(address).status_code == 404
        assert sent(mine, f"/puzzles/{number}/move", turn=0, token="d") == (404, "not_found")


def test_wrong_moves_beyond_all_counting_are_answered(mine: Client, player: User) -> None:
    stored = stored_puzzle()
    for mistakes in (9_998, 32_766, 32_767):
        PuzzleTry.objects.update_or_create(player=player, puzzle=stored, defaults={"mistakes": mistakes})
        for _ in range(2):
            body = json.dumps({"turn": 0, "token": wrong(LABYRINTH, 0)})
            answer = mine.post(f"/puzzles/{stored.pk}/move", body, content_type="application/json")
            assert (answer.status_code, answer.json()["progress"]["mistakes"]) == (200, 9_999)
    solved = mine.post(
        f"/puzzles/{stored.pk}/move",
        json.dumps({"turn": 0, "mistakes": 9_999, "token": right(LABYRINTH, 0)}),
        content_type="application/json",
    )
    assert solved.json()["progress"]["turn"] == 1


def test_runs_of_others_and_those_not_begun_or_over_take_no_moves(mine: Client, player: User, ada: User) -> None:
    stored_puzzle(STONEWALL)
    run, move = puzzle_runs.begin(player.pk, "storm"), {"at": 0, "turn": 0, "token": right(STONEWALL, 0)}
    address = f"/puzzles/storm/{run.public_id}/"
    assert sent(mine, f"{address}move", **move) == (409, "not_begun")
    for client in (signed_in(ada), Client()):
        assert sent(client, f"{address}current") == sent(client, f"{address}move", **move) == (404, "not_found")
    puzzle_runs.show(run.pk)
    PuzzleRun.objects.update(begun_at=timezone.now() - puzzle_runs.DURATION)
    assert sent(mine, f"{address}move", **move) == (409, "closed")
    assert mine.post(f"{address}current").json()["state"]["ms_left"] == 0
    assert mine.get(address).status_code == 200


def test_a_site_without_puzzles_says_so_everywhere(
    client: Client, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.puzzles.shipped_file.first_rows", lambda _: [])
    found: dict[str, Any] = {address: mine.get(address).status_code for address in ADDRESSES}
    assert found == dict.fromkeys(ADDRESSES, 200) | {"/puzzles/": 503, "/api/v1/puzzles/daily": 503}
    assert mine.post("/puzzles/storm/new").status_code == 503
    assert "More are made every night" in client.get("/puzzles/").content.decode()
    assert client.get("/puzzles/another/")["Location"] == "/puzzles/days/"


ADDRESSES = ("/", "/puzzles/", "/puzzles/days/", "/puzzles/storm/", "/api/v1/puzzles/daily")


def test_a_run_whose_stock_is_gone_says_so(mine: Client, player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """All puzzles are withdrawn between the press of the button and the first puzzle."""
    stored_puzzle()
    run = puzzle_runs.begin(player.pk, "storm")
    StoredPuzzle.objects.update(withdrawn="disproved")
    assert sent(mine, f"/puzzles/storm/{run.public_id}/current") == (503, "no_puzzles")


def test_a_vote_on_an_unknown_or_coming_puzzle_is_not_found(ada: User) -> None:
    coming = stored_puzzle()
    DailyPuzzle.objects.create(day=timezone.now().date() + timedelta(days=1), puzzle=coming)
    for number in (coming.pk, 10**30):
        assert sent(signed_in(ada), f"/api/v1/puzzles/{number}/vote", vote="bad") == (404, "not_found")
    assert not PuzzleVote.objects.exists()
