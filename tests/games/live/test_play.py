"""Play over the socket, as the owner sees it move by move."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from games.attempts.lifecycle import close_attempt, journal_of, record_of
from games.core import events
from games.live import attempt_state, live_table, play_consumer, subscribers
from games.live.sockets import base_consumer
from games.live.table_registry import LiveTables
from games.models import Attempt, Move
from games.rules import open_table
from tests.games.conftest import Seated, Sit
from tests.games.seats import Closed

pytestmark = pytest.mark.django_db(transaction=True)
PLAYED = 60


def choose(rng: random.Random, legal: list[str], *, can_undo: bool) -> str:
    if can_undo and (not legal or rng.random() < 0.1):
        return "u"
    up = [token for token in legal if token.endswith("-f")]
    return rng.choice(up) if up and rng.random() < 0.5 else rng.choice(legal)


@pytest.mark.parametrize("variant", ["labyrinth", "tarot"])
async def test_view_and_changes_make_the_next_view(variant: str, attempt_at: Any, sit: Sit, seed: bytes) -> None:
    attempt = await sync_to_async(attempt_at)(variant, seed)
    seat, rng, table = sit(attempt), random.Random(seed), open_table(variant, seed)
    view = await seat.sit()
    assert view["view"] == table.view()
    for number in range(1, PLAYED + 1):
        token = choose(rng, seat.legal, can_undo=seat.view["can_undo"])
        moved = await seat.move(token)
        table.push(token)
        assert (moved["type"], moved["n"], moved["token"]) == ("moved", number, token)
        assert seat.view == table.view()
        assert seat.legal == table.legal_moves()
        assert moved["stuck"] == table.is_stuck
        if not seat.legal and not seat.view["can_undo"]:
            break
    fresh = await sit(attempt).opened()
    assert (fresh.view, fresh.legal, fresh.n) == (seat.view, seat.legal, seat.n)


async def test_the_servers_clock_never_goes_back(attempt_at: Any, sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = await sync_to_async(attempt_at)()
    start = int(attempt.started_at.timestamp() * 1000)
    times = iter([start, start + 5000, start + 3000, start + 7000])
    seat = await sit(attempt).opened()
    monkeypatch.setattr(attempt_state, "now_ms", lambda: next(times))
    assert [(await seat.move("d"))["ms"] for _ in range(4)] == [0, 5000, 5000, 7000]


async def test_invalid_and_illegal_tokens(seated: Seated) -> None:
    _, seat = await seated()
    before = seat.view
    for token, code in (
        ("nonsense", "invalid_token"),
        ("t0-t0", "invalid_token"),
        ("n", "illegal_move"),
        ("u", "illegal_move"),
    ):
        error = await seat.move(token)
        assert (error["type"], error["code"], error["n"]) == ("error", code, 0)
        assert error["data"]["token"] == token
    await seat.move("d")
    assert seat.n == 1
    assert seat.view != before


async def test_a_stale_number_resends_nothing(seated: Seated, sit: Sit) -> None:
    attempt, first = await seated()
    second = await sit(attempt).opened()
    for _ in range(3):
        await first.move("d")
    for _ in range(3):
        assert (await second.hear())["type"] == "moved"  # both tabs follow
    stale = await second.move("d", n=2)
    assert (stale["code"], stale["data"]) == ("stale", {"next": 4})
    assert await second.is_silent()
    assert (await second.move("d"))["n"] == 4


async def test_two_tabs_that_play_the_same_number(seated: Seated, sit: Sit) -> None:
    attempt, first = await seated()
    second = await sit(attempt).opened()
    message = '{"type":"move","n":1,"token":"d"}'
    await first.send(message)
    await second.send(message)
    heard = [[await seat.hear() for _ in range(count)] for seat, count in ((first, 1), (second, 2))]
    assert [m["type"] for m in heard[0]] == ["moved"]
    assert {m["type"] for m in heard[1]} == {"moved", "error"}
    assert len(await sync_to_async(journal_of)(attempt.pk)) == 1


async def test_two_processes(seated: Seated, sit: Sit, other_tables: Any) -> None:
    """Both play the same attempt; each number has one winner, and both processes follow."""
    attempt, here = await seated("braid")
    there = await sit(attempt, at=other_tables).opened()
    await here.move("d")
    assert (await there.hear())["n"] == 1  # notified, as it is known to have the attempt open
    await there.move("d")
    assert (await here.hear())["n"] == 2
    assert here.view == there.view


async def test_a_move_between_reading_and_subscribing(
    seated: Seated, sit: Sit, other_tables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moves played before the other process was known to have the attempt open are sent once it is known."""
    delayed: list[Any] = []
    notify = events.notify_attempt

    def hold(*what: Any, **data: Any) -> None:
        if data.get("process") == other_tables.process:
            delayed.append((what, data))
        else:
            notify(*what, **data)

    with monkeypatch.context() as patch:
        patch.setattr(events, "notify_attempt", hold)
        attempt, here = await seated("braid")
        there = await sit(attempt, at=other_tables).opened()
        await here.move("d")
        await here.move("d")
    for what, data in delayed:
        notify(*what, **data)
    assert [(await there.hear())["n"] for _ in range(2)] == [1, 2]


