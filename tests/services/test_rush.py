"""Rush benchmark: queued visitors wait as the page does, and rejected ones are counted."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from benchmarks import rush
from benchmarks.rush_parts import NEW, QUEUE, Arriving, Found, Paced, Playing

Told = tuple[int, dict[str, str], bytes]
QUEUED: Told = (503, {}, b'<b id="queue-place">7</b>')
SHOWN: Told = (200, {}, b"the page")


def standing(**told: Any) -> Told:
    return 200, {}, json.dumps(told).encode()


class Scripted(Arriving):
    """A visitor with scripted answers who goes no further than the table."""

    def __init__(self, *answers: Told) -> None:
        super().__init__((0, 0), "10.0.0.1", NEW, Found())
        self.cookies["csrftoken"] = "x"
        self.answers = list(answers)
        self.asked: list[str] = []

    async def ask(self, method: str, path: str, form: bytes = b"") -> Told:
        self.asked.append(f"{method} {path}" + (" with a form" if form else ""))
        return self.answers.pop(0)

    async def table(self) -> None:
        pass

    async def play(self, moves: int) -> None:
        pass


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    yielding = asyncio.sleep

    async def sleep(seconds: float) -> None:
        found.append(seconds)
        await yielding(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr(random, "choice", lambda _: "braid")
    return found


async def test_queued_players_wait_and_get_in(slept: list[float]) -> None:
    begun: Told = (302, {"location": "/table/1/"}, b"")
    queue = "/queue/?next=%2Fplay%2Fbraid%2F"
    back, on = (303, {"location": queue}, b""), (303, {"location": "/play/braid/"}, b"")
    waits = standing(let_in=False), standing(let_in=True)
    visitor = Scripted(SHOWN, SHOWN, back, QUEUED, *waits, on, SHOWN, begun)
    await visitor.come()
    start, form, shown = "GET /play/braid/", "POST /play/braid/start with a form", f"GET {queue}"
    assert visitor.asked == ["GET /", start, form, shown, f"GET {QUEUE}", f"GET {QUEUE}", shown, start, form]
    found = visitor.found
    assert (found.arrived, len(found.waits), found.refused) == (1, 1, {})
    assert len(found.steps["start page, newcomer"]) == 2
    assert len(found.steps["start, newcomer"]) == 1
    assert len(found.turns) == 1


async def test_no_other_answer_is_mistaken_for_the_queue(slept: list[float]) -> None:
    visitor = Scripted((503, {}, b"full"))
    await visitor.come()
    assert (visitor.found.arrived, sum(visitor.found.refused.values())) == (0, 1)
    assert slept == []


@pytest.mark.parametrize(("refused", "late", "code"), [(0, 29.0, 0), (1, 10.0, 1), (0, 31.0, 1)])
def test_a_missed_target_is_reported(refused: int, late: float, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    facts = {"refused": refused, "moves": {"idle_p99": 10.0, "rush_p99": late}}
    assert rush.report(facts, as_json=True) == code
    assert json.loads(capsys.readouterr().out) == facts


def test_order_is_judged_within_a_process() -> None:
    turns = [(1, 0.0, 5.0), (1, 1.0, 6.0), (1, 2.0, 5.5), (2, 0.0, 9.0)]
    assert rush.order(turns) == pytest.approx(2 / 3)
    assert rush.order([]) == 1.0


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({}, 0),
        ({"seated": {"p50": 1, "p95": 9_000, "p100": 1}}, 1),
        ({"firsts": {"p50": 1, "p95": 1_500}}, 1),
        ({"order": 0.9}, 1),
        ({"refused": 1}, 1),
    ],
)
def test_a_burst_that_misses_a_target_fails(changed: dict[str, Any], code: int) -> None:
    moves = {f"{when}_{name}": 50.0 for when in ("idle", "rush") for name in ("p50", "p95", "p99")}
    waits = {"p50": 1.0, "p95": 1.0, "p100": 1.0}
    facts = {"newcomers": 300, "seconds": 3.0, "playing": 1, "cpu_used": 8.0, "cores": 2.0, "cpu": {}, "queued": 1}
    facts |= {"waits": waits, "moves": moves, "seated": {"p50": 1, "p95": 7_900, "p100": 1}, "order": 1.0}
    facts |= {"firsts": {"p50": 1, "p95": 900}, "refused": 0, "reasons": {}}
    assert rush.report_burst(facts | changed) == code


def test_a_finished_game_gets_no_more_moves() -> None:
    playing = Playing({"ports": [1], "players": []})
    one = Paced(playing, "/ws/play/1/", "session", plays=True)
    playing.going = True
    one.received(b'{"type": "ended", "n": 53}')
    one.send()  # no connection exists to send it over
    assert playing.waits == []
