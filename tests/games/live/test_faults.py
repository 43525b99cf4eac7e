"""Fault injection at every await of a message: acknowledged moves stay, others are refused, and play continues."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple
from unittest.mock import Mock

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.attempts import lifecycle as attempts
from games.attempts.lifecycle import journal_of, record_of, start_attempt
from games.core import events
from games.core.thread_pool import ThreadPool
from games.live import loader
from games.live.play_consumer import PlayConsumer
from games.live.sockets.base_consumer import SESSION_GOOD_FOR
from games.live.table_registry import LiveTables
from games.models import Attempt, Move
from tests.factories import make_deal
from tests.games.faults import Stepped
from tests.games.labyrinths import easy_labyrinth
from tests.games.seats import _Lazy

pytestmark = pytest.mark.django_db(transaction=True)

WON = easy_labyrinth()[1]
HELLO = {"type": "hello", "v": 1, "have": None}


@dataclass(frozen=True)
class Scenario:
    """A message to a table on which the first tokens of the winning line are played."""

    message: dict[str, Any]
    answers: frozenset[str]
    played: int = 3
    greeted: bool = True
    due: bool = False
    unchecked: bool = False


SCENARIOS = {
    "hello": Scenario(HELLO, frozenset({"view"}), greeted=False),
    "hello to a game that is won": Scenario(HELLO, frozenset({"view"}), played=48, greeted=False),
    "hello again": Scenario(HELLO, frozenset({"view"})),
    "move": Scenario({"type": "move", "n": 4, "token": WON[3]}, frozenset({"moved"})),
    "move after a while": Scenario({"type": "move", "n": 4, "token": WON[3]}, frozenset({"moved"}), unchecked=True),
    "move that wins": Scenario({"type": "move", "n": 48, "token": WON[47]}, frozenset({"moved"}), played=47),
    "move too far ahead": Scenario({"type": "move", "n": 9, "token": WON[3]}, frozenset({"error"})),
    "move too late": Scenario({"type": "move", "n": 4, "token": WON[3]}, frozenset({"error"}), due=True),
    "auto": Scenario({"type": "auto", "n": 42}, frozenset({"moved"}), played=41),
    "resign": Scenario({"type": "resign", "n": 4}, frozenset({"ended"})),
    "ping": Scenario({"type": "ping", "t": 1}, frozenset({"pong"})),
    "ping when the time is up": Scenario({"type": "ping", "t": 1}, frozenset({"pong"}), due=True),
}


Begin = Callable[[Scenario], tuple[Attempt, SessionBase]]


@dataclass(eq=False)
class Tab:
    """Another connection to the table, which only listens."""

    frames: list[dict[str, Any]] = field(default_factory=list)

    def send_frame(self, frame: str) -> None:
        self.frames.append(json.loads(frame))


class Room(NamedTuple):
    """Objects that every scenario needs."""

    begin: Begin
    tables: LiveTables
    thread: ThreadPool


class Line:
    """A connection's consumer, and the frames it has sent."""

    def __init__(self, tables: LiveTables, attempt: Attempt, session: SessionBase) -> None:
        self.frames: list[dict[str, Any]] = []
        scope = {
            "user": _Lazy(attempt.player),
            "session": session,
            "url_route": {"kwargs": {"attempt": attempt.public_id}},
        }
        self._tables, self._attempt = tables, attempt
        self.consumer = PlayConsumer(scope, self._send, tables)

    async def _send(self, message: dict[str, Any]) -> None:
        await asyncio.sleep(0)  # may suspend, as a server's send does
        if "text" in message:
            self.frames.append(json.loads(message["text"]))

    async def say(self, message: dict[str, Any]) -> None:
        await self.consumer._received(json.dumps(message))

    async def leave(self) -> None:
        if self.consumer._table is not None:
            await self._tables.leave(self._attempt.public_id, self.consumer)


