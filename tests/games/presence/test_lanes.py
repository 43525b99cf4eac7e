"""Lanes of a daily deal: who has one, what it shows, and who may watch."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from games.attempts.lifecycle import start_attempt
from games.live.protocol import CLOSE_RATE
from games.live.sockets.frame_socket import CLOSE_NOT_FOUND, CLOSE_TALKING
from games.models import Deal, Presence
from games.presence import consumer, daily_lanes
from games.presence.heartbeat import GOOD_FOR, Reporter
from tests.deals import make_deal
from tests.games.conftest import Sit
from tests.players import account

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 30.0


def told(deal: Deal) -> dict[str, Any]:
    """Return the message that watchers of the deal get now."""
    cache.clear()
    frame = daily_lanes.frame_of(deal.pk)
    assert frame is not None
    found: dict[str, Any] = json.loads(frame)
    return found


class Line:
    """A connection to the socket."""

    def __init__(self, deal_id: int) -> None:
        scope = {"type": "websocket", "url_route": {"kwargs": {"deal": deal_id}}}
        self.line = ApplicationCommunicator(consumer.watch, scope)

    async def open(self) -> None:
        await self.line.send_input({"type": "websocket.connect"})
        assert (await self.line.receive_output(PATIENCE))["type"] == "websocket.accept"

    async def say(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        await self.line.send_input({"type": "websocket.receive", "text": text})

    async def hear(self) -> Any:
        """Return the next message, or the code of the close."""
        output = await self.line.receive_output(PATIENCE)
        return output["code"] if output["type"] == "websocket.close" else json.loads(output["text"])

    async def closing_code(self) -> int:
        while not isinstance(code := await self.hear(), int):
            pass
        return code

    async def close(self) -> None:
        if not self.line.future.done():
            await self.line.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.line.wait(PATIENCE)


Watch = Callable[[int], Awaitable[Line]]


@pytest_asyncio.fixture
async def watch() -> AsyncIterator[Watch]:
    opened: list[Line] = []

    async def open_line(deal_id: int) -> Line:
        opened.append(Line(deal_id))
        await opened[-1].open()
        return opened[-1]

    yield open_line
    for line in opened:
        await line.close()


def report(process: str, cards_up: dict[int, int], age: int = 0) -> None:
    """Write the report of a process, `age` seconds ago, about the players at today's Plot."""
    now = timezone.now()
    seats = {"plot": {"now": len(cards_up), "accounts": list(cards_up), "cards_up": list(cards_up.values())}}
    seen_at = now - timedelta(seconds=age)
    Presence.objects.create(process=process, seen_at=seen_at, day=now.date(), players=len(cards_up), tables=seats)


async def test_accounts_have_lanes_and_others_are_only_counted(player: User, sit: Sit, tables: Any) -> None:
    def begin() -> tuple[Deal, list[Any], User]:
        shown, hidden = account("Ada"), account("Bea", preferences={"hide_presence": True})
        deal = make_deal("labyrinth")
        return deal, [start_attempt(each, deal) for each in (shown, hidden, player)], shown

    deal, attempts, shown = await sync_to_async(begin)()
    for attempt in attempts:
        await sit(attempt, user=await sync_to_async(lambda one: one.player)(attempt)).sit()
    await Reporter(tables).report()
    found = await sync_to_async(told)(deal)
    assert found == {"type": "lanes", "players": 3, "lanes": [[str(shown.public_id), "Ada", 4]]}


async def test_a_lane_reveals_only_the_cards_up(player: User, sit: Sit, tables: Any) -> None:
    """No frame contains a token, a card, the seed or the attempt."""
    deal, attempt = await sync_to_async(lambda: (deal := make_deal("labyrinth"), start_attempt(account("Ada"), deal)))()
    seat = sit(attempt, user=await sync_to_async(lambda: attempt.player)())
    await seat.sit()
    moved = await seat.move(seat.legal[0])
    await Reporter(tables).report()
    frame = json.dumps(await sync_to_async(told)(deal))
    cards = {card for pile in seat.view["piles"].values() for card in pile if card}
    kept = {f'"{moved["token"]}"', bytes(deal.seed).hex(), str(attempt.public_id), *(f'"{card}"' for card in cards)}
    assert not [secret for secret in kept if secret in frame]
    row = await Presence.objects.aget()
    assert set(row.tables["labyrinth"]) == {"now", "accounts", "cards_up"}


