"""Per-player rate limit for socket messages, shared by all of a player's connections to this process.

Counted in memory, unlike HTTP requests (`games.core.limits`): a move cannot wait for a round trip to Redis.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final
from weakref import WeakValueDictionary

#: Messages per second, and the burst size. This protects the server; the verifier judges whether a pace is human.
RATE: Final = 50.0
BURST: Final = 100.0


class Allowance:
    """A token bucket that holds `burst` tokens and refills at `rate` per second."""

    __slots__ = ("__weakref__", "_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._tokens = self._burst = burst
        self._at = monotonic()

    @property
    def fills_in(self) -> float:
        """Seconds it takes to refill an empty bucket."""
        return self._burst / self._rate

    def spend(self) -> int:
        """Take a token and return 0, or return the milliseconds until one is available."""
        now = monotonic()
        tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if tokens < 1:
            self._tokens = tokens
            return max(1, round((1 - tokens) / self._rate * 1000))
        self._tokens = tokens - 1
        return 0


_shared: WeakValueDictionary[tuple[int, str], Allowance] = WeakValueDictionary()


def allowance_of(player_id: int | None, kind: str = "messages", rate: float = RATE, burst: float = BURST) -> Allowance:
    """Return the player's allowance of a kind in this process; a visitor gets a new one for the connection."""
    allowance = Allowance(rate, burst)
    return allowance if player_id is None else _shared.setdefault((player_id, kind), allowance)


def retain_until_full(allowance: Allowance) -> None:
    """Keep the allowance until it would be full again, so that reconnecting gains nothing."""
    asyncio.get_running_loop().call_later(allowance.fills_in, lambda: allowance)  # the timer holds a reference
