"""Presence: the reports of processes, and the summary on the home page."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.attempts.lifecycle import close_attempt, start_attempt
from games.live import live_table
from games.live.table_registry import LiveTables, shared_tables
from games.models import Attempt, Presence
from games.presence import heartbeat, summary
from games.presence.heartbeat import GOOD_FOR, Reporter, seats_at
from tests.deals import make_deal
from tests.games.conftest import Play, Sit
from tests.players import account

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
    """Report, and return the summary for the home page."""
    await reporter.report()
    return await sync_to_async(summary.read)(timezone.now())


async def test_players_at_todays_deals_are_counted(attempt_at: Play, sit: Sit, reporter: Reporter) -> None:
    attempt = await sync_to_async(attempt_at)()
    seat, second_tab = sit(attempt), sit(attempt)
    await seat.sit()
    await second_tab.sit()
    found = await report(reporter)
    assert found == {"players": 1, "names": [], "deals": {"plot": {"now": 1, "begun": 1, "names": []}}}
    await seat.leave()
    await second_tab.leave()
    found = await report(reporter)
    assert (found["players"], found["deals"]["plot"]) == (0, {"now": 0, "begun": 1, "names": []})
    assert not await Presence.objects.aexists()


async def test_processes_are_summed(
    sit: Sit, reporter: Reporter, other_tables: LiveTables, other_reporter: Reporter, rival: User
) -> None:
    ariadne, minos = await sync_to_async(account)("Ariadne"), await sync_to_async(account)("Minos")
    first, second, third = await sync_to_async(begun_by)(ariadne, minos, rival)
    await sit(first).sit()
    await sit(second, at=other_tables).sit()
    await sit(third, at=other_tables).sit()
    await other_reporter.report()
    found = await report(reporter)
    assert found["players"] == 3
    assert found["deals"]["plot"] == {"now": 3, "begun": 3, "names": found["deals"]["plot"]["names"]}
    assert sorted(found["deals"]["plot"]["names"]) == ["Ariadne", "Minos"]
    assert {(one["name"], one["player"]) for one in found["names"]} == {
        ("Ariadne", str(ariadne.public_id)),
        ("Minos", str(minos.public_id)),
    }


@pytest.mark.parametrize(
    "change", [{"banned_at": timezone.now()}, {"deleted_at": timezone.now()}, {"preferences": {"hide_presence": True}}]
)
async def test_banned_and_hidden_players_are_counted_but_not_named(
    change: dict[str, Any], sit: Sit, reporter: Reporter
) -> None:
    player = await sync_to_async(account)("Ariadne")
    (attempt,) = await sync_to_async(begun_by)(player)
    await sit(attempt).sit()
    assert [one["name"] for one in (await report(reporter))["names"]] == ["Ariadne"]
    await User.objects.filter(pk=player.pk).aupdate(**change)
    found = await report(reporter)
    assert (found["players"], found["names"], found["deals"]["plot"]["names"]) == (1, [], [])


async def test_finished_games_and_forgotten_tabs_do_not_count(
    attempt_at: Play, sit: Sit, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = await sync_to_async(attempt_at)()
    seat = sit(attempt)
    await seat.sit()
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


async def test_a_move_writes_nothing_about_presence(attempt_at: Play, sit: Sit, tables: LiveTables) -> None:
    attempt = await sync_to_async(attempt_at)()
    seat = sit(attempt)
    await seat.sit()
    assert (await seat.move("d"))["type"] == "moved"
    assert not await Presence.objects.aexists()


def table_of(player_id: int) -> Any:
    """Return what the report reads of a table."""
    deal = SimpleNamespace(day=timezone.now().date().isoformat(), variant="plot")
    facts = SimpleNamespace(player_id=player_id, deal=deal, table=SimpleNamespace(cards_up=4))
    return SimpleNamespace(game=SimpleNamespace(facts=facts))


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


def test_the_last_summary_is_served_during_an_outage(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    begun_by(account("Ariadne"))
    before = client.get("/playing.json").json()

    def fail(_now: Any) -> summary.Playing:
        raise OperationalError

    monkeypatch.setattr(summary, "read", fail)
    assert before["deals"]["plot"]["begun"] == 1
    assert client.get("/playing.json").json() == before


def test_home_shows_who_is_playing(client: Client) -> None:
    begun_by(account("Ariadne"))
    player = User.objects.get(username="Ariadne")
    Presence.objects.create(
        process="p",
        seen_at=timezone.now(),
        day=timezone.now().date(),
        players=1,
        tables={"plot": {"now": 1, "accounts": [player.pk]}},
    )
    page = client.get("/")
    assert page.context["playing"]["deals"]["plot"] == {"now": 1, "begun": 1, "names": ["Ariadne"]}
    assert str(player.public_id) in page.content.decode()
