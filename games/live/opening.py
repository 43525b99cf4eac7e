"""The opening message: what a table's page shows before its socket is there."""

from __future__ import annotations

from typing import Any

import msgspec

from games.live import frames, protocol
from games.live.loading import load_rest
from games.live.table import now_ms
from games.models import Attempt


def opening_view(attempt: Attempt) -> dict[str, Any]:
    """The message `view` as the socket would send it now, or `waiting`; for the attempt's own player alone.

    Made from the database and forgotten: no live table is opened. The client says to the socket which number it has and
    gets what was played meanwhile.
    """
    loaded, now = load_rest(attempt), now_ms()
    if now < loaded.deals_at_ms:
        return _told(frames.waiting(attempt.public_id, now, loaded))
    for token in loaded.tokens:
        loaded.table.push(token)
    last_ms = loaded.clock[-1] if loaded.clock else 0
    return _told(frames.view(loaded.table, attempt.public_id, loaded.elapsed_ms(last_ms, now), loaded))


def _told(message: protocol.View | protocol.Waiting) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(message)
    return told
