"""How many messages a player may send, over all connections to this process.

Counted in memory, unlike requests (`games.limits`): a move cannot wait for a count in Redis.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Final
from weakref import WeakValueDictionary

#: Messages a second, and how many may come at once. It guards the server; what pace is human is for the verifier.
RATE: Final = 50.0
BURST: Final = 100.0


class Allowance:
    """A token bucket: it holds `burst` and refills at `rate`, those of messages unless others are given."""

    __slots__ = ("__weakref__", "_at", "_burst", "_left", "_rate")

    def __init__(self, rate: float | None = None, burst: float | None = None) -> None:
        self._rate = RATE if rate is None else rate
        self._left = self._burst = BURST if burst is None else burst
        self._at = monotonic()

    @property
    def fills_in(self) -> float:
        """Seconds in which an empty one is full."""
        return self._burst / self._rate

    def spend(self) -> int:
        """Take one; returns 0, or after how many milliseconds one will be there."""
        now = monotonic()
        left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if left < 1:
            self._left = left
            return max(1, round((1 - left) / self._rate * 1000))
        self._left = left - 1
        return 0


_shared: WeakValueDictionary[int, Allowance] = WeakValueDictionary()
_of_others: WeakValueDictionary[tuple[str, int], Allowance] = WeakValueDictionary()


def allowance_of(player_id: int | None) -> Allowance:
    """A player's allowance in this process; a visitor's is the connection's own."""
    return Allowance() if player_id is None else _shared.setdefault(player_id, Allowance())


def share_of(player_id: int | None, what: str, rate: float, burst: float) -> Allowance:
    """A player's allowance of something other than messages; a visitor's is the connection's own."""
    if player_id is None:
        return Allowance(rate, burst)
    kept = _of_others.get((what, player_id))
    if kept is None:
        kept = _of_others[what, player_id] = Allowance(rate, burst)
    return kept


def keep_until_full(allowance: Allowance) -> None:
    """Forget it no sooner than a new one would have as much in it: connecting again gains nothing."""
    asyncio.get_running_loop().call_later(allowance.fills_in, _let_go, allowance)


def _let_go(_allowance: Allowance) -> None:
    """The reference that the loop has kept ends with this call."""
