"""Presence: the reports of processes, the summary on the home page, and the lanes of a daily deal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.attempts.lifecycle import close_attempt, start_attempt
from games.live import live_table
from games.live.protocol import CLOSE_RATE
from games.live.sockets.frame_socket import BURST, CLOSE_NOT_FOUND
from games.live.table_registry import LiveTables, shared_tables
from games.models import Attempt, Deal, Presence
from games.presence import daily_lanes, heartbeat, lanes_consumer, summary
from games.presence.heartbeat import GOOD_FOR, Reporter, seats_at
from tests.factories import make_account, make_deal
from tests.games.conftest import Play, Seated, Sit
from tests.games.seats import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)


def begun_by(*players: User) -> list[Attempt]:
    deal = make_deal("plot")
    return [start_attempt(player, deal) for player in players]


@pytest.fixture
def reporter(tables: LiveTables) -> Reporter:
    return Reporter(tables)


@pytest.fixture
def other_reporter(other_tables: LiveTables) -> Reporter:
    return Reporter(other_tables)


async def report(reporter: Reporter) -> Any:
    await reporter.report()
    return await sync_to_async(summary.read)(timezone.now())


async def test_players_at_todays_deals_are_counted(seated: Seated, sit: Sit, reporter: Reporter) -> None:
    attempt, seat = await seated()
    second_tab = await sit(attempt).opened()
    found = await report(reporter)
    assert found == {"players": 1, "names": [], "deals": {"plot": {"now": 1, "begun": 1}}}
    await seat.leave()
    await second_tab.leave()
    found = await report(reporter)
    assert (found["players"], found["deals"]["plot"]) == (0, {"now": 0, "begun": 1})
    assert not await Presence.objects.aexists()


async def test_processes_are_summed(
    sit: Sit, reporter: Reporter, other_tables: LiveTables, other_reporter: Reporter, rival: User
) -> None:
    ariadne, minos = await sync_to_async(make_account)("Ariadne"), await sync_to_async(make_account)("Minos")
    first, second, third = await sync_to_async(begun_by)(ariadne, minos, rival)
    await sit(first).sit()
    await sit(second, at=other_tables).sit()
    await sit(third, at=other_tables).sit()
    await other_reporter.report()
    found = await report(reporter)
    assert found["players"] == 3
    assert found["deals"]["plot"] == {"now": 3, "begun": 3}
    assert {(one["name"], one["player"]) for one in found["names"]} == {
        ("Ariadne", str(ariadne.public_id)),
        ("Minos", str(minos.public_id)),
    }


async def test_banned_and_hidden_players_are_counted_but_not_named(sit: Sit, reporter: Reporter) -> None:
    player = await sync_to_async(make_account)("Ariadne")
    (attempt,) = await sync_to_async(begun_by)(player)
    await sit(attempt).sit()
    assert [one["name"] for one in (await report(reporter))["names"]] == ["Ariadne"]
    usual: dict[str, Any] = {"banned_at": None, "deleted_at": None, "preferences": {}}
    hidden = {"banned_at": timezone.now(), "deleted_at": timezone.now(), "preferences": {"hide_presence": True}}
    for name, value in hidden.items():
        await User.objects.filter(pk=player.pk).aupdate(**usual | {name: value})
        found = await report(reporter)
        assert (found["players"], found["names"]) == (1, []), name


async def test_finished_games_and_forgotten_tabs_do_not_count(
    seated: Seated, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt, seat = await seated()
    assert seats_at(tables.attended(), timezone.now()) == {"plot": {attempt.player_id: 1}}
    with monkeypatch.context() as patch:
        patch.setattr(live_table, "ATTENDED_FOR", 0.0)
        assert seats_at(tables.attended(), timezone.now()) == {}
    assert seats_at(tables.attended(), timezone.now() + timedelta(days=1)) == {}
    await sync_to_async(close_attempt)(attempt.pk, "resigned")
    await seat.ask({"type": "hello", "v": 1, "have": 0})
    assert seats_at(tables.attended(), timezone.now()) == {}


async def test_a_dead_process_is_forgotten(
    attempt_at: Play, sit: Sit, reporter: Reporter, other_tables: LiveTables, other_reporter: Reporter
) -> None:
    attempt = await sync_to_async(attempt_at)()
    await sit(attempt).sit()
    await reporter.report()
    now = timezone.now()
    assert (await sync_to_async(summary.read)(now + GOOD_FOR))["players"] == 0
    await Presence.objects.aupdate(seen_at=now - GOOD_FOR * 11)
    await sit(attempt, at=other_tables).sit()
    await other_reporter.report()
    assert [row.process async for row in Presence.objects.all()] == [other_tables.process]


def table_of(player_id: int) -> Any:
    """Return what the report reads of a table."""
    deal = SimpleNamespace(day=timezone.now().date().isoformat(), variant="plot")
    attempt = SimpleNamespace(player_id=player_id, deal=deal, table=SimpleNamespace(cards_up=4))
    return SimpleNamespace(attempt=attempt)


async def test_a_server_reports_players_until_their_tables_close(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: asyncio.Queue[Reporter] = asyncio.Queue()

    async def report(reporter: Reporter) -> None:
        await reports.put(reporter)

    monkeypatch.setattr(heartbeat, "PERIOD", 0.0)
    monkeypatch.setattr(Reporter, "report", report)
    tables = shared_tables()
    reporter = await asyncio.wait_for(reports.get(), 30)
    assert reporter._tables is tables
    await tables.close()
    assert reporter._task is not None
    assert reporter._task.done()


def test_a_report_for_many_takes_no_more_statements(django_assert_max_num_queries: Any) -> None:
    for sitting in (1, 400):
        reporter = Reporter(LiveTables())
        seats = seats_at([table_of(n) for n in range(sitting)], timezone.now())
        with django_assert_max_num_queries(7):  # account names; its own row; old rows; each in a transaction
            reporter._write(seats, timezone.now())
        reporter._has_row = True
        with django_assert_max_num_queries(3):
            reporter._write(seats, timezone.now())


def test_many_pages_share_one_reading(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary.playing, "fresh", 3_600.0)
    numbers = iter(range(9))
    monkeypatch.setattr(summary, "read", lambda _now: {"players": next(numbers), "names": [], "deals": {}})
    for _ in range(3):
        answer = client.get("/playing.json")
    assert answer.json() == {"players": 0, "names": [], "deals": {}}
    assert answer["Cache-Control"] == "max-age=5"


def test_home_shows_who_is_playing(client: Client) -> None:
    begun_by(make_account("Ariadne"))
    player = User.objects.get(username="Ariadne")
    Presence.objects.create(
        process="p",
        seen_at=timezone.now(),
        day=timezone.now().date(),
        players=1,
        tables={"plot": {"now": 1, "accounts": [player.pk]}},
    )
    page = client.get("/")
    assert page.context["playing"]["deals"]["plot"] == {"now": 1, "begun": 1}
    assert str(player.public_id) in page.content.decode()


def shown_lanes(deal: Deal) -> dict[str, Any]:
    """Return the message that watchers of the deal get now."""
    cache.clear()
    frame = daily_lanes.frame_of(deal.pk)
    assert frame is not None
    found: dict[str, Any] = json.loads(frame)
    return found


class Line:
    def __init__(self, deal_id: int) -> None:
        scope = {"type": "websocket", "url_route": {"kwargs": {"deal": deal_id}}}
        self.line = ApplicationCommunicator(lanes_consumer.watch, scope)

    async def open(self) -> None:
        await self.line.send_input({"type": "websocket.connect"})
        assert (await self.line.receive_output(PATIENCE))["type"] == "websocket.accept"

    async def say(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        await self.line.send_input({"type": "websocket.receive", "text": text})

    async def hear(self) -> Any:
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


def report_cards(process: str, cards_up: dict[int, int], age: int = 0) -> None:
    """Write the report of a process, `age` seconds ago, about the players at today's Plot."""
    now = timezone.now()
    seats = {"plot": {"now": len(cards_up), "accounts": list(cards_up), "cards_up": list(cards_up.values())}}
    seen_at = now - timedelta(seconds=age)
    Presence.objects.create(process=process, seen_at=seen_at, day=now.date(), players=len(cards_up), tables=seats)


