"""Notifier: sends change notices from any thread without blocking."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from games.core import events
from games.core.events import Notifier

ROOT = Path(__file__).resolve().parents[3]
Sent = list[tuple[str, Any]]


class Layer:
    """A channel layer that can be blocked."""

    def __init__(self) -> None:
        self.sent: Sent = []
        self.taking = threading.Event()
        self.open = threading.Event()
        self.open.set()

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        self.taking.set()
        if group == "broken":
            raise OSError
        if group == "over":
            raise asyncio.CancelledError
        if group == "hanging":
            await asyncio.sleep(3600)
        await asyncio.to_thread(self.open.wait)
        self.sent.append((group, message.get("n", message["type"])))


@pytest.fixture
def layer(monkeypatch: pytest.MonkeyPatch) -> Layer:
    made = Layer()
    monkeypatch.setattr(events, "get_channel_layer", lambda: made)
    return made


@pytest.fixture
def held(layer: Layer) -> Iterator[tuple[Layer, Notifier]]:
    """A notifier in the middle of sending, so that new messages queue up."""
    notifier = Notifier()
    layer.open.clear()
    notifier.send("first", {"type": "x", "n": 0})
    assert layer.taking.wait(60)
    yield layer, notifier
    layer.open.set()


def told(held: tuple[Layer, Notifier]) -> Sent:
    layer, notifier = held
    layer.open.set()
    assert notifier.flush(10)
    return layer.sent[1:]


def test_the_notifier_opens_no_event_loop() -> None:
    parts = [path for part in ("accounts", "config", "games", "leaderboards") for path in (ROOT / part).rglob("*.py")]
    assert not [path for path in parts if "import async_to_sync" in path.read_text()]


def test_only_one_module_sends_tasks_and_messages() -> None:
    sending = re.compile(r"\bsend_task\(|\.(?:delay|apply_async)\(|\bgroup_send\(")
    parts = [path for part in ("accounts", "games", "leaderboards") for path in (ROOT / part).rglob("*.py")]
    assert [path.name for path in parts if sending.search(path.read_text())] == ["events.py"]


def test_an_unsent_task_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.current_app.send_task", Mock(side_effect=OSError))
    assert not events.request_task("talon.verify", 1)
    monkeypatch.setattr("celery.current_app.send_task", Mock(side_effect=SoftTimeLimitExceeded))
    with pytest.raises(SoftTimeLimitExceeded):
        events.request_task("talon.verify", 1)


def test_duplicate_messages_are_sent_once(held: tuple[Layer, Notifier]) -> None:
    _, notifier = held
    for n in range(50):
        notifier.send("a", {"type": "x", "n": n})
    notifier.send("b", {"type": "x", "n": 7})
    assert told(held) == [("a", 49), ("b", 7)]


def test_messages_of_two_processes_are_no_duplicates(held: tuple[Layer, Notifier]) -> None:
    _, notifier = held
    for process in ("here", "there"):
        notifier.send("a", {"type": "opened", "n": process, "process": process})
    assert told(held) == [("a", "here"), ("a", "there")]


def test_messages_about_two_objects_are_no_duplicates(held: tuple[Layer, Notifier]) -> None:
    _, notifier = held
    for n, about in enumerate([1, 2, 1]):
        notifier.send("a", {"type": "changed", "n": n}, about=about)
    assert told(held) == [("a", 1), ("a", 2)]


def test_a_repeated_message_moves_to_the_end(held: tuple[Layer, Notifier]) -> None:
    """Opened, left and opened again: a listener must not end with "left"."""
    _, notifier = held
    for what in ("opened", "left", "opened"):
        notifier.send("a", {"type": what})
    assert told(held) == [("a", "left"), ("a", "opened")]


def test_a_later_batch_does_not_overtake(layer: Layer) -> None:
    notifier = Notifier()
    for n in range(20):
        notifier.send(f"group{n}", {"type": "x", "n": n})
    assert notifier.flush(10)
    assert [n for _, n in layer.sent] == list(range(20))


@pytest.mark.parametrize("failing", ["broken", "over"])
def test_a_failing_message_is_lost_alone(layer: Layer, failing: str) -> None:
    notifier = Notifier()
    for group in (failing, "a"):
        notifier.send(group, {"type": "x"})
    assert notifier.flush(10)
    assert layer.sent == [("a", "x")]


def test_a_hanging_layer_does_not_build_up_a_queue(
    held: tuple[Layer, Notifier], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waiting the full time for each message would delay each one more than the last."""
    monkeypatch.setattr(events, "_PATIENCE", 0.01)
    _, notifier = held
    for group in ("hanging", "b", "c"):
        notifier.send(group, {"type": "x"})
    assert told(held) == []
    monkeypatch.setattr(events, "_PATIENCE", 10)  # a busy machine may need more than the ms that the others waited
    notifier.send("d", {"type": "x"})
    assert told(held) == [("d", "x")]


def test_the_queue_is_bounded(held: tuple[Layer, Notifier], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MAX_WAITING", 3)
    _, notifier = held
    for n in range(10):
        notifier.send(f"group{n}", {"type": "x", "n": n})
    assert [n for _, n in told(held)] == [0, 1, 2]


def test_a_forked_process_has_its_own_thread(layer: Layer) -> None:
    """Worker processes fork, possibly while the parent holds the lock."""
    events.notifier.send("parent", {"type": "x"})
    assert events.notifier.flush(10)
    with events.notifier._lock:
        child = os.fork()
        if child == 0:
            events.notifier.send("child", {"type": "x"})
            os._exit(0 if events.notifier.flush(10) and layer.sent[-1] == ("child", "x") else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
