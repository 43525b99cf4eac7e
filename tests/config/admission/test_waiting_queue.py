"""The waiting queue is in order of arrival, however often a client polls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.admission import waiting_queue
from config.admission.waiting_queue import WaitingQueue, update_interval
from games.core.admission_ticket import Ticket


def ticket(arrived: int) -> Ticket:
    return Ticket(arrived, f"client {arrived}")


def queue_of(*arrived: int, until: float = 10.0) -> WaitingQueue:
    queue = WaitingQueue()
    for moment in arrived:
        queue.enter(ticket(moment), until)
    return queue


@given(st.permutations(range(12)))
def test_queue_is_first_come_first_served(shown: list[int]) -> None:
    queue = queue_of(*shown)
    assert [queue.place(ticket(arrived)) for arrived in range(12)] == list(range(1, 13))
    assert [queue.pop() for _ in shown] == [ticket(arrived) for arrived in range(12)]
    assert not queue


def test_polling_often_gains_nothing() -> None:
    queue = queue_of(*range(50))
    assert {queue.enter(ticket(49), 10.0) for _ in range(100)} == {50}
    assert len(queue) == 50


def test_leaving_client_gives_up_its_place() -> None:
    queue = queue_of(1, 2, 3)
    queue.leave(ticket(1))
    queue.leave(ticket(1))
    assert [queue.place(ticket(arrived)) for arrived in (2, 3)] == [1, 2]


def test_absent_client_expires() -> None:
    queue = queue_of(1, 2)
    queue.enter(ticket(2), 20.0)
    queue.expire(15.0)
    assert queue.pop() == ticket(2)


def test_returning_client_keeps_its_place() -> None:
    queue = queue_of(1, 2)
    queue.expire(1e6)
    assert not queue
    queue.enter(ticket(2), 1e6)
    assert queue.enter(ticket(1), 1e6) == 1


def test_memory_for_tickets_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_queue, "MAX_TICKETS", 3)
    queue = queue_of(1, 2, 3, 4, 5)
    assert len(queue) == 3
    assert queue.enter(ticket(5), 10.0) == 4
    assert queue.enter(ticket(2), 10.0) == 2


def test_updates_are_less_frequent_further_back() -> None:
    intervals = [update_interval(place) for place in range(1, 5_000)]
    assert intervals == sorted(intervals)
    assert (intervals[0], intervals[-1]) == (1, 20)
