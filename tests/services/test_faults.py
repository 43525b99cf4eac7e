"""Fault injection: no acknowledged move or result is lost, and none is ranked twice or unverified, whatever dies."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from uuid import UUID

import psycopg
import pytest
import redis

from deploy.servers import eventually
from games.core.events import attempt_group
from games.rules import CATALOGUE
from tests.services.stack import Seat, Stack, await_ranks

pytestmark = [pytest.mark.services, pytest.mark.slow]

#: The only worker that takes the tasks which judge games.
VERDICTS = "worker"


@pytest.fixture
def deal(stack: Stack, request: pytest.FixtureRequest) -> Iterator[int]:
    """A deal of the test's own, independent of the test order; its boards must be free of faults at the end."""
    # A rerun of the test needs another deal.
    seed = sha256(f"{request.node.name} {getattr(request.node, 'execution_count', 1)}".encode())
    variant = list(CATALOGUE)[seed.digest()[0] % len(CATALOGUE)]
    deal: int = stack.ask("deal", variant=variant, seed=seed.hexdigest())
    yield deal
    stack.mend()
    assert stack.ask("faults", deal=deal) == []


def listeners(stack: Stack, seat: Seat) -> int:
    """Return the number of processes that listen to a table's events."""
    channel = f"talon__group__{attempt_group(UUID(seat.attempt))}"
    with redis.Redis.from_url(stack.redis.url) as client:
        return int(dict(client.pubsub_numsub(channel))[channel.encode()])


def shows_board(stack: Stack, index: int, deal: int) -> None:
    """Wait until a web process shows a board; its pool may still be reconnecting to a database that a test killed."""
    eventually(lambda: stack.get(index, f"/api/v1/boards/{deal}") == 200, within=30)


def test_a_game_moves_between_processes_and_is_ranked(stack: Stack, deal: int) -> None:
    seat = stack.seat(deal)
    seat.play_at(0, moves=4)
    seat.finish_at(1, moves=4)
    verdict = seat.hear()
    assert (verdict["type"], verdict["state"], verdict["rank"]) == ("verdict", "verified", 1)
    assert await_ranks(seat) == [1]
    for index in range(2):
        shows_board(stack, index, deal)


def test_the_first_move_after_a_redis_restart_arrives(stack: Stack, deal: int) -> None:
    seat = stack.seat(deal)
    seat.sit(0)
    other = Seat(stack, seat.session, seat.attempt, seat.id, seat.player)
    other.sit(1)
    # Make both processes send and listen over their connections to Redis.
    seat.play(1)
    heard = other.hear()
    assert (heard["type"], heard["n"], heard["token"]) == ("moved", 1, seat.acknowledged[1])
    assert listeners(stack, seat) == 2
    stack.redis.stop()
    stack.redis.start()
    eventually(lambda: listeners(stack, seat) == 2)
    seat.play(1)
    assert other.hear()["n"] == 2
    seat.resign()
    assert await_ranks(seat) == [1]


def test_a_worker_killed_in_mid_task_only_delays_the_verdict(stack: Stack, deal: int) -> None:
    seat = stack.seat(deal)
    seat.play_at(0, moves=3)
    with psycopg.connect(stack.postgres.url) as holding:
        # The settlement waits for this row in the middle of its transaction.
        holding.execute("SELECT 1 FROM accounts_user WHERE public_id = %s FOR UPDATE", [seat.player])
        seat.resign()
        eventually(lambda: stack.waits_for_lock("accounts_user"))
        stack.kill_workers(VERDICTS)
    assert seat.state()["state"] == "pending"
    stack.start_worker(VERDICTS)
    assert stack.ask("sweep", minutes=2) == 1
    assert await_ranks(seat) == [1]
    assert stack.ask("version", deal=deal) == 1


def test_a_worker_resumes_its_tasks_after_a_redis_outage(stack: Stack, deal: int) -> None:
    *held, later = (stack.seat(deal) for _ in range(4))
    with psycopg.connect(stack.postgres.url) as holding:
        holding.execute("SELECT 1 FROM accounts_user WHERE public_id = %s FOR UPDATE", [held[0].player])
        for seat in held:
            seat.finish_at(0, moves=2)
        eventually(lambda: stack.waits_for_lock("accounts_user"))
        stack.redis.stop()
        stack.redis.start()
    eventually(lambda: stack.ask("sweep", minutes=10) == 0, every=2.0)
    later.finish_at(0, moves=2)
    assert await_ranks(*held, later) == [1, 2, 3, 4]


def test_an_unsettleable_attempt_delays_others_only_briefly(stack: Stack, deal: int) -> None:
    stuck, *others = (stack.seat(deal) for _ in range(3))
    with psycopg.connect(stack.postgres.url) as holding:
        holding.execute("SELECT 1 FROM accounts_user WHERE public_id = %s FOR UPDATE", [stuck.player])
        for seat in (stuck, *others):
            seat.finish_at(0, moves=3)
        assert await_ranks(*others) == [1, 2]
        assert stuck.state()["state"] == "pending"
    assert await_ranks(stuck, *others) == [1, 2, 3]
