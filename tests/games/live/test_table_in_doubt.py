"""Tables in doubt decide nothing, and messages that arrive out of order are sent in order."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest
from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from games.attempts import lifecycle as attempts
from games.attempts.lifecycle import close_attempt, record_of
from games.core import events
from games.live import live_table, loader
from games.live.journal import JournalBusyError
from games.live.sockets import base_consumer
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


async def busy(*_: Any) -> bool:
    raise JournalBusyError("the database could not be reached")


async def test_a_win_whose_commit_failed_does_not_count(
    nearly_won: Attempt, sit: Sit, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next ping must not close the game, in particular not with its deadline as the time."""
    seat = await sit(nearly_won).opened()
    with monkeypatch.context() as patch:
        patch.setattr(tables.journal, "append", busy)
        assert (await seat.move(WON[-1]))["code"] == "server_busy"
    assert (await seat.ask(PING))["type"] == "pong"
    assert await seat.is_silent()
    assert (await Attempt.objects.aget(pk=nearly_won.pk)).state == "playing"
    assert (await seat.move(WON[-1]))["n"] == len(WON)
    assert (await seat.hear())["how"] == "won"
    closed = await Attempt.objects.aget(pk=nearly_won.pk)
    assert closed.finished_at is not None
    assert (closed.end, closed.finished_at < timezone.now()) == ("won", True)


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
    tell, held = events.notify_attempt, Mock()
    with monkeypatch.context() as patch:
        patch.setattr(events, "notify_attempt", held)
        await sync_to_async(close_attempt)(attempt.pk, "resigned")
    await Attempt.objects.filter(pk=attempt.pk).aupdate(state="verified", cards_up=3)
    tell(attempt.public_id, "verdict", state="verified", reasons=[], rank=7, cards_up=3)
    assert (await seat.hear())["type"] == "ended"
    verdict = await seat.hear()
    assert (verdict["type"], verdict["state"], verdict["rank"]) == ("verdict", "verified", 7)
    (what,) = held.call_args_list
    tell(*what.args, **what.kwargs)
    await asyncio.to_thread(events.notifier.flush)
    assert await seat.is_silent()


async def test_the_next_ping_sends_a_verdict_that_failed_to_load(
    seated: Seated, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt, seat = await seated()
    tell = events.notify_attempt
    with monkeypatch.context() as patch:
        patch.setattr(events, "notify_attempt", Mock())
        await sync_to_async(close_attempt)(attempt.pk, "resigned")
        await Attempt.objects.filter(pk=attempt.pk).aupdate(state="verified", cards_up=3)
        patch.setattr(live_table, "load", Mock(side_effect=OperationalError))
        tell(attempt.public_id, "verdict", state="verified", reasons=[], rank=7, cards_up=3)
        while not tables._tables[attempt.public_id].is_doubtful or tables._under_way:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    assert (await seat.ask(PING))["type"] == "pong"
    assert [(await seat.hear())["type"] for _ in range(2)] == ["ended", "verdict"]


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
async def test_a_failed_session_check_keeps_the_connection(
    error: type[Exception], seated: Seated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The move is refused, and the next one succeeds once the database is back."""
    _, seat = await seated()
    with monkeypatch.context() as patch:
        patch.setattr(base_consumer, "SESSION_GOOD_FOR", -1.0)
        patch.setattr(base_consumer, "user_of", Mock(side_effect=error))
        assert (await seat.move("d"))["code"] == "server_busy"
    assert (await seat.move("d"))["n"] == 1


async def test_a_player_deleted_at_the_table(seated: Seated) -> None:
    attempt, seat = await seated()
    await sync_to_async(attempt.player.delete)()
    assert (await seat.ask({"type": "resign", "n": 1}))["code"] == "not_found"
