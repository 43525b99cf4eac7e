"""Opening view in a table's page: equal to the socket's, for the attempt's player only, without hidden cards."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from games.attempts.lifecycle import close_attempt, start_attempt
from games.deals import publishing
from games.live import table_registry
from games.live.table_registry import LiveTables
from games.models import Attempt, Deal
from games.rules import CATALOGUE, open_table
from tests.games.conftest import Play, Sit
from tests.players import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
PLAYED = 25
#: Attempt and deal, its tokens with its state; the rest is the session's and the question of hints.
MOST_QUERIES = 9


def opening(client: Client, attempt: Attempt) -> dict[str, Any]:
    page = client.get(f"/table/{attempt.public_id}/").content.decode()
    block = re.search(r'<script id="opening" type="application/json">(.*?)</script>', page, flags=re.DOTALL)
    assert block is not None
    message: dict[str, Any] = json.loads(block[1])
    return message


@pytest.mark.parametrize("variant", CATALOGUE)
async def test_it_equals_the_view_from_any_processs_socket(
    variant: str, attempt_at: Any, mine: Client, sit: Sit, other_tables: LiveTables
) -> None:
    attempt = await sync_to_async(attempt_at)(variant)
    seed = bytes(attempt.deal.seed)
    seat, rng, table = sit(attempt), random.Random(seed), open_table(variant, seed)
    await seat.sit()
    for number in range(PLAYED):
        if number in {0, PLAYED // 2, PLAYED - 1}:
            page = await sync_to_async(opening)(mine, attempt)
            fresh = sit(attempt, at=other_tables)
            said = await fresh.sit()
            await fresh.leave()
            assert 0 <= said["ms"] - page["ms"] < 60_000
            assert page | {"ms": said["ms"]} == said
            assert page["view"] == table.view()
        if not seat.legal:
            break
        token = rng.choice(seat.legal)
        await seat.move(token)
        table.push(token)


async def test_the_socket_then_sends_only_later_moves(attempt_at: Any, mine: Client, sit: Sit) -> None:
    attempt = await sync_to_async(attempt_at)()
    page = await sync_to_async(opening)(mine, attempt)
    elsewhere, seat = sit(attempt), sit(attempt)
    await elsewhere.sit()
    moved = await elsewhere.move("d")
    seat.view, seat.n = page["view"], page["n"]
    assert await seat.sit(have=page["n"]) == moved
    assert (await seat.hear())["type"] == "resumed"
    assert seat.view == elsewhere.view


def test_a_finished_table_is_shown_as_it_ended(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    close_attempt(attempt.pk, "resigned")
    page = opening(mine, attempt)
    assert (page["state"], page["legal"]) == ("pending", [])
    assert opening(mine, attempt)["ms"] == page["ms"]


def test_other_players_do_not_get_it(mine: Client, rival: Any, attempt_at: Play) -> None:
    attempt = attempt_at()
    assert opening(mine, attempt)["attempt"] == str(attempt.public_id)
    other = signed_in(rival)
    for visitor in (Client(), other):
        answer = visitor.get(f"/table/{attempt.public_id}/")
        assert answer.status_code == 403
        assert b"opening" not in answer.content


def test_it_is_not_cached(mine: Client, attempt_at: Play) -> None:
    kept = mine.get(f"/table/{attempt_at().public_id}/")["Cache-Control"]
    assert {"no-store", "private"} <= set(kept.split(", "))


def test_face_down_cards_are_not_in_the_page(mine: Client, attempt_at: Play, seed: bytes) -> None:
    attempt = attempt_at("tarot", seed)
    table = open_table("tarot", seed)
    shown = {card for pile in table.view()["piles"].values() for card in pile if card}
    page = opening(mine, attempt)
    assert None in page["view"]["piles"]["t0"]
    told = set(re.findall(r"\b(?:[A2-9TPNQK][WCSP]|M\d+)\b", json.dumps(page["view"]["piles"])))
    assert told == shown
    text = mine.get(f"/table/{attempt.public_id}/").content.decode()
    assert seed.hex() not in text
    assert Deal.objects.get().commitment in text


def test_it_opens_no_live_table_and_needs_few_queries(
    mine: Client, player: Any, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = start_attempt(player, publishing.practice_deal("stonewall"))
    monkeypatch.setattr(table_registry, "LiveTable", None)
    with django_assert_max_num_queries(MOST_QUERIES):
        opening(mine, attempt)
