"""What everybody looks at is read once for all of them, and nobody sees it long after it has changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from games import readings
from games.readings import NEAR, OwnCopies, SharedCopies
from leaderboards import boards
from leaderboards.keys import Score
from tests.leaderboards import factory


class Clock:
    """A time that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def time(self) -> float:
        """Seconds since 1970."""
        return self.now

    def monotonic(self) -> float:
        """Seconds since some moment."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(readings, "time", clock)
    return clock


@pytest.fixture
def copies(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[SharedCopies]:
    """Copies as they are shared in service, in a cache where they stay until the clock says that they are old."""
    monkeypatch.setattr(readings, "SPARE", 3_600)
    copies = SharedCopies(1.0)
    monkeypatch.setattr(boards, "copies", copies)
    cache.clear()
    yield copies
    cache.clear()


def test_within_a_second_one_reading_serves_all(copies: SharedCopies, clock: Clock) -> None:
    readings = iter(range(9))
    another_process = SharedCopies(1.0)
    assert [copies.get("k", readings.__next__), another_process.get("k", readings.__next__)] == [0, 0]
    clock.now += 0.9
    assert copies.get("k", readings.__next__) == 0
    clock.now += 0.2
    assert copies.get("k", readings.__next__) == 1
    assert copies.get("other", readings.__next__) == 2


def test_a_copy_is_as_old_as_the_beginning_of_its_reading(copies: SharedCopies, clock: Clock) -> None:
    def slow() -> str:
        clock.now += 5
        return "old"

    assert copies.get("k", slow) == "old"
    assert copies.get("k", lambda: "new") == "new"


def test_a_copy_of_a_machine_whose_clock_is_ahead_is_not_believed_for_long(copies: SharedCopies, clock: Clock) -> None:
    clock.now += 60
    copies.get("k", lambda: "from the future")
    clock.now -= 60
    assert copies.get("k", lambda: "now") == "now"


def test_a_renewed_copy_is_everybodys_at_once(copies: SharedCopies) -> None:
    copies.get("k", lambda: "before")
    assert copies.renew("k", lambda: "after") == "after"
    assert copies.get("k", lambda: "not read") == "after"


def test_one_thread_reads_and_the_others_get_the_copy_before(copies: SharedCopies, clock: Clock) -> None:
    copies.get("k", lambda: "before")
    clock.now += 1.5
    inside, go_on = threading.Event(), threading.Event()
    found: list[Any] = []

    def read() -> str:
        inside.set()
        assert go_on.wait(60)
        return "after"

    reader = threading.Thread(target=lambda: found.append(copies.get("k", read)))
    reader.start()
    assert inside.wait(60)
    assert [copies.get("k", lambda: "read twice") for _ in range(3)] == ["before"] * 3
    go_on.set()
    reader.join(60)
    assert found == ["after"]
    assert copies.get("k", lambda: "read twice") == "after"


def test_without_a_copy_before_the_others_wait_for_the_reader(copies: SharedCopies) -> None:
    inside, go_on = threading.Event(), threading.Event()
    readings: list[str] = []

    def read() -> str:
        readings.append("read")
        inside.set()
        assert go_on.wait(60)
        return "first"

    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(copies.get("k", read))) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert inside.wait(60)
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert (found, readings) == (["first"] * 8, ["read"])


def test_a_reading_that_fails_hinders_nobody(copies: SharedCopies) -> None:
    def fail() -> str:
        raise OSError

    for _ in range(2):
        with pytest.raises(OSError):  # noqa: PT011 - whichever it was
            copies.get("k", fail)
    assert copies.get("k", lambda: "read") == "read"


@pytest.mark.django_db
def test_the_first_page_the_podium_and_who_waits_are_shared(
    copies: SharedCopies, clock: Clock, client: Client, django_assert_num_queries: Any
) -> None:
    deal = factory.deal()
    for ms in (100, 200, 300):
        factory.listed(deal, Score(20, ms, 40))
    factory.finished(deal)
    first, waiting = boards.page(deal), boards.waiting(deal)
    with django_assert_num_queries(0):
        assert boards.page(deal) == first
        assert boards.waiting(deal) == waiting
        podium = boards.page(deal, limit=2)
    assert (podium.entries, podium.total, podium.before) == (first.entries[:2], 3, None)
    assert boards.page(deal, "race", podium.after).entries == first.entries[2:]
    assert boards.page(deal, "fewest").entries != []
    factory.listed(deal, Score(50, 1, 1))
    assert boards.page(deal).total == 3
    clock.now += 1.1
    assert boards.page(deal).total == 4


@pytest.mark.django_db
def test_boards_are_served_while_redis_is_away(
    settings: Settings, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "copies", SharedCopies(1.0))
    settings.CACHES = {"default": {"BACKEND": "config.caches.TolerantRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}}
    deal = factory.deal()
    factory.listed(deal, Score(20, 50, 40))
    assert client.get(f"/boards/{deal.day}/{deal.variant}/").context["page"].total == 1


def test_a_copy_that_is_not_whole_is_read_anew_once(copies: SharedCopies) -> None:
    readings = iter(range(9))
    assert [copies.get("k", readings.__next__, is_whole=lambda n: n > 1) for _ in range(4)] == [0, 1, 2, 2]


def test_a_copy_from_redis_is_fetched_once_by_a_process_while_it_is_good(
    redis_url: str, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CACHES = {"default": {"BACKEND": "config.caches.TolerantRedisCache", "LOCATION": redis_url}}
    monkeypatch.setattr(readings, "SPARE", 3_600)
    copies, another_process = SharedCopies(1.0), SharedCopies(1.0)
    another_process.get("k", lambda: ["read"])
    found = copies.get("k", lambda: ["not read"])
    assert found == ["read"]
    assert copies.get("k", lambda: ["not read"]) is found
    assert another_process.renew("k", lambda: ["renewed"]) == ["renewed"]
    clock.now += 0.9
    assert copies.get("k", lambda: ["not read"]) is found
    clock.now += 0.2
    assert copies.get("k", lambda: ["read again"]) == ["read again"]
    assert another_process.get("k", lambda: ["not read"]) == ["read again"]


def test_no_more_copies_are_kept_beside_redis_than_some(
    redis_url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CACHES = {"default": {"BACKEND": "config.caches.TolerantRedisCache", "LOCATION": redis_url}}
    monkeypatch.setattr(readings, "NEAR", 8)
    copies = SharedCopies(60.0)
    for number in range(50):
        copies.get(f"k{number}", lambda: "read")
    assert len(copies._near) <= 8


def test_what_stays_in_the_process_is_read_again_after_a_while(clock: Clock) -> None:
    own, readings_made = OwnCopies[int](fresh=3.0), iter(range(9))
    assert [own.get("deal", lambda: next(readings_made)) for _ in range(3)] == [0, 0, 0]
    assert own.get("another", lambda: next(readings_made)) == 1
    assert cache.get("reading.deal") is None
    clock.now += 2.9
    assert own.get("deal", lambda: next(readings_made)) == 0
    clock.now += 0.1
    assert own.get("deal", lambda: next(readings_made)) == 2


def test_what_stays_in_the_process_is_not_without_end() -> None:
    own = OwnCopies[int](fresh=3.0)
    for number in range(3 * NEAR):
        own.get(str(number), lambda: 0)
    assert len(own._kept) <= NEAR
