"""Overload detection by CoDel's rule, and fullness when no socket is left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pytest_django import Settings

from config.admission.load import INTERVAL, TARGET, Load
from config.http.handler import SyncHandler
from tests.services.racing.watching import until


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
