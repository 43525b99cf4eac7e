"""Tables that start in the future, and the opening view in their page: no hidden card, and none before the start."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import timezone

from games.attempts.lifecycle import close_attempt, start_attempt
from games.deals import publishing
from games.live import start_timer, table_registry
from games.live.table_registry import LiveTables
from games.models import Attempt
from games.rules import open_table
from tests.factories import signed_in
from tests.games.conftest import Play, Sit
from tests.games.seats import CARD

pytestmark = pytest.mark.django_db(transaction=True)

AHEAD = timedelta(seconds=3600)
HIDDEN = ('"view"', "piles", "legal", "under")


class Clock:
    """The wall clock of the tables; `move` sets it to the attempt's start."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> int:
        return int(timezone.now().timestamp() * 1000) + self.ahead

    def move(self, by: timedelta = AHEAD) -> None:
        self.ahead += by // timedelta(milliseconds=1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    wall_clock = Clock()
    monkeypatch.setattr("games.live.attempt_state.now_ms", wall_clock)
    return wall_clock


@pytest.fixture
def waiting_attempt(attempt_at: Any) -> Callable[[], Any]:
    @sync_to_async
    def begin(variant: str = "stonewall", seed: bytes | None = None) -> Attempt:
        attempt: Attempt = attempt_at(variant, seed, started_at=timezone.now() + AHEAD)
        return attempt

    return begin


def deal_now(tables: LiveTables, attempt: Attempt) -> None:
    """Do what the timer does when it fires."""
    beginning = tables._tables[attempt.public_id].start
    assert beginning is not None
    beginning._deal_if_due()


async def test_hello_is_answered_without_cards(waiting_attempt: Any, sit: Sit, clock: Clock) -> None:
    attempt = await waiting_attempt()
    seat = sit(attempt)
    answer = await seat.sit()
    assert answer["type"] == "waiting"
    assert 0 < answer["starts_in"] <= AHEAD / timedelta(milliseconds=1)
    assert answer["attempt"] == str(attempt.public_id)
    assert answer["deal"]["commitment"] == attempt.deal.commitment
    pong = await seat.ask({"type": "ping", "t": 1})
    assert (pong["type"], pong["ms"]) == ("pong", 0)
    frames = " ".join(seat.frames)
    assert not CARD.findall(frames)
    assert not [word for word in HIDDEN if word in frames]


async def test_no_move_is_accepted_before_the_start(waiting_attempt: Any, sit: Sit, clock: Clock) -> None:
    seat = await sit(await waiting_attempt()).opened()
    for message in ({"type": "move", "n": 1, "token": "d"}, {"type": "auto", "n": 1}, {"type": "resign", "n": 1}):
        refused = await seat.ask(message)
        assert (refused["type"], refused["code"]) == ("error", "not_begun")
        assert refused["data"]["starts_in"] > 0
    assert await seat.is_silent()


async def test_the_cards_are_sent_from_memory(  # noqa: PLR0917
    waiting_attempt: Any, sit: Sit, clock: Clock, tables: LiveTables, monkeypatch: pytest.MonkeyPatch, seed: bytes
) -> None:
    attempt = await waiting_attempt("stonewall", seed)
    first, second = sit(attempt), sit(attempt)
    await first.sit()
    await second.sit(have=0)
    await tables._tables[attempt.public_id].prepare_deal()
    monkeypatch.setattr("games.live.live_table.load", None)
    # Many tables may deal in one millisecond, so the start only sends.
    monkeypatch.setattr("games.live.frames.view", None)
    deal_now(tables, attempt)
    assert await first.is_silent()  # an early timer deals nothing
    clock.move(AHEAD + timedelta(seconds=3))
    deal_now(tables, attempt)
    for seat in (first, second):
        view = await seat.hear()
        assert (view["type"], view["n"]) == ("view", 0)
        assert view["view"] == open_table("stonewall", seed).view()
        assert 2900 <= view["ms"] < 60_000
        assert await seat.is_silent()
    assert (await first.move(first.legal[0]))["type"] == "moved"