async def test_accounts_have_lanes_and_others_are_only_counted(player: User, sit: Sit, tables: Any) -> None:
    def begin() -> tuple[Deal, list[Any], User]:
        shown, hidden = make_account("Ada"), make_account("Bea", preferences={"hide_presence": True})
        deal = make_deal("labyrinth")
        return deal, [start_attempt(each, deal) for each in (shown, hidden, player)], shown

    deal, attempts, shown = await sync_to_async(begin)()
    for attempt in attempts:
        await sit(attempt, user=await sync_to_async(lambda one: one.player)(attempt)).sit()
    await Reporter(tables).report()
    found = await sync_to_async(shown_lanes)(deal)
    assert found == {"type": "lanes", "players": 3, "lanes": [[str(shown.public_id), "Ada", 4]]}


async def test_a_lane_reveals_only_the_cards_up(player: User, sit: Sit, tables: Any) -> None:
    """No frame contains a token, a card, the seed or the attempt."""
    deal, attempt = await sync_to_async(
        lambda: (deal := make_deal("labyrinth"), start_attempt(make_account("Ada"), deal))
    )()
    seat = await sit(attempt, user=await sync_to_async(lambda: attempt.player)()).opened()
    moved = await seat.move(seat.legal[0])
    await Reporter(tables).report()
    frame = json.dumps(await sync_to_async(shown_lanes)(deal))
    cards = {card for pile in seat.view["piles"].values() for card in pile if card}
    secrets = {f'"{moved["token"]}"', bytes(deal.seed).hex(), str(attempt.public_id), *(f'"{card}"' for card in cards)}
    assert not [secret for secret in secrets if secret in frame]
    row = await Presence.objects.aget()
    assert set(row.tables["labyrinth"]) == {"now", "accounts", "cards_up"}


