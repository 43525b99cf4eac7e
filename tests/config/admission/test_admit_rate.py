"""Order of the waiting queue, and the admission rate on a simulated server that serves one page at a time."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from config.admission import waiting_queue
from config.admission.admit_rate import BURST, PRIOR, UTILIZATION, AdmitRate
from config.admission.gate import MAX_BACKLOG
from config.admission.load import BEAT, TARGET, Load
from config.admission.waiting_queue import WaitingQueue, update_interval
from config.http.handler import THREADS, SyncHandler
from games.core.admission_ticket import Ticket


@dataclass
class Server:
    """A process that serves `capacity` pages per second behind the controller.

    A newcomer loads its `pages` in sequence: at once if it did not have to wait, else `thought` seconds after it was
    admitted.
    """

    capacity: float
    pages: int = 2
    thought: tuple[float, float] = (1.0, 3.0)
    players: float = 0.0
    """Pages per second requested by admitted players."""
    now: float = 0.0
    queue: WaitingQueue = field(default_factory=WaitingQueue)
    let_in: list[Ticket] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    queued: int = 0
    last_served: float = 0.0

    def __post_init__(self) -> None:
        self.load, self.rate, self.random = Load(SyncHandler(), lambda: 0), AdmitRate(), random.Random(1)
        self.due: list[float] = []
        self.work: deque[float] = deque()
        self.left = self.players_due = 0.0

    def arrive(self, number: int) -> None:
        """Admit or queue a newcomer as the gate does."""
        ticket = Ticket(int(self.now * 1e9) + number, str(number))
        if self.is_full or self.queue:
            self.queue.enter(ticket, 1e9)
            self.queued += 1
        else:
            self._go_in(ticket, (0.0, 0.1))

    @property
    def is_full(self) -> bool:
        return self.load.is_full or len(self.work) / self.rate.pages_per_second > MAX_BACKLOG

    def _go_in(self, ticket: Ticket, thought: tuple[float, float]) -> None:
        self.let_in.append(ticket)
        begun = self.now + self.random.uniform(*thought)
        for page in range(self.pages):
            heappush(self.due, begun + page * 0.05)

    def beat(self) -> None:
        self.now += BEAT
        while self.due and self.due[0] <= self.now:
            self.work.append(heappop(self.due))
        self.players_due += self.players * BEAT
        while self.players_due >= 1:
            self.players_due -= 1
            self.work.append(self.now)
        self.left += BEAT
        served = 0
        while self.work and self.left >= 1 / self.capacity:
            self.left -= 1 / self.capacity
            self.delays.append(self.now - self.work.popleft())
            served += 1
            self.last_served = self.now
        busy = bool(self.work) or self.random.random() < served / self.capacity / BEAT
        if not self.work:
            self.left = 0.0
        self.load.note(max(0, len(self.work) - THREADS + 1) / self.capacity, self.now)
        if self.queue:
            self.rate.note(BEAT, busy=busy, pages=served, has_room=not self.is_full)
            while self.queue and self.rate.take():
                self._go_in(self.queue.pop(), self.thought)

    def run(self, arrivals: int, within: float) -> None:
        """Have newcomers arrive evenly within this many seconds, and run until all are served."""
        came = 0
        while came < arrivals or self.queue or self.due or self.work:
            while came < arrivals and came * within / arrivals <= self.now:
                self.arrive(came)
                came += 1
            self.beat()
            assert self.now < 600, "newcomers are never admitted"


@pytest.fixture(autouse=True)
def _controlled(settings: Settings) -> None:
    settings.ADMISSION, settings.MAX_SOCKETS = True, 0


@pytest.mark.parametrize("capacity", [30, 60, 120, 240])
@pytest.mark.parametrize("thought", [(0.02, 0.1), (1.0, 3.0)])
def test_rate_converges_to_the_capacity(capacity: float, thought: tuple[float, float]) -> None:
    server = Server(capacity, thought=thought)
    newcomers = int(capacity * 15)
    server.run(newcomers, 3.0)
    needed = newcomers * server.pages / capacity
    assert server.last_served < 1.2 * needed / UTILIZATION + thought[1]


@pytest.mark.parametrize(("pages", "thought"), [(1, (1.0, 3.0)), (2, (1.0, 3.0)), (4, (1.0, 6.0)), (8, (0.1, 0.5))])
def test_rate_follows_the_cost_of_a_newcomer(pages: int, thought: tuple[float, float]) -> None:
    server = Server(60, pages, thought)
    server.run(1200 // pages, 3.0)
    assert server.last_served < 1.2 * 20 / UTILIZATION + thought[1]


def test_admitted_players_keep_their_share() -> None:
    server = Server(60, players=30)
    server.run(300, 3.0)
    assert server.last_served < 1.5 * 20 / UTILIZATION
    assert sorted(server.delays)[len(server.delays) // 2] < 4 * TARGET
    assert sorted(server.delays)[len(server.delays) * 95 // 100] < 2.0


def test_waiting_newcomers_leave_headroom_for_players() -> None:
    server = Server(60)
    server.run(900, 3.0)
    saturated = 900 * server.pages / server.capacity
    assert server.last_served > saturated / (UTILIZATION + 0.1)


def test_nobody_queues_below_the_capacity() -> None:
    server = Server(60)
    server.run(20 * 60, 60.0)
    assert server.queued == 0


def test_ten_times_the_load_is_served_in_order() -> None:
    server = Server(60)
    server.run(3000, 3.0)
    assert server.let_in == sorted(server.let_in)
    assert len(server.let_in) == 3000
    assert server.last_served < 1.2 * 100 / UTILIZATION


def test_rate_recovers_after_an_outage() -> None:
    server = Server(60)
    for _ in range(1200):
        server.rate.note(0.1, busy=True, pages=0, has_room=False)
    server.run(900, 3.0)
    assert server.last_served < 1.2 * 30 / UTILIZATION + 3


def test_full_process_admits_no_one() -> None:
    rate = AdmitRate()
    rate.note(1.0, busy=True, pages=60, has_room=True)
    rate.note(0.1, busy=True, pages=6, has_room=False)
    assert not rate.take()


def test_a_quiet_second_earns_no_credit() -> None:
    rate = AdmitRate()
    rate.note(60.0, busy=True, pages=3600, has_room=True)
    assert sum(rate.take() for _ in range(1000)) <= max(1, rate.per_second * BURST) + 1


def test_the_first_rate_is_assumed_and_idle_hours_keep_it() -> None:
    rate = AdmitRate()
    assert rate.per_second == pytest.approx(UTILIZATION * PRIOR[2] / PRIOR[0])
    rate.note(7200.0, busy=False, pages=0, has_room=False)
    assert rate.per_second == pytest.approx(UTILIZATION * PRIOR[2] / PRIOR[0])


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
