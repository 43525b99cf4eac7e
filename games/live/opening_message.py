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
    whole, now, public_id = loaded(found), clock.now_ms(), found.attempt.public_id
    if now < whole.deals_at_ms:
        return _told(frames.waiting(public_id, now, whole))
    for token in whole.tokens:
        whole.table.push(token)
    last_ms = whole.clock[-1] if whole.clock else 0
    return _told(frames.view(whole.table, public_id, whole.elapsed_ms(last_ms, now), whole))


def _told(message: protocol.View | protocol.Waiting) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(message)
    return told