@pytest.fixture
def begin(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Create a scenario's attempt and its player's session."""
    monkeypatch.setattr(events, "request_verdict", Mock())
    for module in (attempts, loader):
        monkeypatch.setattr(module, "deal_table", lambda _: easy_labyrinth()[0])
    deal = make_deal("labyrinth")

    def begin_scenario(scenario: Scenario) -> tuple[Attempt, SessionBase]:
        player = create_guest()
        attempt = start_attempt(player, deal)
        attempt.started_at = timezone.now() - timedelta(hours=3)
        attempt.deadline = timezone.now() + timedelta(hours=-1 if scenario.due else 1)
        attempt.save()
        rows = [Move(attempt=attempt, n=n, token=WON[n - 1], ms=n) for n in range(1, scenario.played + 1)]
        Move.objects.bulk_create(rows)
        return attempt, session_of(player)

    return begin_scenario


def session_of(player: User) -> SessionBase:
    session: SessionBase = import_string(f"{settings.SESSION_ENGINE}.SessionStore")()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(player.pk), BACKEND
    session[HASH_SESSION_KEY] = player.get_session_auth_hash()
    session.save()
    return session


@pytest.fixture
def thread(monkeypatch: pytest.MonkeyPatch) -> ThreadPool:
    """The only thread for work off the loop, so a job sent to it runs after all earlier ones."""
    pool = ThreadPool("one", 1)
    monkeypatch.setattr(loader, "_threads", pool)
    return pool


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS.keys())
async def test_a_fault_at_every_await(
    scenario: Scenario, late: bool, begin: Begin, tables: LiveTables, thread: ThreadPool
) -> None:
    room = Room(begin, tables, thread)
    faults = (await disturbed(scenario, room, late=late)).possible
    assert faults
    for k, possible in enumerate(faults):
        # One of the possible faults, another in every run.
        await disturbed(scenario, room, k, random.choice(possible), late=late)


async def disturbed(
    scenario: Scenario, room: Room, k: int = -1, fault: type[BaseException] | None = None, *, late: bool
) -> Stepped:
    """Play a scenario with a fault at its `k`-th suspension, and check everything afterwards."""
    begin, tables, thread = room
    attempt, session = await sync_to_async(begin)(scenario)
    line, tab = Line(tables, attempt, session), Tab()
    await sit_down(scenario, line, tab, tables, attempt)
    before, known = len(line.frames), len(tab.frames)
    step = Stepped(line.consumer._received(json.dumps(scenario.message)), k, fault, late=late)
    cancelled = False
    try:
        await step
    except asyncio.CancelledError:
        cancelled = True
    assert cancelled <= (fault is asyncio.CancelledError)
    await what_is_under_way(tables, thread)
    received = line.frames[before:]
    if not cancelled:
        check_answered(scenario, received, faulty=fault is not None)
    acknowledged = [frame for frame in received + tab.frames[known:] if frame["type"] == "moved"]
    tokens, _ = await sync_to_async(stored)(attempt)
    assert all(tokens[frame["n"] - 1] == frame["token"] for frame in acknowledged)
    if cancelled:
        await line.leave()
        line = Line(tables, attempt, session)
    late_comer = Line(tables, attempt, session)
    await check_recovered(scenario, attempt, line, late_comer, tab)
    if scenario.greeted:
        await tables.leave(attempt.public_id, tab)
    assert len(tables) == 0
    assert not tables._users
    return step


async def sit_down(scenario: Scenario, line: Line, tab: Tab, tables: LiveTables, attempt: Attempt) -> None:
    if not scenario.greeted:
        return
    await line.say(HELLO)
    await tables.join(attempt.public_id, attempt.player_id, tab, None)
    if scenario.unchecked:
        line.consumer._checked_at -= SESSION_GOOD_FOR + 1


async def what_is_under_way(tables: LiveTables, thread: ThreadPool) -> None:
    """Wait for work in progress that no caller waits for any more."""
    while tables.journal._flushing or tables._under_way:  # noqa: ASYNC110 - neither has an event to tell of it
        await asyncio.sleep(0.001)
    await thread.run(lambda: None)


def check_answered(scenario: Scenario, received: list[dict[str, Any]], *, faulty: bool) -> None:
    """Check that the message was either carried out or refused."""
    kinds = [frame["type"] for frame in received]
    refused = [frame["code"] for frame in received if frame["type"] == "error"]
    if not faulty:
        assert scenario.answers & set(kinds)
        assert "server_busy" not in refused
        return
    done = scenario.answers & set(kinds)
    assert bool(done - {"error"}) != bool(refused), kinds
    if refused and "error" not in scenario.answers:
        assert refused == ["server_busy"]


async def check_recovered(scenario: Scenario, attempt: Attempt, line: Line, late_comer: Line, tab: Tab) -> None:
    """Check that old and new connections agree with the database."""
    await line.say(HELLO)
    await line.say({"type": "ping", "t": 2})
    tokens, state = await sync_to_async(stored)(attempt)
    won, over = len(tokens) == len(WON), state != "playing"
    if scenario.message["type"] != "resign":
        assert over == (won or scenario.due)
    await late_comer.say(HELLO)
    for one in (line, late_comer):
        view = [frame for frame in one.frames if frame["type"] == "view"][-1]
        played = [frame for frame in one.frames[one.frames.index(view) :] if frame["type"] == "moved"]
        assert view["n"] + len(played) == len(tokens)
        assert ("ended" in [frame["type"] for frame in one.frames]) == over
    assert (late_comer.frames[0]["state"] == "playing") != over
    if scenario.greeted:
        moved = [(frame["n"], frame["token"]) for frame in tab.frames if frame["type"] == "moved"]
        assert moved == list(enumerate(tokens, 1))[scenario.played :]
        assert [frame["type"] for frame in tab.frames].count("ended") == over
    if not over:
        await line.say({"type": "move", "n": len(tokens) + 1, "token": WON[len(tokens)]})
        assert line.frames[-1]["type"] == "moved"
    await line.leave()
    await late_comer.leave()


def stored(attempt: Attempt) -> tuple[list[str], str]:
    found = Attempt.objects.get(pk=attempt.pk)
    tokens = record_of(found).tokens if found.is_over else [move.token for move in journal_of(found.pk)]
    return list(tokens), found.state
