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
    facts, public_id = loaded(found), found.attempt.public_id
    attempt_clock = clock.Clock(facts, facts.clock[-1] if facts.clock else 0)
    message: protocol.View | protocol.Waiting
    if attempt_clock.ms_until_deal() > 0:
        message = frames.waiting(public_id, clock.now_ms(), facts)
    else:
        for token in facts.tokens:
            facts.push(token)
        message = frames.view(public_id, attempt_clock.elapsed_ms(), facts)
    data: dict[str, Any] = msgspec.to_builtins(message)
    return data
