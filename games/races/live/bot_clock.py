"""Clock of a room's bots: plays their moves on time while someone has the room or a table open here."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import TypeGuard

from games.live.loader import off_loop
from games.races.bots import moves
from games.races.live.audience import Audience
from games.races.live.snapshot import RaceFacts
from games.races.models import Race


class BotClock:
    """The due times of one room's bots."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience
        self._racing: str | None = None
        self._next_at = -inf

    async def play(self) -> float:
        """Play the moves that are due, and show them."""
        facts = self._audience.facts
        running = facts.running
        if not _has_bots(running):
            return inf
        if running.message.id != self._racing:
            self._racing, self._next_at = running.message.id, -inf
        if monotonic() >= self._next_at:
            found = await off_loop(moves.play_due)(facts.id)
            self._next_at = inf if found.next_ms is None else monotonic() + found.next_ms / 1000
            for entrant, figures in found.figures.items():
                self._audience.progress.learn(entrant, figures)
        return self._next_at


def _has_bots(race: RaceFacts | None) -> TypeGuard[RaceFacts]:
    return race is not None and race.state == Race.State.RACING and any(entrant.is_bot for entrant in race.entrants)
