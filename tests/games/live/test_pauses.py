"""Pauses in practice games: the clock stops for all tabs and processes, moves are refused, results exclude pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import IntegrityError, transaction
from django.utils import timezone

from games.attempts.lifecycle import close_attempt, record_of, restart_practice, start_attempt
from games.attempts.pausing import pause_attempt
from games.attempts.verification import judge
from games.core import events
from games.deals import publishing
from games.live.table_registry import LiveTables, has_active_games, shared_tables
from games.models import Attempt, Deal, Move
from tests.factories import signed_in, won_records
from tests.games.conftest import Play, Seated, Sit

pytestmark = pytest.mark.django_db(transaction=True)

PAUSE = {"type": "pause"}
RESUME = {"type": "resume"}
Clock = Callable[[int], None]


@pytest.fixture
def practice(player: Any) -> Attempt:
    attempt = start_attempt(player, publishing.practice_deal("plot"))
    Attempt.objects.filter(pk=attempt.pk).update(started_at=timezone.now().replace(microsecond=0))
    return Attempt.objects.select_related("player", "deal").get(pk=attempt.pk)


@pytest.fixture
def at(practice: Attempt, monkeypatch: pytest.MonkeyPatch) -> Clock:
    start = int(practice.started_at.timestamp() * 1000)

    def turn(ms: int) -> None:
        monkeypatch.setattr("games.live.attempt_state.now_ms", lambda: start + ms)

    turn(0)
    return turn


def clock(ms: int, *, paused: bool) -> dict[str, Any]:
    return {"type": "clock", "ms": ms, "paused": paused}


async def test_a_pause_counts_neither_on_clocks_nor_in_results(practice: Attempt, sit: Sit, at: Clock) -> None:
    seat = sit(practice)
    assert (await seat.sit())["paused"] is False
    at(1_000)
    assert (await seat.move("d"))["ms"] == 1_000
    at(2_000)
    assert await seat.ask(PAUSE) == clock(2_000, paused=True)
    at(50_000)
    assert (await seat.ask({"type": "ping", "t": 1}))["ms"] == 2_000
    assert await seat.ask(PAUSE) == clock(2_000, paused=True)  # a second pause message does not restart it
    at(100_000)
    assert await seat.ask(RESUME) == clock(2_000, paused=False)
    assert await seat.ask(RESUME) == clock(2_000, paused=False)
    at(101_000)
    assert (await seat.move("d"))["ms"] == 3_000
    await seat.ask(PAUSE)
    at(200_000)
    await seat.ask(RESUME)
    at(201_000)
    ended = await seat.ask({"type": "resign", "n": 3})
    assert (ended["type"], ended["ms"]) == ("ended", 4_000)
    over = await Attempt.objects.select_related("deal").aget(pk=practice.pk)
    record = record_of(over)
    assert (record.clock, record.end.ms) == ((1_000, 3_000), 4_000)
    assert over.finished_at is not None
    assert abs(over.finished_at - practice.started_at - timedelta(seconds=201)) < timedelta(milliseconds=2)
    judgement = await sync_to_async(judge)(over)
    assert judgement.replay is not None
    assert (judgement.state, judgement.replay.elapsed_ms) == ("verified", 4_000)
    again = await sit(practice).sit()
    assert (again["ms"], again["paused"]) == (4_000, False)


async def test_moves_are_refused_during_a_pause(practice: Attempt, sit: Sit) -> None:
    seat = await sit(practice).opened()
    await seat.move("d")
    await seat.ask(PAUSE)
    for kind in ("move", "auto", "rewind", "resign"):
        error = await seat.ask({"type": kind, "n": 2} | ({"token": "d"} if kind == "move" else {}))
        assert (error["type"], error["code"], error["n"]) == ("error", "paused", 1), kind
    assert (await seat.ask({"type": "why", "pile": "s"}))["type"] == "because"
    await seat.ask(RESUME)
    assert (await seat.move("d"))["n"] == 2  # the number was not used up


async def test_a_pause_survives_process_and_page(
    practice: Attempt, sit: Sit, other_tables: LiveTables, at: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = await sit(practice).opened()
    await seat.move("d")
    at(5_000)
    await seat.ask(PAUSE)
    monkeypatch.setattr(events, "notify_attempt", lambda *_, **__: None)  # the process dies, so it sends no notices
    at(900_000)
    client = await sync_to_async(signed_in)(practice.player)
    page = await sync_to_async(client.get)(f"/table/{practice.public_id}/")
    assert {name: page.context["opening"][name] for name in ("ms", "paused")} == {"ms": 5_000, "paused": True}
    reloaded = sit(practice, at=other_tables)
    view = await reloaded.sit()
    assert (view["n"], view["ms"], view["paused"]) == (1, 5_000, True)
    assert (await reloaded.move("d"))["code"] == "paused"
    assert await reloaded.ask(RESUME) == clock(5_000, paused=False)
    at(901_000)
    assert (await reloaded.move("d"))["ms"] == 6_000


@pytest.mark.parametrize("other_process", [False, True])
async def test_a_second_tab_sees_it(
    practice: Attempt, sit: Sit, tables: LiveTables, other_tables: LiveTables, at: Clock, *, other_process: bool
) -> None:
    here = await sit(practice).opened()
    there = await sit(practice, at=other_tables if other_process else tables).opened()
    at(1_000)
    await here.ask(PAUSE)
    assert await there.hear() == clock(1_000, paused=True)
    resumed = await there.ask({"type": "hello", "v": 1, "have": 0})
    assert (resumed["type"], resumed["ms"], resumed["paused"]) == ("resumed", 1_000, True)
    at(9_000)
    assert await there.ask(RESUME) == clock(1_000, paused=False)
    assert await here.hear() == clock(1_000, paused=False)


async def test_a_process_unaware_of_a_pause_refuses_moves(
    practice: Attempt, sit: Sit, other_tables: LiveTables, at: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "notify_attempt", lambda *_, **__: None)
    here = await sit(practice).opened()
    there = await sit(practice, at=other_tables).opened()
    at(1_000)
    await here.ask(PAUSE)
    at(2_000)
    assert (await there.move("d"))["type"] == "clock"
    assert (await there.hear())["code"] == "paused"
    at(61_000)
    await here.ask(RESUME)
    assert await there.ask({"type": "move", "n": 1, "token": "d"}) == clock(1_000, paused=False)
    assert (await there.hear())["ms"] == 1_000  # the move is made: there is no pause in the database
    assert await here.ask(PAUSE) == clock(1_000, paused=True)
    at(121_000)
    await here.ask(RESUME)
    assert await there.ask({"type": "move", "n": 2, "token": "d"}) == clock(1_000, paused=False)
    assert (await there.hear())["code"] == "server_busy"  # by its clock, it is a minute later
    assert (await there.move("d"))["ms"] == 1_000


@pytest.mark.parametrize("what", ["daily", "race", "taken over"])
async def test_games_that_count_for_others_cannot_pause(attempt_at: Play, sit: Sit, what: str) -> None:
    attempt = await sync_to_async(attempt_at)(ranked=what == "daily")
    await Deal.objects.filter(pk=attempt.deal_id).aupdate(for_race=what == "race")
    seat = await sit(attempt).opened()
    for message in (PAUSE, RESUME):
        error = await seat.ask(message)
        assert (error["type"], error["code"]) == ("error", "no_pause")
    assert (await seat.move("d"))["type"] == "moved"
    assert not await Attempt.objects.filter(paused_at__isnull=False).aexists()


def test_the_database_refuses_such_pauses_too(attempt_at: Play) -> None:
    attempt = attempt_at()
    with pytest.raises(IntegrityError), transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(paused_at=timezone.now())


async def test_a_finished_game_cannot_be_paused(practice: Attempt, sit: Sit) -> None:
    seat = await sit(practice).opened()
    await sync_to_async(close_attempt)(practice.pk, "closed")
    assert (await seat.ask(PAUSE))["type"] == "ended"
    assert (await seat.hear())["code"] == "closed"
    assert (await seat.ask(RESUME))["code"] == "closed"


async def test_no_one_plays_at_a_paused_table(
    practice: Attempt, sit: Sit, tables: LiveTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(shared_tables, asyncio.get_running_loop(), tables)
    seat = await sit(practice).opened()
    assert list(tables.attended())
    assert has_active_games()
    await seat.ask(PAUSE)
    assert not list(tables.attended())
    assert not has_active_games()


def test_restarting_closes_a_paused_game_at_its_paused_time(practice: Attempt, player: Any) -> None:
    Attempt.objects.filter(pk=practice.pk).update(started_at=timezone.now() - timedelta(hours=1))
    paused_at = Attempt.objects.get(pk=practice.pk).started_at + timedelta(seconds=70)
    pause_attempt(practice.pk, paused_at)
    Move.objects.create(attempt=practice, n=1, token="d", ms=900)
    restart_practice(player, practice.deal)
    over = Attempt.objects.get(pk=practice.pk)
    assert (over.end, over.paused_at) == ("closed", None)
    assert record_of(over).end.ms == pytest.approx(70_000, abs=1)  # a pause loses a fraction of a millisecond
    assert over.finished_at is not None
    assert timezone.now() - over.finished_at < timedelta(minutes=5)


async def test_moves_made_without_a_network_come_together(seated: Seated) -> None:
    record = won_records("stonewall")[0]
    attempt, seat = await seated("stonewall", record.seed, ranked=False, deadline=None)
    tokens = [record.tokens[0], "u", *record.tokens]
    refused = await seat.ask({"type": "moves", "n": 1, "tokens": [*tokens[:3], "t0-f"]})
    assert refused["code"] == "illegal_move"
    view = await seat.ask({"type": "moves", "n": 1, "tokens": tokens[:5]})
    assert (view["type"], view["n"]) == ("view", 5)
    assert (await seat.ask({"type": "moves", "n": 1, "tokens": tokens[:5]}))["code"] == "stale"
    view = await seat.ask({"type": "moves", "n": 6, "tokens": tokens[5:]})
    assert view["view"]["won"]
    stored = await Attempt.objects.select_related("deal").aget(pk=attempt.pk)
    assert (stored.end, await sync_to_async(lambda: record_of(stored).tokens)()) == ("won", tuple(tokens))


async def test_a_ranked_game_takes_one_move_at_a_time(seated: Seated) -> None:
    attempt, seat = await seated("stonewall", ranked=True)
    error = await seat.ask({"type": "moves", "n": 1, "tokens": ["u"]})
    assert (error["code"], await Move.objects.filter(attempt=attempt).acount()) == ("bad_frame", 0)
