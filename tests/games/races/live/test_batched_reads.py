"""Batching: requests answered together, rooms read together, and groups of rooms."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from games.core.events import notifier
from games.live.batched_reads import Batches
from games.races import room_notifications, rooms, seats
from games.races.live import snapshot
from games.races.models import Race
from tests.games.races.conftest import House


@pytest.mark.django_db  # threads may have their own connections
async def test_requests_during_an_answer_are_batched() -> None:
    requested: list[list[int]] = []
    go_on, begun = threading.Event(), threading.Event()

    def answer(keys: list[int]) -> dict[int, str]:
        requested.append(keys)
        begun.set()
        assert go_on.wait(30)
        return {key: f"no. {key}" for key in keys if key != 5}

    batches = Batches(answer, limit=3)
    first = asyncio.create_task(batches.get(1))
    assert await asyncio.to_thread(begun.wait, 30)
    rest = [asyncio.create_task(batches.get(key)) for key in (1, 2, 2, 3, 4, 5)]
    await asyncio.sleep(0)
    go_on.set()
    assert await first == "no. 1"
    assert await asyncio.gather(*rest) == ["no. 1", "no. 2", "no. 2", "no. 3", "no. 4", None]
    assert requested == [[1], [1, 2, 3], [4, 5]], "the second 1 is requested again: the answer under way may be stale"


@pytest.mark.django_db
async def test_a_failure_reaches_its_whole_batch_only() -> None:
    fails = [True]

    def answer(keys: list[int]) -> dict[int, int]:
        if fails[0]:
            raise OperationalError("away")
        return dict.fromkeys(keys, 7)

    batches = Batches(answer, limit=10)
    found = await asyncio.gather(batches.get(1), batches.get(2), return_exceptions=True)
    assert [type(one) for one in found] == [OperationalError, OperationalError]
    fails[0] = False
    assert await batches.get(1) == 7


@pytest.mark.django_db
async def test_a_cancelled_caller_does_not_cancel_the_others() -> None:
    batches: Batches[int, int] = Batches(lambda keys: dict.fromkeys(keys, 1), limit=10)
    gone, waiting = asyncio.create_task(batches.get(1)), asyncio.create_task(batches.get(1))
    await asyncio.sleep(0)
    gone.cancel()
    assert await waiting == 1


def _every_state() -> list[House]:
    """Return rooms with an upcoming, a running and a finished race (rematch open), and one without players."""
    houses = [House.opened(2), House.opened(3), House.opened(2), House.opened(0)]
    houses[1].run()
    houses[2].run()
    Race.objects.filter(room=houses[2].room).update(state=Race.State.FINISHED, finished_at=timezone.now())
    rooms.next_race(houses[2].room, timezone.now())
    seats.sit(houses[2].room.pk, create_guest())
    return houses


@pytest.mark.django_db
def test_rooms_read_together_equal_rooms_read_alone() -> None:
    keys = [house.room.pk for house in _every_state()]
    together = snapshot.read_rooms([*keys, 10**6])
    assert together == {key: snapshot.read_rooms([key])[key] for key in keys}
    assert [facts.running is not None for facts in together.values()] == [False, True, False, False]
    assert [facts.last is not None for facts in together.values()] == [False, False, True, False]
    assert [facts.to_come is not None for facts in together.values()] == [True, False, True, True]


@pytest.mark.django_db
def test_many_rooms_take_as_many_queries_as_one() -> None:
    keys = [house.room.pk for house in _every_state()]
    counts = []
    for some in (keys[1:2], keys):
        with CaptureQueriesContext(connection) as queries:
            snapshot.read_rooms(some)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_changed_rooms_are_announced_once_per_group(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any, db: None
) -> None:
    sent: list[tuple[str, list[int]]] = []
    monkeypatch.setattr(notifier, "send", lambda group, message, about: sent.append((group, message["rooms"])))
    with django_capture_on_commit_callbacks(execute=True):
        room_notifications.notify_rooms(range(200))
    assert len({group for group, _ in sent}) == len(sent) == room_notifications.GROUPS
    assert sorted(room for _, rooms_told in sent for room in rooms_told) == list(range(200))
