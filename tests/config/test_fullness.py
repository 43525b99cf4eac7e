"""Web processes know whether the tables elsewhere have room: newcomers wait while none of them has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache

from config import fullness
from config.fullness import BELIEVED, EVERY, ROOM, THERE, Heard, Told
from config.pressure import Limits, Pressure
from tests.services.racing.watching import until


class Process:
    """A process of tables with as many sockets as a test says; one is all that it takes."""

    def __init__(self) -> None:
        self.sockets = 0
        self.told = Told(Pressure(Limits(0, 0, 1), lambda: 0, lambda: self.sockets), lambda: False)

    def tell(self) -> None:
        """Say how it stands."""
        self.told.note()
        self.told.tell()


@pytest.fixture(autouse=True)
def _nobody() -> None:
    cache.delete_many([THERE, ROOM])


def heard() -> bool:
    """Whether a web process takes the tables to be full."""
    web = Heard()
    web.hear()
    return web.are_full


def test_where_nothing_is_heard_nobody_waits() -> None:
    assert not heard()


def test_newcomers_wait_while_no_process_of_tables_has_room() -> None:
    full, other = Process(), Process()
    full.sockets = other.sockets = 1
    full.tell()
    other.tell()
    assert heard()
    other.sockets = 0
    other.tell()
    full.tell()
    assert not heard(), "the full one does not speak for the other"


def test_what_was_said_is_soon_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, Any] = {}
    monkeypatch.setattr(cache, "set_many", lambda said, timeout: kept.update(dict.fromkeys(said, timeout)))
    Process().tell()
    assert kept == {THERE: BELIEVED, ROOM: BELIEVED}
    assert list(kept) == [THERE, ROOM], "room is forgotten last"
    assert BELIEVED > 2 * EVERY, "one message may be late"


async def test_both_sides_look_once_a_second_and_off_the_loop() -> None:
    process, web = Process(), Heard()
    process.sockets = 1
    process.told.look(0.1)
    await until(lambda: THERE in cache)
    web.look(0.1)
    await until(lambda: web.are_full)
    cache.delete_many([THERE, ROOM])
    process.told.look(EVERY / 2)
    web.look(EVERY / 2)
    await asyncio.sleep(0.1)
    assert web.are_full, "half a second is too soon"
    assert THERE not in cache
    web.look(EVERY / 2)
    await until(lambda: not web.are_full)


async def test_a_cache_that_fails_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    web, asked = Heard(), list[int]()

    class Away:
        def get_many(self, _keys: object) -> dict[str, int]:
            asked.append(1)
            raise ConnectionError

    monkeypatch.setattr(fullness, "cache", Away())
    for number in (1, 2):
        web.look(EVERY)
        await until(_has(asked, number))
        await until(lambda: web._doing is None)
    assert not web.are_full


def _has(found: list[int], number: int) -> Callable[[], bool]:
    return lambda: len(found) == number


def test_a_web_process_is_full_while_its_tables_are() -> None:
    class Known:
        are_full, passed = False, 0.0

        def look(self, elapsed: float) -> None:
            self.passed += elapsed

    known = Known()
    pressure = Pressure(Limits(0, 0, 0), lambda: 0, lambda: 0, known)
    pressure.note(0.0, 0.1)
    assert (pressure.is_full, known.passed) == (False, 0.1)
    known.are_full = True
    assert pressure.is_full
