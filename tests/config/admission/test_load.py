"""Overload detection by CoDel's rule, fullness when no socket is left, and capacity published by table processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django import Settings

from config.admission import table_capacity
from config.admission.load import INTERVAL, TARGET, Load
from config.admission.table_capacity import EVERY, EXPIRY, OPEN, ROOM, RUNNING, TableCapacity, publish, readiness
from config.http.handler import SyncHandler
from tests.services.sockets import until


@pytest.fixture(autouse=True)
def _controlled(settings: Settings) -> None:
    settings.ADMISSION, settings.MAX_SOCKETS = True, 0


@pytest.fixture
def load() -> Load:
    return Load(SyncHandler(), lambda: 10)


def test_standing_queue_is_overload(load: Load) -> None:
    load.note(2 * TARGET, 0.0)
    load.note(2 * TARGET, INTERVAL - 0.01)
    assert not load.is_overloaded
    load.note(TARGET, INTERVAL)
    assert load.is_overloaded
    assert load.is_full


def test_one_probe_in_time_ends_overload(load: Load) -> None:
    load.note(1.0, 0.0)
    load.note(1.0, 1.0)
    load.note(TARGET / 2, 1.1)
    assert not load.is_overloaded
    load.note(1.0, 1.2)
    assert not load.is_overloaded


def test_burst_that_drains_is_no_overload(load: Load) -> None:
    for moment in range(100):
        load.note(TARGET / 2 if moment % 9 == 0 else 1.0, moment * INTERVAL / 10)
        assert not load.is_overloaded


def test_admission_can_be_switched_off(load: Load, settings: Settings) -> None:
    settings.ADMISSION = False
    load.note(1.0, 0.0)
    load.note(1.0, 9.0)
    assert not load.is_full


@pytest.mark.parametrize(("limit", "full"), [(0, False), (10, True), (11, False)])
def test_process_without_free_socket_is_full(load: Load, settings: Settings, limit: int, full: bool) -> None:
    settings.MAX_SOCKETS = limit
    assert load.is_full == full


async def test_probe_that_never_returns_is_overload(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stuck(_function: Any) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(load.pages.threads, "run", stuck)
    load.start()
    await until(lambda: load.is_overloaded)


async def test_refused_probe_is_sent_again(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    beats, calls = list[int](), list[int]()

    async def refuse(_function: Any) -> None:
        calls.append(1)
        raise RuntimeError

    monkeypatch.setattr(load.pages.threads, "run", refuse)
    load.on_beat = lambda: beats.append(1)
    load.start()
    load.start()
    await until(lambda: len(calls) > 1 and len(beats) > 1)


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
