"""The rush's visitors wait in the queue as its page does, and whoever is turned away is counted."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from benchmarks import rush, rush_parts
from benchmarks.rush_parts import NEW, QUEUE, Arriving, Found, Paced, Playing

Told = tuple[int, dict[str, str], bytes]
QUEUED: Told = (503, {}, b'<b id="queue-place">7</b>')
SHOWN: Told = (200, {}, b"the page")


def standing(**told: Any) -> Told:
    return 200, {}, json.dumps(told).encode()


class Scripted(Arriving):
    """A visitor who is answered as a test says, and goes no further than to the table."""

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


async def test_whoever_is_queued_waits_and_goes_on(slept: list[float]) -> None:
    begun: Told = (302, {"location": "/table/1/"}, b"")
    back: Told = (303, {"location": "/play/braid/"}, b"")
    waits = standing(let_in=False, retry_after=4), standing(let_in=True)
    visitor = Scripted(SHOWN, SHOWN, back, QUEUED, *waits, SHOWN, begun)
    await visitor.come()
    start, form = "GET /play/braid/", "POST /play/braid/start with a form"
    assert visitor.asked == ["GET /", start, form, start, f"GET {QUEUE}", f"GET {QUEUE}", start, form]
    found = visitor.found
    assert (found.arrived, len(found.waits), found.refused) == (1, 1, {})
    assert len(found.steps["start page, newcomer"]) == 2
    assert len(found.steps["start, newcomer"]) == 1
    assert slept[2:4] == [rush_parts.FIRST, 4]


async def test_no_other_answer_is_taken_for_the_queue(slept: list[float]) -> None:
    visitor = Scripted((503, {}, b"full"))
    await visitor.come()
    assert (visitor.found.arrived, sum(visitor.found.refused.values())) == (0, 1)
    assert slept == []


@pytest.mark.parametrize(("refused", "late", "code"), [(0, 29.0, 0), (1, 10.0, 1), (0, 31.0, 1)])
def test_a_missed_aim_is_told(refused: int, late: float, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    facts = {"refused": refused, "moves": {"idle_p99": 10.0, "rush_p99": late}}
    assert rush.report(facts, as_json=True) == code
    assert json.loads(capsys.readouterr().out) == facts


def test_a_game_that_is_over_is_played_no_further() -> None:
    playing = Playing({"port": 1, "players": []})
    one = Paced(playing, "/ws/play/1/", "session", plays=True)
    playing.going = True
    one.received(b'{"type": "ended", "n": 53}')
    one.send()  # there is no connection that it could be sent over
    assert playing.waits == []
