"""Shared caches: each value is read once for all, and unreadable entries of other releases are misses."""

from __future__ import annotations

import pickle
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import make_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client
from django.utils.safestring import SafeString
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_django import Settings

import config.asgi
import config.doctor.templatetags.site_health
import config.urls  # noqa: F401
from games.db import shared_cache
from games.db.shared_cache import CACHES, MOST, STALE, ProcessCache, ReadingCache, SharedCache, digest_of
from leaderboards.boards import deal_boards
from leaderboards.boards.rank_keys import BoardScore
from tests import factories
from tests.factories import DAY, make_deal

ROOT = Path(__file__).resolve().parents[3]
SHARED = {name: one for name, one in CACHES.items() if isinstance(one, SharedCache)}

#: Modules that use the site's cache directly, with numbers and bytes that every release can read.
DIRECT_USERS = {
    "config/backends/caches.py",
    "games/core/table_capacity.py",
    "games/core/waiting.py",
    "games/core/player_networks.py",
    "games/hints/advice.py",
    "games/hints/questions.py",
    "games/hints/search_results.py",
    "games/races/made_to_order.py",
    "games/races/attendance/roll_call.py",
    "games/db/shared_cache.py",
    "games/replays/preview_images.py",
    "games/db/replicas/write_positions.py",
    "leaderboards/verdicts/backfill.py",
    "leaderboards/verdicts/pending_sweep.py",
}

# Hypothesis strategies for types whose default values cannot be stored.
st.register_type_strategy(int, st.integers(-(2**63), 2**63 - 1))
st.register_type_strategy(float, st.floats(allow_nan=False))
st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
st.register_type_strategy(SafeString, st.text().map(SafeString))
st.register_type_strategy(Mapping, lambda shape: st.dictionaries(*map(st.from_type, get_args(shape))))

Read = Callable[[], Any]


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(shared_cache, "time", clock)
    return clock