def test_processes_are_summed_and_silent_ones_dropped() -> None:
    ada, bea = make_account("Ada"), make_account("Bea")
    deal = make_deal("plot")
    report_cards("a", {ada.pk: 3})
    report_cards("b", {bea.pk: 9})
    report_cards("c", {bea.pk: 30}, age=GOOD_FOR.seconds + 1)
    found = shown_lanes(deal)
    assert found["players"] == 2
    assert [lane[1:] for lane in found["lanes"]] == [["Bea", 9], ["Ada", 3]]


def test_the_number_of_lanes_is_limited() -> None:
    deal = make_deal("plot")
    report_cards("a", {make_account(f"Player {n}").pk: n for n in range(daily_lanes.MAX_LANES + 3)})
    found = shown_lanes(deal)
    assert (found["players"], len(found["lanes"])) == (daily_lanes.MAX_LANES + 3, daily_lanes.MAX_LANES)
    assert found["lanes"][0][2] == daily_lanes.MAX_LANES + 2


def unwatched_deals() -> list[Deal]:
    """Return a closed deal, a coming one, and one of a race."""
    today = timezone.now().date()
    race = make_deal("plot", practice=True, for_race=True)
    return [make_deal("plot", day=today - timedelta(days=1)), make_deal("plot", day=today + timedelta(days=1)), race]


async def test_only_todays_deals_can_be_watched(watch: Watch) -> None:
    for deal in await sync_to_async(unwatched_deals)():
        assert await sync_to_async(daily_lanes.frame_of)(deal.pk) is None
        for number in (deal.pk, 2**70):
            line = await watch(number)
            assert await line.hear() == CLOSE_NOT_FOUND


async def test_a_watcher_is_shown_the_lanes_and_what_changes(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_lanes, "PERIOD", 0.05)

    def begin() -> tuple[Deal, User]:
        return make_deal("plot"), make_account("Ada")

    deal, ada = await sync_to_async(begin)()
    line = await watch(deal.pk)
    await line.say({"type": "hello", "v": 1})
    assert await line.hear() == {"type": "lanes", "players": 0, "lanes": []}
    await sync_to_async(report_cards)("a", {ada.pk: 7})
    cache.clear()
    assert await line.hear() == {"type": "lanes", "players": 1, "lanes": [[str(ada.public_id), "Ada", 7]]}
    await line.say({"type": "ping", "t": 5})
    assert await line.hear() == {"type": "pong", "t": 5}  # nothing is sent twice
    await line.close()
    assert deal.pk not in daily_lanes.hub()._watches


async def test_a_flooding_watcher_is_closed(watch: Watch) -> None:
    deal = await sync_to_async(make_deal)("plot")
    line = await watch(deal.pk)
    for n in range(int(BURST) + 2):
        await line.say({"type": "ping", "t": n})
    assert await line.closing_code() == CLOSE_RATE
