"""Fixtures for rooms on the real clock, the processes that serve them, and their viewers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import timedelta
from typing import Any, Self

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from games.core.events import notifier
from games.live.table_registry import LiveTables
from games.models import Attempt
from games.races import starting
from games.races.live.lane_reports import LaneReporter
from games.races.live.room_hub import RoomHub
from tests.games.races.live.viewers import Viewer
from tests.games.races.runs import Run

Watch = Callable[..., Awaitable[Viewer]]


class House(Run):
    """A room on the real clock."""

    @classmethod
    def opened(cls, count: int, name: str = "stonewall", *, public: bool = True) -> Self:
        return cls.of(count, name=name, public=public, now=timezone.now())

    def start(self, countdown: float = 0) -> None:
        """Freeze the seats; the cards are dealt after the countdown."""
        starting.start(self.room.pk, countdown=timedelta(seconds=countdown), now=timezone.now())

    def run(self) -> None:
        self.start()
        starting.start_racing(timezone.now() + timedelta(milliseconds=5))
        starting.mark_dealt([attempt.pk for attempt in self.attempts()], timezone.now() + timedelta(milliseconds=5))

    def attempts(self) -> list[Attempt]:
        found = Attempt.objects.filter(entrant__race=self.race).select_related("player", "deal")
        return list(found.order_by("entrant__pk"))


@pytest.fixture
def missed(settings: Any) -> Iterator[None]:
    """A cache without missed quick matches."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "missed"}}
    cache.clear()
    yield
    cache.clear()


house_of: Callable[..., Any] = sync_to_async(House.opened)


@pytest_asyncio.fixture
async def tables(transactional_db: None) -> AsyncIterator[LiveTables]:
    layer: Any = get_channel_layer()
    await layer.flush()
    created = LiveTables()
    created.companions.append(LaneReporter(created))
    yield created
    await created.close()
    await asyncio.to_thread(notifier.flush)  # messages in flight go to this loop, which ends now


@pytest_asyncio.fixture
async def hub(transactional_db: None) -> AsyncIterator[RoomHub]:
    created = RoomHub()
    yield created
    await created.close()
    await asyncio.to_thread(notifier.flush)  # messages in flight go to this loop, which ends now


@pytest_asyncio.fixture
async def other_hub(transactional_db: None) -> AsyncIterator[RoomHub]:
    created = RoomHub()
    yield created
    await created.close()
    await asyncio.to_thread(notifier.flush)


@pytest_asyncio.fixture
async def watch(hub: RoomHub) -> AsyncIterator[Watch]:
    """Connect a viewer to a room, by default a visitor, and read up to this message; without one, say no hello."""
    viewers: list[Viewer] = []

    async def connect(
        house: House, user: User | None = None, *, at: RoomHub = hub, until: str | None = "room"
    ) -> Viewer:
        viewer = Viewer(at, house.room.code, user)
        viewers.append(viewer)
        await viewer.connect()
        if until:
            await viewer.say("hello", v=1)
            await viewer.until(until)
        return viewer

    yield connect
    for viewer in viewers:
        await viewer.leave()