@pytest.fixture(autouse=True)
def _empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No entries, and caches of the test alone."""
    monkeypatch.setattr(shared_cache, "CACHES", {})


def process(shape: Any = int) -> SharedCache[Any]:
    """Create the cache `of_a_test` as a separate process would, fresh for a second."""
    shared_cache.CACHES.clear()
    return SharedCache("of_a_test", shape, fresh=1.0)


@pytest.fixture
def shared(clock: Clock) -> SharedCache[Any]:
    return process()


@pytest.fixture
def numbers() -> Read:
    return iter(range(9)).__next__


def not_read() -> Any:
    pytest.fail("read although a value was there")


def fails() -> Any:
    raise OperationalError


def test_one_reading_serves_all_processes_for_a_second(shared: SharedCache[Any], clock: Clock, numbers: Read) -> None:
    assert [shared.get("k", numbers), process().get("k", numbers)] == [0, 0]
    clock.now += 0.9
    assert shared.get("k", numbers) == 0
    clock.now += 0.2
    assert shared.get("k", numbers) == 1
    assert shared.get("other", numbers) == 2


def test_age_counts_from_the_start_of_the_reading(shared: SharedCache[Any], clock: Clock) -> None:
    def slow() -> int:
        clock.now += 5
        return 1

    assert shared.get("k", slow) == 1
    assert shared.get("k", lambda: 2) == 2


def test_value_from_a_clock_ahead_expires_too(shared: SharedCache[Any], clock: Clock) -> None:
    clock.now += 60
    shared.get("k", lambda: 1)
    clock.now -= 60
    assert shared.get("k", lambda: 2) == 2


def test_renewed_value_is_served_at_once(shared: SharedCache[Any]) -> None:
    shared.get("k", lambda: 1)
    assert shared.renew("k", lambda: 2) == 2
    assert shared.get("k", not_read) == 2


class Slow:
    """A reading in its own thread that continues when the test lets it."""

    def __init__(self, shared: ReadingCache[Any], value: int) -> None:
        self._inside, self._go_on = threading.Event(), threading.Event()
        self._value = value
        self.got: list[int] = []
        self._thread = threading.Thread(target=lambda: self.got.append(shared.get("k", self._read)))
        self._thread.start()
        assert self._inside.wait(60)

    def _read(self) -> int:
        self._inside.set()
        assert self._go_on.wait(60)
        return self._value

    def finish(self) -> None:
        self._go_on.set()
        self._thread.join(60)


@pytest.mark.parametrize("age", [1.5, 30.0])
def test_while_one_thread_reads_others_get_the_previous_value(
    age: float, shared: SharedCache[Any], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_cache, "PATIENCE", 0.0)
    shared.get("k", lambda: 1)
    clock.now += age
    reader = Slow(shared, 2)
    assert [shared.get("k", not_read) for _ in range(3)] == [1] * 3
    reader.finish()
    assert reader.got == [2]
    assert shared.get("k", not_read) == 2


@pytest.mark.parametrize("kind", [SharedCache, ProcessCache])
def test_without_a_previous_value_others_wait_for_the_reader(kind: Any) -> None:
    made = kind("of_a_test", *([int] if kind is SharedCache else []), fresh=60.0)
    reader = Slow(made, 2)
    got: list[int] = []
    threads = [threading.Thread(target=lambda: got.append(made.get("k", not_read))) for _ in range(8)]
    for thread in threads:
        thread.start()
    reader.finish()
    for thread in threads:
        thread.join(60)
    assert got == [2] * 8


def test_failed_reading_leaves_no_lock_behind(shared: SharedCache[Any]) -> None:
    for _ in range(2):
        with pytest.raises(OperationalError):
            shared.get("k", fails)
    assert shared.get("k", lambda: 1) == 1


def test_previous_value_is_served_for_a_minute_while_the_database_fails(shared: SharedCache[Any], clock: Clock) -> None:
    own = ProcessCache[int]("of_the_process", fresh=1.0)
    for each in (shared, own):
        each.get("k", lambda: 1)
    clock.now += STALE
    assert [each.get("k", fails) for each in (shared, own)] == [1, 1]
    clock.now += 2
    with pytest.raises(OperationalError):
        own.get("k", fails)


def test_other_errors_are_not_hidden_by_the_previous_value(shared: SharedCache[Any], clock: Clock) -> None:
    shared.get("k", lambda: 1)
    clock.now += 2
    with pytest.raises(ZeroDivisionError):
        shared.get("k", lambda: 1 // 0)


def test_incomplete_value_is_read_again(shared: SharedCache[Any], numbers: Read) -> None:
    assert [shared.get("k", numbers, is_complete=lambda n: n > 1) for _ in range(4)] == [0, 1, 2, 2]


@pytest.mark.django_db
def test_first_page_and_pending_attempts_are_shared(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    for one in (deal_boards.first_pages, deal_boards.pending):
        monkeypatch.setattr(one, "fresh", 1.0)
    deal = make_deal("stonewall", DAY)
    for ms in (100, 200, 300):
        factories.listed(deal, BoardScore(20, ms, 40))
    factories.finished(deal)
    first, waiting = deal_boards.page(deal), deal_boards.waiting(deal)
    with django_assert_num_queries(0):
        assert deal_boards.page(deal) == first
        assert deal_boards.waiting(deal) == waiting
        podium = deal_boards.page(deal, limit=2)
    assert (podium.entries, podium.total, podium.before) == (first.entries[:2], 3, None)
    assert deal_boards.page(deal, "race", podium.after).entries == first.entries[2:]
    assert deal_boards.page(deal, "fewest").entries != []
    factories.listed(deal, BoardScore(50, 1, 1))
    assert deal_boards.page(deal).total == 3
    clock.now += 1.1
    assert deal_boards.page(deal).total == 4


@pytest.mark.django_db
def test_boards_are_served_while_redis_is_away(
    settings: Settings, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deal_boards.first_pages, "fresh", 1.0)
    settings.CACHES = {
        "default": {"BACKEND": "config.backends.caches.TolerantRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
    }
    deal = make_deal("stonewall", DAY)
    factories.listed(deal, BoardScore(20, 50, 40))
    assert client.get(f"/boards/{deal.day}/{deal.variant}/").context["page"].total == 1


def test_process_cache_stores_nothing_outside_the_process(clock: Clock, numbers: Read) -> None:
    own = ProcessCache[int]("of_the_process", fresh=3.0)
    assert [own.get("deal", numbers) for _ in range(3)] == [0, 0, 0]
    assert not cache._cache  # type: ignore[attr-defined]
    clock.now += 3
    assert own.get("deal", numbers) == 1


def test_process_cache_has_a_limit() -> None:
    own = ProcessCache[int]("of_the_process", fresh=3.0)
    for number in range(3 * MOST):
        own.get(str(number), lambda: 0)
    assert len(own._stored) <= MOST


def test_every_cache_is_registered() -> None:
    sources = [path for app in ("accounts", "config", "games", "leaderboards") for path in (ROOT / app).rglob("*.py")]
    made = [name for path in sources for name in re.findall(r'(?:Shared|Process)Cache(?:\[.*\])?\("', path.read_text())]
    assert len(made) == len(CACHES) > 10
    users = {str(path.relative_to(ROOT)) for path in sources if "django.core.cache" in path.read_text()}
    assert users == DIRECT_USERS | {"config/settings.py"}, "cached values belong in a SharedCache"


def test_two_caches_cannot_share_a_name(shared: SharedCache[Any]) -> None:
    with pytest.raises(ValueError, match="of_a_test"):
        SharedCache("of_a_test", str, fresh=1.0)


@pytest.mark.parametrize("name", SHARED)
@given(data=st.data())
@settings(max_examples=20)
def test_every_cache_returns_what_was_stored(name: str, data: st.DataObject) -> None:
    value = data.draw(st.from_type(SHARED[name].shape))
    SHARED[name].renew("k", lambda: value)
    found = SHARED[name]._load("k")
    assert found is not None
    assert found.value == value


def test_every_cache_takes_an_unreadable_entry_for_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [b"", b"\xc1", msgspec.msgpack.encode((1.0, object.__name__, 3)), msgspec.msgpack.encode((1.0, [None]))]
    for one in SHARED.values():
        monkeypatch.setattr(one, "fresh", 60.0)
        for entry in [*entries, pickle.dumps(BoardScore(1, 2, 3)), 7, "text", [1]]:
            cache.set(f"{one.prefix}k", entry)
            with pytest.raises(ZeroDivisionError):  # it is read again
                one.get("k", lambda: 1 // 0)


def test_every_cache_knows_the_whole_type_of_its_values() -> None:
    """`Any` has an empty schema, so a change below it would not change the key."""

    def is_known(part: object) -> bool:
        if isinstance(part, dict):
            return bool(part) and all(map(is_known, part.values()))
        return all(map(is_known, part)) if isinstance(part, list) else True

    for name, one in SHARED.items():
        schema = msgspec.json.schema(one.shape, schema_hook=shared_cache._schema_of_custom)
        described = [{key: part for key, part in schema.items() if key != "$defs"}, *schema.get("$defs", {}).values()]
        assert all(map(is_known, described)), name


def inner(**fields: Any) -> Any:
    return make_dataclass("Inner", fields.items())


def test_key_changes_with_every_change_of_the_type() -> None:
    shapes = [
        inner(a=int),
        inner(a=int, b=int),
        inner(b=int),
        inner(a=str),
        inner(a=int | None),
        inner(a=SafeString),
        list[inner(a=int)],  # type: ignore[misc]
        list[inner(a=int, b=int)],  # type: ignore[misc]
        dict[str, inner(a=int)],  # type: ignore[misc]
    ]
    assert len({digest_of(shape) for shape in shapes}) == len(shapes)
    assert digest_of(inner(a=int)) == digest_of(inner(a=int))


def test_releases_with_different_fields_share_no_entries() -> None:
    before, after = inner(a=int), make_dataclass("Inner", [("a", int), ("b", int, 0)])
    process(before).renew("k", lambda: before(1))
    assert process(after).get("k", lambda: after(1, 2)) == after(1, 2)
    assert process(before).get("k", not_read) == before(1)
