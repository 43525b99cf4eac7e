"""Query limits of the most visited pages with empty caches."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from games.attempts.lifecycle import start_attempt
from games.models import Deal

pytestmark = pytest.mark.django_db(transaction=True)

_CONTROL = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


def statements(client: Client, path: str, method: str = "get") -> int:
    """Return the number of statements of a request, without transaction control."""
    cache.clear()
    with CaptureQueriesContext(connection) as asked:
        assert getattr(client, method)(path).status_code in {200, 302}
    return sum(not query["sql"].startswith(_CONTROL) for query in asked.captured_queries)


@pytest.mark.parametrize(
    ("path", "most"),
    [("/", 7), ("/play/braid/", 1), ("/rules/plot/", 0), ("/deals/", 4)],
)
def test_queries_of_a_visitor(client: Client, today: list[Deal], path: str, most: int) -> None:
    client.get(path)
    assert statements(client, path) <= most


def test_queries_of_a_newcomers_start(client: Client, today: list[Deal]) -> None:
    assert statements(client, "/play/braid/start", "post") <= 8


@pytest.mark.parametrize("begun", [1, 9])
@pytest.mark.parametrize(("path", "most"), [("/", 12), ("/rules/plot/", 3), ("/deals/", 7)])
def test_queries_of_a_player(mine: Client, today: list[Deal], path: str, most: int, begun: int) -> None:
    player = User.objects.get(pk=mine.session["_auth_user_id"])
    for deal in today[:begun]:
        start_attempt(player, deal)
    mine.get(path)
    assert statements(mine, path) <= most


def test_queries_of_a_start_page(mine: Client, player: Any, today: list[Deal]) -> None:
    start_attempt(player, today[0])
    assert statements(mine, f"/play/{today[1].variant}/") <= 6


def test_queries_of_a_table(mine: Client, player: Any, today: list[Deal]) -> None:
    attempt = start_attempt(player, today[0])
    assert statements(mine, f"/table/{attempt.public_id}/") <= 6


def test_queries_of_a_board(mine: Client, today: list[Deal]) -> None:
    assert today[0].day is not None
    assert statements(mine, f"/boards/{today[0].day}/{today[0].variant}/") <= 15
