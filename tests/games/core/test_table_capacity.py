"""Capacity for tables: full only if processes report, and none of them takes connections."""

from __future__ import annotations

import asyncio

import pytest
from django.core.cache import cache

from games.core import table_capacity
from games.core.table_capacity import EVERY, EXPIRY, OPEN, RUNNING, publish, readiness, tables_are_full
from tests.services.sockets import until


@pytest.fixture(autouse=True)
def _nothing_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_capacity, "EVERY", 0.001)
    cache.delete_many([RUNNING, OPEN])


async def published(*states: bool) -> None:
    """Have one process after the other publish whether it is open."""
    for is_open in states:
        calls = list[int]()
        job = asyncio.create_task(publish(lambda calls=calls, is_open=is_open: calls.append(1) or is_open))  # type: ignore[misc]
        await until(lambda calls=calls: len(calls) > 1)  # type: ignore[misc]
        job.cancel()


def test_there_is_room_while_nothing_is_published() -> None:
    assert (readiness(), tables_are_full()) == ("unreachable", False)


async def test_tables_are_full_if_no_process_takes_connections() -> None:
    await published(False, False)
    assert (readiness(), tables_are_full()) == ("no room", True)
    await published(True, False)
    assert (readiness(), tables_are_full()) == ("ok", False)


async def test_a_failing_cache_is_written_again_and_entries_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    timeouts = list[int]()

    class Away:
        def get(self, _key: str) -> None:
            return None

        def set_many(self, _entries: object, timeout: int) -> None:
            timeouts.append(timeout)
            raise ConnectionError

    monkeypatch.setattr(table_capacity, "cache", Away())
    job = asyncio.create_task(publish(lambda: True))
    await until(lambda: len(timeouts) > 2)
    job.cancel()
    assert set(timeouts) == {EXPIRY}
    assert EXPIRY > 2 * EVERY, "one write may be late"