async def test_a_process_that_missed_every_notice(
    seated: Seated, sit: Sit, other_tables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_tables.notices, "watch", lambda _: _nothing())
    monkeypatch.setattr(events, "notify_attempt", lambda *_, **__: None)
    attempt, here = await seated("braid")
    there = await sit(attempt, at=other_tables).opened()
    await here.move("d")
    await here.move("d")
    # It believes that number 1 is free, and the database corrects it.
    assert (await there.move("d"))["n"] == 1
    assert (await there.hear())["n"] == 2
    assert (await there.hear())["code"] == "stale"
    assert await there.is_silent()
    assert (await there.move("d"))["n"] == 3
    assert there.view["moves"] == 3


async def _nothing() -> None:
    return None


async def test_resuming_sends_missed_moves_or_everything(seated: Seated, sit: Sit) -> None:
    attempt, seat = await seated()
    for _ in range(subscribers.RECENT + 4):
        await seat.move("d")
    near, far = sit(attempt), sit(attempt)
    assert (await near.sit(have=seat.n - 2))["n"] == seat.n - 1
    assert [(await near.hear())["type"] for _ in range(2)] == ["moved", "resumed"]
    assert (await far.sit(have=1))["type"] == "view"
    ahead = sit(attempt)
    assert (await ahead.sit(have=seat.n + 10))["type"] == "view"


async def test_resigning(seated: Seated, sit: Sit) -> None:
    attempt, seat = await seated()
    tab = await sit(attempt).opened()
    await seat.move("d")
    assert (await seat.ask({"type": "resign", "n": 1}))["code"] == "stale"
    ended = await seat.ask({"type": "resign", "n": 2})
    assert (ended["type"], ended["how"], ended["n"], ended["state"]) == ("ended", "resigned", 1, "pending")
    assert (await tab.hear_until("ended"))["how"] == "resigned"
    closed = await seat.move("d")
    assert (closed["code"], closed["data"]) == ("closed", {"state": "pending"})
    record = record_of(await Attempt.objects.aget(pk=attempt.pk))
    assert (record.tokens, record.end.how, record.end.ms) == (("d",), "resigned", ended["ms"])


async def test_the_verdict_is_sent_to_connected_players(seated: Seated, tables: Any) -> None:
    attempt, seat = await seated()
    await seat.ask({"type": "resign", "n": 1})
    events.notify_attempt(attempt.public_id, "verdict", state="verified", reasons=[], cards_up=3)
    verdict = await seat.hear()
    assert (verdict["type"], verdict["state"], verdict["cards_up"]) == ("verdict", "verified", 3)


