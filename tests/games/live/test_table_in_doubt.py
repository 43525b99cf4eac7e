"""Tables in doubt decide nothing, and messages that arrive out of order are sent in order."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest
from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError

from games.attempts import lifecycle as attempts
from games.attempts.lifecycle import close_attempt, record_of
from games.core import events
from games.live import live_table, loader
from games.live.table_registry import LiveTables
from games.models import Attempt, Move
from tests.games.conftest import Seated, Sit
from tests.games.labyrinths import easy_labyrinth

pytestmark = pytest.mark.django_db(transaction=True)
WON = easy_labyrinth()[1]
PING = {"type": "ping", "t": 1}


@pytest.fixture
def nearly_won(attempt_at: Any, monkeypatch: pytest.MonkeyPatch) -> Attempt:
    monkeypatch.setattr(events, "request_verdict", Mock())
    for module in (attempts, loader):
        monkeypatch.setattr(module, "deal_table", lambda _: easy_labyrinth()[0])
    attempt: Attempt = attempt_at("labyrinth")
    Move.objects.bulk_create(Move(attempt=attempt, n=n, token=token, ms=n) for n, token in enumerate(WON[:-1], 1))
    return attempt


async def test_a_win_stands_although_its_close_failed(
    nearly_won: Attempt, sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> Any:
        raise InterfaceError("gone")

    seat = await sit(nearly_won).opened()
    with monkeypatch.context() as patch:
        patch.setattr(live_table, "close_attempt", away)
        assert (await seat.move(WON[-1]))["type"] == "moved"
        assert await seat.is_silent()
        assert (await seat.move("u"))["code"] == "server_busy"
    assert (await seat.move("u"))["how"] == "won"
    assert (await seat.hear())["code"] == "closed"
    record = record_of(await Attempt.objects.aget(pk=nearly_won.pk))
    assert (list(record.tokens), record.end.how) == (WON, "won")


async def test_another_processs_moves_come_before_the_end(
    seated: Seated, sit: Sit, tables: LiveTables, other_tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No notice arrives, so this process finds out by closing the attempt."""
    monkeypatch.setattr(events, "notify_attempt", Mock())
    attempt, here = await seated("braid")
    there = await sit(attempt, at=other_tables).opened()
    await there.move("d")
    table = tables._tables[attempt.public_id]
    table.attempt.deadline_ms = 0
    assert (await here.ask(PING))["type"] == "pong"
    assert [(await here.hear())["type"] for _ in range(2)] == ["moved", "ended"]
    assert here.n == 1


async def test_an_early_verdict_is_sent_after_the_end(seated: Seated, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker may be faster than the notice that the attempt is closed."""
    attempt, seat = await seated()
    notify, withheld = events.notify_attempt, Mock()
    with monkeypatch.context() as patch:
        patch.setattr(events, "notify_attempt", withheld)
        await sync_to_async(close_attempt)(attempt.pk, "resigned")
    await Attempt.objects.filter(pk=attempt.pk).aupdate(state="verified", cards_up=3)
    notify(attempt.public_id, "verdict", state="verified", reasons=[], rank=7, cards_up=3)
    assert (await seat.hear())["type"] == "ended"
    verdict = await seat.hear()
    assert (verdict["type"], verdict["state"], verdict["rank"]) == ("verdict", "verified", 7)
    (call,) = withheld.call_args_list
    notify(*call.args, **call.kwargs)
    await asyncio.to_thread(events.notifier.flush)
    assert await seat.is_silent()


async def test_the_next_ping_sends_a_verdict_that_failed_to_load(
    seated: Seated, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt, seat = await seated()
    notify = events.notify_attempt
    with monkeypatch.context() as patch:
        patch.setattr(events, "notify_attempt", Mock())
        await sync_to_async(close_attempt)(attempt.pk, "resigned")
        await Attempt.objects.filter(pk=attempt.pk).aupdate(state="verified", cards_up=3)
        patch.setattr(live_table, "load", Mock(side_effect=OperationalError))
        notify(attempt.public_id, "verdict", state="verified", reasons=[], rank=7, cards_up=3)
        while not tables._tables[attempt.public_id].is_doubtful or tables._under_way:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    assert (await seat.ask(PING))["type"] == "pong"
    assert [(await seat.hear())["type"] for _ in range(2)] == ["ended", "verdict"]


async def test_a_player_deleted_at_the_table(seated: Seated) -> None:
    attempt, seat = await seated()
    await sync_to_async(attempt.player.delete)()
    assert (await seat.ask({"type": "resign", "n": 1}))["code"] == "not_found"


async def test_a_table_joined_again_while_it_is_left_hears_of_others(
    seated: Seated, sit: Sit, tables: LiveTables, other_tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt, first = await seated("braid")
    leaving, may_leave = asyncio.Event(), asyncio.Event()
    unwatch = tables.notices.unwatch

    async def slow(group: str) -> None:
        leaving.set()
        await may_leave.wait()
        await unwatch(group)

    with monkeypatch.context() as patch:
        patch.setattr(tables.notices, "unwatch", slow)
        left = asyncio.create_task(first.leave())
        await leaving.wait()
        again = await sit(attempt).opened()
        may_leave.set()
        await left
    there = await sit(attempt, at=other_tables).opened()
    await there.move("d")
    assert (await again.hear())["n"] == 1


async def test_a_move_before_another_process_has_answered_reaches_it(
    seated: Seated, sit: Sit, tables: LiveTables, other_tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt, here = await seated("braid")
    with monkeypatch.context() as patch:
        patch.setattr(tables, "_announce_open", lambda *_: None)
        there = await sit(attempt, at=other_tables).opened()
        await there.move("d")
    answer = {"type": "attempt.here", "attempt": str(attempt.public_id), "process": tables.process, "n": 0}
    other_tables._on_notice(answer)
    assert (await here.hear())["n"] == 1
