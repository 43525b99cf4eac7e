"""What leaves the database after a commit: a task's name, a channel-layer message. Neither is ever the only copy."""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import Any

from asgiref.sync import async_to_sync
from celery import current_app
from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

_PATIENCE = 3.0  # seconds that a caller waits for the channel layer at most
# One quick second try, for a connection that went stale; the sweep sends again what was lost.
_RETRY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1}

_under_way: set[asyncio.Task[None]] = set()


def attempt_group(public_id: uuid.UUID) -> str:
    """The channel-layer group of everybody who has the attempt open."""
    return f"attempt.{public_id.hex}"


def request_verdict(attempt_id: int) -> None:
    """Ask a worker to verify the attempt; when the queue is down the sweep asks again."""
    try:
        current_app.send_task("talon.verify", args=[attempt_id], retry=True, retry_policy=_RETRY)
    except Exception:
        log.warning("verdict not requested", extra={"attempt": attempt_id}, exc_info=True)


def tell_attempt(public_id: uuid.UUID, message: dict[str, Any]) -> None:
    """Send a message to every process that has the attempt open, from a thread without a loop of its own."""
    async_to_sync(_send)(public_id, message)


def tell_attempt_soon(public_id: uuid.UUID, message: dict[str, Any]) -> None:
    """As `tell_attempt`, on the running loop and without waiting."""
    task = asyncio.get_running_loop().create_task(_send(public_id, message))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)


async def _send(public_id: uuid.UUID, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        await asyncio.wait_for(layer.group_send(attempt_group(public_id), message), timeout=_PATIENCE)
    except Exception:
        log.warning("attempt's group not told", extra={"attempt": str(public_id)}, exc_info=True)
