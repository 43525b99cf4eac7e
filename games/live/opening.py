"""The opening message: what a table's page shows before its socket is there."""

from __future__ import annotations

from typing import Any

import msgspec

from games.live import frames, protocol
from games.live.loading import Read, loaded
from games.live.table import now_ms


def opening_view(found: Read) -> dict[str, Any]:
    """The message `view` as the socket would send it now, or `waiting`; for the attempt's own player alone.

    Made from the database and forgotten: no live table is opened. The client says to the socket which number it has and
    gets what was played meanwhile.
    """
    whole, now, public_id = loaded(found), now_ms(), found.attempt.public_id
    if now < whole.deals_at_ms:
        return _told(frames.waiting(public_id, now, whole))
    for token in whole.tokens:
        whole.table.push(token)
    last_ms = whole.clock[-1] if whole.clock else 0
    return _told(frames.view(whole.table, public_id, whole.elapsed_ms(last_ms, now), whole))


def _told(message: protocol.View | protocol.Waiting) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(message)
    return told
