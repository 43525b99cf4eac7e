"""The explorer in the API: figures of any position, and nothing before the reveal."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.explorer import building, explorer_build
from games.models import Attempt, Deal
from games.rules import from_position
from tests.factories import make_deal
from tests.games.explorer.played import certified_line, finished, past_deal, wanderer, winner

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = certified_line()
GAMES = [winner(RECORD), winner(RECORD, pace=500), *(wanderer(RECORD, number) for number in range(3))]


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[Attempt]:
    """Five games at a revealed deal whose explorer is built."""
    monkeypatch.setattr(building, "SECONDS", 0.0)
    monkeypatch.setattr(building, "run", explorer_build.build)
    deal = past_deal(RECORD)
    played_games = [
        finished(User.objects.create_user(f"Player {number}"), deal, RECORD, game) for number, game in enumerate(GAMES)
    ]
    assert building.build_due() == 1
    return played_games


def read(client: Client, deal: Deal, status: int = 200, **query: Any) -> Any:
    answer = client.get(f"/api/v1/deals/{deal.pk}/explorer", query)
    assert answer.status_code == status, answer.content
    return answer.json()


def test_the_opening_has_all_games(client: Client, attempts: list[Attempt]) -> None:
    found = read(client, attempts[0].deal)
    assert (found["games"], found["wins"]) == (5, 2)
    played = found["played"]
    assert (played["games"], played["wins"], played["verdict"]) == (5, 2, "winnable")
    assert played["median_ms"] == sorted(game.end_ms for game in GAMES)[2]
    assert found["view"] == RECORD.open_table().view()
    first = next(move for move in played["moves"] if move["token"] == RECORD.tokens[0])
    played_games = [game for game in GAMES if RECORD.tokens[0] in first_moves(game.tokens)]
    assert (first["games"], first["wins"], first["verdict"]) == (len(played_games), 2, "winnable")


def first_moves(tokens: list[str]) -> set[str]:
    """The moves that were made from the opening, some of them after an undo."""
    depth, found = 0, set()
    for token in tokens:
        if token == "u":
            depth -= 1
        else:
            found |= {token} if depth == 0 else set()
            depth += 1
    return found


def test_a_position_is_named_by_a_game_or_by_moves(client: Client, attempts: list[Attempt]) -> None:
    deal, line = attempts[0].deal, RECORD.tokens
    by_moves = read(client, deal, moves=".".join(line[:4]))
    assert by_moves == read(client, deal, game=attempts[0].public_id, n=4)
    assert by_moves == read(client, deal, game=attempts[0].public_id, n=2, moves=".".join(line[2:4]))
    table = RECORD.open_table()
    for token in line[:4]:
        table.push(token)
    assert by_moves["view"] == from_position(table.position()).view() | {"moves": 4, "can_undo": True}


def test_a_position_of_one_game_only_has_no_figures(client: Client, attempts: list[Attempt]) -> None:
    lonely = max(attempts[2:], key=lambda attempt: attempt.tokens or 0)
    assert read(client, lonely.deal, game=lonely.public_id, n=lonely.tokens)["played"] is None


def test_impossible_positions_are_refused(client: Client, attempts: list[Attempt]) -> None:
    deal = attempts[0].deal
    assert read(client, deal, 422, moves="t9-f")["error"]["code"] == "illegal_move"
    assert read(client, deal, 422, moves="nonsense")["error"]["code"] == "invalid_token"
    assert read(client, deal, 422, n=-1)["error"]["code"] == "bad_parameters"
    for game in (uuid4(), finished(attempts[0].player, past_deal_of_plot(), RECORD, GAMES[0]).public_id):
        assert read(client, deal, 404, game=game)["error"]["code"] == "not_found"


def past_deal_of_plot() -> Deal:
    return make_deal("plot", (timezone.now() - timedelta(days=3)).date())


def test_nothing_of_an_open_deal_leaks(client: Client, attempts: list[Attempt]) -> None:
    deal, now = attempts[0].deal, timezone.now()
    mine = Client()
    mine.force_login(attempts[0].player)
    for closes_at in (now + timedelta(hours=1), now - timedelta(minutes=59)):
        Deal.objects.filter(pk=deal.pk).update(closes_at=closes_at)
        for visitor in (client, mine):
            for query in ({}, {"game": attempts[0].public_id, "n": 3}, {"moves": "d"}, {"moves": "nonsense"}):
                answer = read(visitor, deal, 403, **query)
                assert answer == {"error": {"code": "not_revealed", "message": "You can't do this.", "data": {}}}


def test_nothing_of_an_unfinished_race_leaks(client: Client, attempts: list[Attempt]) -> None:
    deal = attempts[0].deal
    Deal.objects.filter(pk=deal.pk).update(for_race=True, day=None, closes_at=None, revealed_at=None)
    assert read(client, deal, 403)["error"]["code"] == "not_revealed"
    Deal.objects.filter(pk=deal.pk).update(revealed_at=timezone.now() + timedelta(minutes=1))
    assert read(client, deal, 403)["error"]["code"] == "not_revealed"
    Deal.objects.filter(pk=deal.pk).update(revealed_at=timezone.now())
    assert read(client, deal)["games"] == 5


def test_practice_deals_have_no_explorer(client: Client) -> None:
    assert read(client, make_deal(practice=True), 404)["error"]["code"] == "not_found"
    assert read(client, past_deal_of_plot(), 404)["error"]["code"] == "not_found", "not built yet"


def test_no_answer_names_a_player(client: Client, attempts: list[Attempt]) -> None:
    text = json.dumps(read(client, attempts[0].deal))
    assert not any(str(attempt.public_id) in text or attempt.player.username in text for attempt in attempts)