async def test_the_next_ping_finds_an_unannounced_verdict(seated: Seated, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt, seat = await seated()
    await seat.ask({"type": "resign", "n": 1})
    await Attempt.objects.filter(pk=attempt.pk).aupdate(state="verified", cards_up=1)
    monkeypatch.setattr(live_table, "VERDICT_PATIENCE", -1.0)
    assert (await seat.ask({"type": "ping", "t": 7}))["t"] == 7
    assert (await seat.hear())["type"] == "verdict"


async def test_the_deadline_closes_the_attempt_in_its_last_state(seated: Seated) -> None:
    now = timezone.now()
    _, seat = await seated(started_at=now - timedelta(hours=2), deadline=now - timedelta(hours=1))
    ended = await seat.move("d")
    assert (ended["type"], ended["how"], ended["ms"]) == ("ended", "closed", 3_600_000)
    assert (await seat.hear())["code"] == "closed"


async def test_a_close_by_the_worker_reaches_the_table(seated: Seated) -> None:
    attempt, seat = await seated()
    await seat.move("d")
    await sync_to_async(close_attempt)(attempt.pk, "closed")
    ended = await seat.hear()
    assert (ended["type"], ended["how"], ended["n"]) == ("ended", "closed", 1)


async def test_a_full_record(attempt_at: Any, sit: Sit) -> None:
    attempt = await sync_to_async(attempt_at)()
    rows = [Move(attempt=attempt, n=n, token="d" if n % 2 else "u", ms=n) for n in range(1, 5001)]
    await Move.objects.abulk_create(rows)
    seat = await sit(attempt).opened()
    error = await seat.move("d")
    assert (error["code"], error["n"]) == ("record_full", 5000)
    assert (await seat.ask({"type": "resign", "n": 5001}))["type"] == "ended"


async def test_only_the_owner_plays(attempt_at: Any, sit: Sit, rival: Any, tables: LiveTables) -> None:
    attempt = await sync_to_async(attempt_at)()
    stranger = sit(attempt, user=rival)
    assert (await stranger.sit())["code"] == "not_yours"
    with pytest.raises(Closed, match="4403"):
        await stranger.hear()
    assert len(tables) == 0
    await sit(attempt).sit()
    # The table being open makes no difference.
    assert (await sit(attempt, user=rival).sit())["code"] == "not_yours"


async def test_a_game_that_does_not_exist(attempt_at: Any, sit: Sit) -> None:
    attempt = await sync_to_async(attempt_at)()
    attempt.public_id = uuid4()
    seat = sit(attempt)
    assert (await seat.sit())["code"] == "not_found"
    with pytest.raises(Closed, match="4404"):
        await seat.hear()


async def test_a_session_that_ends(attempt_at: Any, sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = await sync_to_async(attempt_at)()
    session = SessionStore()
    await session.acreate()
    seat = await sit(attempt, session=session).opened()
    await session.adelete()
    monkeypatch.setattr(base_consumer, "SESSION_GOOD_FOR", -1.0)
    assert (await seat.move("d"))["code"] == "session_expired"
    with pytest.raises(Closed, match="4401"):
        await seat.hear()
    assert await sync_to_async(journal_of)(attempt.pk) == []


async def test_a_ping_checks_the_session_for_the_next_move(
    attempt_at: Any, sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = await sync_to_async(attempt_at)()
    session = SessionStore()
    await session.acreate()
    seat = await sit(attempt, session=session).opened()
    await session.adelete()
    monkeypatch.setattr(base_consumer, "SESSION_GOOD_FOR", 1e6)
    monkeypatch.setattr(play_consumer, "PING_AHEAD", 1e6 + 1)
    assert (await seat.move("d"))["type"] == "moved"
    assert (await seat.ask({"type": "ping", "t": 1}))["code"] == "session_expired"


@pytest.mark.parametrize(
    ("text", "code"), [('{"type":"hello","v":2}', "unsupported_version"), (" " * 5000, "too_large")]
)
async def test_fatal_errors_close_the_connection(text: str, code: str, seated: Seated) -> None:
    _, seat = await seated()
    await seat.send(text)
    assert (await seat.hear())["code"] == code
    with pytest.raises(Closed):
        await seat.hear()


async def test_a_players_tabs_share_one_allowance(seated: Seated, sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("games.live.sockets.message_limit.monotonic", lambda: now)
    attempt, seat = await seated()
    seats = [seat, await sit(attempt).opened()]
    for number in range(98):
        assert (await seats[number % 2].ask({"type": "ping", "t": number}))["type"] == "pong"
    for tab in seats:
        refused = await tab.move("d")
        assert (refused["code"], refused["data"]) == ("rate_limited", {"retry_after_ms": 20})
    now += 0.021
    assert (await seat.move("d"))["type"] == "moved"


async def test_a_flooding_sender_is_disconnected(seated: Seated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.live.sockets.message_limit.monotonic", lambda: 100.0)
    monkeypatch.setattr(base_consumer, "MAX_REFUSED", 3)
    _, seat = await seated()
    for number in range(103):
        await seat.ask({"type": "ping", "t": number})
    with pytest.raises(Closed, match="4429"):
        await seat.hear()
