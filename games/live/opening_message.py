"""Opening message: the first view, embedded in a table's page so that it renders before the socket connects."""

from __future__ import annotations

from typing import Any

import msgspec

from games.live import clock, frames, protocol
from games.live.loader import Read, loaded


def opening_view(found: Read) -> dict[str, Any]:
    """Return the `view` or `waiting` message that the socket would send now. Show it to the attempt's player only.

    It is built from the database without opening a live table. The client tells the socket the last number it has, and
    receives what was played since.
    """
    attempt, now, public_id = loaded(found), clock.now_ms(), found.attempt.public_id
    if now < attempt.deals_at_ms:
        return _to_builtins(frames.waiting(public_id, now, attempt))
    for token in attempt.tokens:
        attempt.push(token)
    last_ms = attempt.clock[-1] if attempt.clock else 0
    return _to_builtins(frames.view(attempt.table, public_id, attempt.elapsed_ms(last_ms, now), attempt))


def _to_builtins(message: protocol.View | protocol.Waiting) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(message)
    return data
