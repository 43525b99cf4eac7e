"""Table capacity, published by table processes and read by web processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from django.core.cache import cache

from config.admission import table_capacity
from config.admission.table_capacity import EVERY, EXPIRY, OPEN, ROOM, RUNNING, TableCapacity, publish, readiness
from tests.services.racing.watching import until


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_capacity, "EVERY", 0.001)
    cache.delete_many([RUNNING, OPEN, ROOM])


def is_full() -> bool:
    capacity = TableCapacity()
    capacity.read()
    return capacity.is_full


async def published(*has_room: bool, is_open: bool = True) -> None:
    """Have one process after the other publish once at least."""
    for room in has_room:
        calls = list[bool]()
        job = asyncio.create_task(publish(lambda: is_open, _noting(calls, not room)))
        await until(lambda calls=calls: len(calls) > 1)  # type: ignore[misc]
        job.cancel()


def _noting(calls: list[bool], state: bool) -> Callable[[], bool]:
    def is_overloaded() -> bool:
        calls.append(state)
        return state

    return is_overloaded


def test_there_is_room_while_nothing_is_published() -> None:
    assert not is_full()


async def test_tables_are_full_if_no_process_has_room() -> None:
    await published(False, False)
    assert is_full()
    await published(True, False)
    assert not is_full(), "one full process does not make the other full"


async def test_overloaded_tables_are_ready_and_closed_ones_are_not() -> None:
    assert readiness() == "unreachable"
    await published(True, True, is_open=False)
    assert (readiness(), is_full()) == ("no room", True)
    await published(False)
    assert (readiness(), is_full()) == ("ok", True)


async def test_entries_expire_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    timeouts = set[int]()

    class Noting:
        def set_many(self, _entries: object, timeout: int) -> None:
            timeouts.add(timeout)

    monkeypatch.setattr(table_capacity, "cache", Noting())
    job = asyncio.create_task(publish(lambda: True, lambda: False))
    await until(lambda: bool(timeouts))
    job.cancel()
    assert timeouts == {EXPIRY}
    assert EXPIRY > 2 * EVERY, "one write may be late"


async def test_failing_cache_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[int]()

    class Away:
        def get_many(self, _keys: object) -> dict[str, int]:
            calls.append(1)
            raise ConnectionError

    monkeypatch.setattr(table_capacity, "cache", Away())
    capacity = TableCapacity()
    job = asyncio.create_task(capacity.watch())
    await until(lambda: len(calls) > 2)
    job.cancel()
    assert not capacity.is_full