async def test_the_timer_deals_the_cards(attempt_at: Any, sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses the real clocks; the view does not come early."""
    monkeypatch.setattr(start_timer, "LAST_READ", 0)
    attempt = await sync_to_async(attempt_at)("plot", started_at=timezone.now() + timedelta(milliseconds=400))
    seat = sit(attempt)
    answer = await seat.sit()
    if answer["type"] == "waiting":  # unless the machine is very slow
        assert (await seat.hear())["type"] == "view"
    assert timezone.now() >= attempt.started_at


async def test_late_comers_get_the_cards_at_once(waiting_attempt: Any, sit: Sit, clock: Clock) -> None:
    attempt = await waiting_attempt()
    early, late = sit(attempt), sit(attempt)
    await early.sit()
    clock.move()
    assert (await late.sit())["type"] == "view"
    assert (await early.hear())["type"] == "view"
    assert await early.is_silent()


async def test_a_move_at_the_start_is_accepted(waiting_attempt: Any, sit: Sit, clock: Clock) -> None:
    """For a player faster than the timer, the cards come first, then the answer."""
    seat = await sit(await waiting_attempt("plot")).opened()
    clock.move()
    assert (await seat.move("d", 1))["type"] == "view"
    assert (await seat.hear())["type"] == "moved"


async def test_the_timer_ends_with_the_last_connection(
    waiting_attempt: Any, sit: Sit, clock: Clock, tables: LiveTables
) -> None:
    attempt = await waiting_attempt()
    seat = await sit(attempt).opened()
    table = tables._tables[attempt.public_id]
    await seat.leave()
    assert table.start is not None
    assert table.start.is_cancelled


async def test_fractions_of_a_millisecond_are_waited_for(attempt_at: Any, sit: Sit, clock: Clock) -> None:
    at = (timezone.now() + AHEAD).replace(microsecond=500)
    seat = sit(await sync_to_async(attempt_at)("plot", started_at=at))
    answer = await seat.sit()
    assert answer["now"] + answer["starts_in"] == int(at.replace(microsecond=0).timestamp()) * 1000 + 1


PLAYED = 25
#: Attempt and deal, its tokens with its state; the rest is the session's and the question of hints.
MOST_QUERIES = 9


def opening(client: Client, attempt: Attempt) -> dict[str, Any]:
    page = client.get(f"/table/{attempt.public_id}/").content.decode()
    block = re.search(r'<script id="opening" type="application/json">(.*?)</script>', page, flags=re.DOTALL)
    assert block is not None
    message: dict[str, Any] = json.loads(block[1])
    return message


@pytest.mark.parametrize("variant", ["labyrinth", "tarot"])
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
            sent = await fresh.sit()
            await fresh.leave()
            assert 0 <= sent["ms"] - page["ms"] < 60_000
            assert page | {"ms": sent["ms"]} == sent
            assert page["view"] == table.view()
        if not seat.legal:
            break
        token = rng.choice(seat.legal)
        await seat.move(token)
        table.push(token)


async def test_the_socket_then_sends_only_later_moves(attempt_at: Any, mine: Client, sit: Sit) -> None:
    attempt = await sync_to_async(attempt_at)()
    page = await sync_to_async(opening)(mine, attempt)
    other, seat = sit(attempt), sit(attempt)
    await other.sit()
    moved = await other.move("d")
    seat.view, seat.n = page["view"], page["n"]
    assert await seat.sit(have=page["n"]) == moved
    assert (await seat.hear())["type"] == "resumed"
    assert seat.view == other.view


def test_a_finished_table_is_shown_as_it_ended(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    close_attempt(attempt.pk, "resigned")
    page = opening(mine, attempt)
    assert (page["state"], page["legal"]) == ("pending", [])
    assert opening(mine, attempt)["ms"] == page["ms"]


def test_only_the_player_gets_an_uncached_page(mine: Client, rival: Any, attempt_at: Play) -> None:
    address = f"/table/{attempt_at().public_id}/"
    assert {"no-store", "private"} <= set(mine.get(address)["Cache-Control"].split(", "))
    for visitor in (Client(), signed_in(rival)):
        answer = visitor.get(address)
        assert (answer.status_code, b"opening" in answer.content) == (403, False)


def test_it_opens_no_live_table_and_needs_few_queries(
    mine: Client, player: Any, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = start_attempt(player, publishing.practice_deal("stonewall"))
    monkeypatch.setattr(table_registry, "LiveTable", None)
    with django_assert_max_num_queries(MOST_QUERIES):
        opening(mine, attempt)
