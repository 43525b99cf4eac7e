"""The newcomer's button, and the guide at its table."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from games.attempts.lifecycle import close_attempt
from games.models import Attempt, Move

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_button_leads_to_a_guided_table(client: Client) -> None:
    assert b'action="/practice/first"' in client.get("/").content
    table = client.post("/practice/first")["Location"]
    attempt = Attempt.objects.get()
    assert (attempt.ranked, attempt.deal.proven, attempt.deal.grade) == (False, True, 1)
    assert client.post("/practice/first")["Location"] == table, "the game goes on"
    page = client.get(table)
    assert page.context["guide"]["moves"] == []
    assert b'id="guide-say"' in page.content
    assert b'id="finish-today"' in page.content


def test_the_guide_follows_the_moves_and_ends_with_the_game(client: Client) -> None:
    table = client.post("/practice/first")["Location"]
    attempt = Attempt.objects.get()
    token = client.get(table).context["guide"]["steps"][0]["token"]
    Move.objects.create(attempt=attempt, n=1, token=token, ms=1000)
    assert client.get(table).context["guide"]["moves"] == [token]
    Move.objects.create(attempt=attempt, n=2, token="u", ms=2000)
    assert client.get(table).context["guide"]["moves"] == []
    close_attempt(attempt.pk, "resigned")
    page = client.get(table)
    assert page.context["guide"] is None
    assert page.context["is_first_game"]


def test_no_other_game_has_a_guide(mine: Client, attempt_at: Any) -> None:
    ranked = attempt_at("stonewall")
    mine.post("/practice/start", {"name": "stonewall"})
    for attempt in (ranked, Attempt.objects.latest("pk")):
        page = mine.get(f"/table/{attempt.public_id}/")
        assert (page.context["guide"], page.context["is_first_game"]) == (None, False)
