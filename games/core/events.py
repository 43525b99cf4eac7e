"""Post-commit events: Celery task requests and channel-layer messages. Neither is ever the only copy of a fact.

Workers, web threads and the event loop only enqueue a message. One sender thread with one event loop and one connection
serves the whole process; `async_to_sync` would open a loop and connections for each message, which costs more than
closing an attempt.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import uuid
from collections.abc import Hashable
from typing import Any, Final

from celery import current_app
from celery.exceptions import SoftTimeLimitExceeded
from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

#: Maximum length of the send queue; further messages are dropped.
MAX_WAITING: Final = 10_000
_PATIENCE: Final = 5.0  # seconds for the channel layer to take one message
# One quick retry, for a stale connection; the periodic sweep repeats lost requests.
_RETRY: Final = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1}

Message = dict[str, Any]
_Key = tuple[str, str, str, Hashable]


def attempt_group(public_id: uuid.UUID) -> str:
    """Return the channel-layer group of the processes that have the attempt open."""
    return f"attempt.{public_id.hex}"


def request_task(name: str, *args: int | str, countdown: float | None = None) -> bool:
    """Enqueue a Celery task; return False, instead of raising, if the queue did not accept it."""
    try:
        current_app.send_task(name, args=args, countdown=countdown, retry=True, retry_policy=_RETRY)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        log.warning("task not sent", extra={"task": name, "about": args}, exc_info=True)
        return False
    return True


def request_verdict(attempt_id: int) -> bool:
    """Enqueue the verification of an attempt; if the queue is down, the periodic sweep requests it again."""
    return request_task("talon.verify", attempt_id)


def notify_attempt(public_id: uuid.UUID, event: str, **data: Any) -> None:  # noqa: ANN401
    """Send a message to every process that has the attempt open; never blocks or raises."""
    notifier.send(attempt_group(public_id), {"type": f"attempt.{event}", "attempt": public_id.hex, **data})


async def send(group: str, message: Message) -> None:
    """Send a message from the event loop and wait for the layer, for urgent messages that must not be coalesced.

    :raises Exception: whatever the layer raises.
    """
    layer: Any = get_channel_layer()
    await layer.group_send(group, message)


class Notifier:
    """Sender thread of a process, with a coalescing queue. It starts with the first message, because workers fork.

    Messages are sent in order. A message replaces a queued one of the same type about the same subject and moves to the
    end of the queue. A receiver that misses a message reads the database later.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset all state, as in a forked child, which has no thread and whose copy of the lock may stay locked."""
        self._lock = threading.Lock()
        self._waiting: dict[_Key, Message] = {}
        self._wake = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None

    def send(self, group: str, message: Message, about: Hashable = None) -> None:
        """Enqueue `message` for `group`; never blocks or raises. In a group with many subjects, `about` names one."""
        key = group, message["type"], message.get("process", ""), about
        with self._lock:
            self._waiting.pop(key, None)
            if len(self._waiting) >= MAX_WAITING:
                return
            self._waiting[key] = message
            self._idle.clear()
            if self._thread is None:
                self._start()
        self._wake.set()

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until the queue is empty; return False on timeout."""
        return self._idle.wait(timeout)

    def _start(self) -> None:
        thread = threading.Thread(target=self._work, name="notices", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            log.warning("no thread to send notices")  # the process is ending
        else:
            self._thread = thread

    def _work(self) -> None:
        """Send queued messages for the lifetime of the process; runs in the thread."""
        with asyncio.Runner() as runner:
            while self._wake.wait():
                self._wake.clear()
                while batch := self._take():
                    runner.run(self._send_all(batch))

    def _take(self) -> dict[_Key, Message]:
        with self._lock:
            batch, self._waiting = self._waiting, {}
            if not batch:
                self._idle.set()
        return batch

    async def _send_all(self, batch: dict[_Key, Message]) -> None:
        layer: Any = get_channel_layer()
        for sent, ((group, *_), message) in enumerate(batch.items()):
            try:
                async with asyncio.timeout(_PATIENCE):
                    await layer.group_send(group, message)
            except TimeoutError:
                # The layer hangs: waiting this long for every remaining message would delay them all.
                log.warning("%d notices were lost", len(batch) - sent, exc_info=True, extra={"server": "Redis"})
                return
            except (Exception, asyncio.CancelledError):  # cancelled when the receiver's loop ends
                log.warning("a notice to %s was lost", group, exc_info=True)


notifier = Notifier()
os.register_at_fork(after_in_child=notifier.reset)