def test_processes_are_summed_and_silent_ones_dropped() -> None:
    ada, bea = account("Ada"), account("Bea")
    deal = make_deal("plot")
    report("a", {ada.pk: 3})
    report("b", {bea.pk: 9})
    report("c", {bea.pk: 30}, age=GOOD_FOR.seconds + 1)
    found = told(deal)
    assert found["players"] == 2
    assert [lane[1:] for lane in found["lanes"]] == [["Bea", 9], ["Ada", 3]]


def test_an_earlier_releases_row_counts_without_lanes() -> None:
    deal, now = make_deal("plot"), timezone.now()
    seats = {"plot": {"now": 2, "accounts": [account("Ada").pk]}}
    Presence.objects.create(process="a", seen_at=now, day=now.date(), players=2, tables=seats)
    assert told(deal) == {"type": "lanes", "players": 2, "lanes": []}


def test_the_number_of_lanes_is_limited() -> None:
    deal = make_deal("plot")
    report("a", {account(f"Player {n}").pk: n for n in range(daily_lanes.MAX_LANES + 3)})
    found = told(deal)
    assert (found["players"], len(found["lanes"])) == (daily_lanes.MAX_LANES + 3, daily_lanes.MAX_LANES)
    assert found["lanes"][0][2] == daily_lanes.MAX_LANES + 2


def closed_deal() -> Deal:
    return make_deal("plot", day=timezone.now().date() - timedelta(days=1))


def coming_deal() -> Deal:
    return make_deal("plot", day=timezone.now().date() + timedelta(days=1))


def race_deal() -> Deal:
    deal = make_deal("plot")
    Deal.objects.filter(pk=deal.pk).update(day=None, closes_at=None, for_race=True)
    return deal


@pytest.mark.parametrize("make", [closed_deal, coming_deal, race_deal])
async def test_only_todays_deals_can_be_watched(make: Any, watch: Watch) -> None:
    deal = await sync_to_async(make)()
    assert await sync_to_async(daily_lanes.frame_of)(deal.pk) is None
    for number in (deal.pk, 2**70):
        line = await watch(number)
        assert await line.hear() == CLOSE_NOT_FOUND


async def test_a_watcher_is_shown_the_lanes_and_what_changes(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_lanes, "PERIOD", 0.05)

    def begin() -> tuple[Deal, User]:
        return make_deal("plot"), account("Ada")

    deal, ada = await sync_to_async(begin)()
    line = await watch(deal.pk)
    await line.say({"type": "hello", "v": 1})
    assert await line.hear() == {"type": "lanes", "players": 0, "lanes": []}
    await sync_to_async(report)("a", {ada.pk: 7})
    cache.clear()
    assert await line.hear() == {"type": "lanes", "players": 1, "lanes": [[str(ada.public_id), "Ada", 7]]}
    await line.say({"type": "ping", "t": 5})
    assert await line.hear() == {"type": "pong", "t": 5}  # nothing is sent twice
    await line.close()
    assert deal.pk not in daily_lanes.hub()._watches


@pytest.mark.parametrize("text", ["", "[]", '{"type": "move"}', "x" * 300, '{"type": "ping", "t": "\\ud800"}'])
async def test_a_watcher_who_sends_other_messages_is_closed(text: str, watch: Watch) -> None:
    deal = await sync_to_async(make_deal)("plot")
    line = await watch(deal.pk)
    await line.say(text)
    assert await line.closing_code() == CLOSE_TALKING


async def test_a_flooding_watcher_is_closed(watch: Watch) -> None:
    deal = await sync_to_async(make_deal)("plot")
    line = await watch(deal.pk)
    for n in range(consumer.MAX_MESSAGES + 2):
        await line.say({"type": "ping", "t": n})
    assert await line.closing_code() == CLOSE_RATE
