"""Redis that refuses writes: workers and beat wait, verdicts follow, and each process logs two lines about it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from secrets import token_hex

import pytest
import redis

from deploy.servers import eventually
from tests.services.stack import Stack, await_ranks

pytestmark = [pytest.mark.services, pytest.mark.slow]

#: Commands that make Redis refuse writes and accept them again, and the processes sure to notice.
MOODS = {
    "read-only": ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE", {"worker", "keeper", "analyst", "beat", "tables0"}),
    "full": ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0", {"beat", "tables0"}),
}
#: Seconds that the mood lasts, and those to a verdict: less than the sweep would take.
MOOD_LASTS, VERDICT_WITHIN = 3.0, 50.0


@pytest.fixture
def beating(stack: Stack) -> Iterator[Stack]:
    """A stack with beat, in which an earlier test's outage is over; a process killed during one never says so."""

    def is_calm() -> bool:
        said = stack.lines_since(dict.fromkeys(stack.sizes(), 0), about="Redis").values()
        return all("is back after" in lines[-1] for lines in said if lines)

    with suppress(TimeoutError):
        eventually(is_calm, within=12)
    stack.start_beat()
    yield stack
    stack.kill_beat()


@pytest.mark.parametrize("mood", MOODS)
def test_workers_wait_and_verdicts_follow(beating: Stack, mood: str) -> None:
    begin, end, noticing = MOODS[mood]
    seat = beating.seat(beating.ask("deal", variant="braid", seed=token_hex(32)))
    seat.play_at(0, moves=2)
    sizes = beating.sizes()

    def lines_of(kind: str) -> list[str]:
        logs = beating.lines_since(sizes, about="Redis")
        return next((lines for name, lines in logs.items() if name.startswith(kind) and lines), [])

    with redis.Redis.from_url(beating.redis.url) as client:
        try:
            client.execute_command(*begin.split(" "))
            seat.resign()  # its task cannot be queued
            beating.get(0, "/races/")
            eventually(lambda: all(map(lines_of, noticing)), within=60)
            time.sleep(MOOD_LASTS)  # errors go on
        finally:
            client.execute_command(*end.split(" "))
    assert await_ranks(seat, within=VERDICT_WITHIN) == [1]
    assert beating.ended() == []
    eventually(lambda: all(len(lines) != 1 for lines in beating.lines_since(sizes, about="Redis").values()), within=60)
    for name, lines in beating.lines_since(sizes, about="Redis").items():
        assert len(lines) in {0, 2}, (name, lines)
        if lines:
            assert f"Redis at 127.0.0.1:{beating.redis.port} is not writable" in lines[0]
            assert f"Redis at 127.0.0.1:{beating.redis.port} is back after" in lines[1]
