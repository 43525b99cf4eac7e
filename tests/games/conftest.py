"""Fixtures for players, deals and seats at tables."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any
from weakref import WeakValueDictionary

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import start_attempt
from games.core import events
from games.live.sockets import message_limit
from games.live.table_registry import LiveTables
from games.models import Attempt, Deal
from tests.factories import make_deal, signed_in
from tests.games.seats import Seat

Play = Callable[..., Attempt]
Sit = Callable[..., Seat]
Seated = Callable[..., Awaitable[tuple[Attempt, Seat]]]


@pytest.fixture(autouse=True)
def full_allowances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the allowances of messages: ids of players repeat from test to test, and an allowance may live on."""
    monkeypatch.setattr(message_limit, "_shared", WeakValueDictionary())


@pytest.fixture
def player(transactional_db: None) -> User:
    return create_guest()


@pytest.fixture
def ada(transactional_db: None) -> User:
    return User.objects.create_user("Ada")


@pytest.fixture
def brook(transactional_db: None) -> User:
    return User.objects.create_user("Brook")


@pytest.fixture
def rival(transactional_db: None) -> User:
    return create_guest()


@pytest.fixture
def mine(player: User) -> Client:
    return signed_in(player)


@pytest.fixture
def attempt_at(player: User) -> Play:
    """Begin the player's ranked attempt at today's deal of a variant."""

    def begin(variant: str = "plot", seed: bytes | None = None, **fields: Any) -> Attempt:
        attempt = start_attempt(player, make_deal(variant, seed=seed))
        if fields:
            Attempt.objects.filter(pk=attempt.pk).update(**fields)
            attempt = Attempt.objects.select_related("player", "deal").get(pk=attempt.pk)
        return attempt

    return begin


@pytest.fixture
def yesterday(transactional_db: None) -> Deal:
    """A deal that closed more than its hour of grace ago."""
    return make_deal("braid", day=(timezone.now() - timedelta(days=2)).date())


@pytest.fixture
def requested_tasks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Record the requested tasks instead of queueing them."""
    tasks: list[tuple[Any, ...]] = []

    def record(*task: Any, **_: Any) -> bool:
        tasks.append(task)
        return True

    monkeypatch.setattr(events, "request_task", record)
    return tasks


@pytest.fixture
def seed() -> bytes:
    return secrets.token_bytes(32)


@pytest_asyncio.fixture
async def tables() -> AsyncIterator[LiveTables]:
    opened = LiveTables()
    yield opened
    await opened.close()
    # Async tests use the database in this thread; a server's own threads return their connections.
    await sync_to_async(connections.close_all)()


@pytest_asyncio.fixture
async def other_tables() -> AsyncIterator[LiveTables]:
    """The tables of a second process on the same database."""
    opened = LiveTables()
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def sit(tables: LiveTables) -> AsyncIterator[Sit]:
    """Take a seat at an attempt, by default as its player and in the first process."""
    seats: list[Seat] = []

    def take(attempt: Attempt, *, at: LiveTables = tables, user: User | None = None, session: Any = None) -> Seat:
        seat = Seat(at, attempt.public_id, attempt.player if user is None else user, session)
        seats.append(seat)
        return seat

    yield take
    for seat in seats:
        await seat.leave()


@pytest.fixture
def seated(attempt_at: Play, sit: Sit) -> Seated:
    """Begin an attempt, as `attempt_at` does, and open its table as its player."""

    async def begin(*of: Any, **fields: Any) -> tuple[Attempt, Seat]:
        attempt = await sync_to_async(attempt_at)(*of, **fields)
        return attempt, await sit(attempt).opened()

    return begin
