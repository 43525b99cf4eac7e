"""Who is at a table: each process says so in one row, every few seconds while somebody plays there.

Nothing is written when a move is played. A process that has died is forgotten when its row has not been renewed for a
while, and what it said needs no tidying up. `games.presence.summary` adds the rows up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import Error
from django.utils import timezone

from games.live.loading import off_loop
from games.live.table import LiveTable
from games.live.tables import LiveTables
from games.models import Presence
from games.players import people

log = logging.getLogger(__name__)

#: Seconds between two reports of a process.
PERIOD: Final = 5.0
#: How long a report is believed.
GOOD_FOR: Final = timedelta(seconds=20)
#: Players of one deal and process whose names may be shown.
NAMED: Final = 20

_FIELDS: Final = ["seen_at", "day", "players", "tables"]

Seats = Mapping[str, dict[int, int]]
"""The players at the tables of each variant's deal of the day, with how many cards they have up."""


def seats_at(tables: Iterable[LiveTable], now: datetime) -> dict[str, dict[int, int]]:
    """Which of today's deals are being played, by whom, and how far they are."""
    today = now.astimezone(UTC).date().isoformat()
    seats: dict[str, dict[int, int]] = {}
    for table in tables:
        if table.deal.day == today:
            seats.setdefault(table.deal.variant, {})[table.player_id] = table.cards_up
    return seats


class Reporter:
    """Keeps a process's row true for as long as the process has an event loop."""

    def __init__(self, tables: LiveTables) -> None:
        self._process = tables.process
        self._tables = tables
        self._task: asyncio.Task[None] | None = None
        self._has_row = False
        self._accounts: dict[int, bool] = {}
        """Of the players who are here now: whether they have accounts, and so names."""

    @classmethod
    def begin(cls, tables: LiveTables) -> Reporter:
        """Report from now on who is at these tables."""
        reporter = cls(tables)
        reporter._task = asyncio.create_task(reporter._keep_reporting())
        return reporter

    async def close(self) -> None:
        """Stop reporting; what was said last is believed for a few seconds more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def report(self) -> None:
        """Say once who is here; nothing is written while nobody is, and was."""
        now = timezone.now()
        seats = seats_at(self._tables.attended(), now)
        if seats or self._has_row:
            await off_loop(self._write)(seats, now)
            self._has_row = bool(seats)

    async def _keep_reporting(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            try:
                await self.report()
            except Error:
                log.warning("who is playing could not be written", exc_info=True)

    def _write(self, seats: Seats, now: datetime) -> None:
        if not seats:
            Presence.objects.filter(process=self._process).delete()
            return
        here = {player for players in seats.values() for player in players}
        self._learn(here)
        told = {variant: self._told(players) for variant, players in seats.items()}
        row = Presence(process=self._process, seen_at=now, day=now.date(), players=len(here), tables=told)
        Presence.objects.bulk_create([row], update_conflicts=True, unique_fields=["process"], update_fields=_FIELDS)
        if not self._has_row:
            Presence.objects.filter(seen_at__lt=now - GOOD_FOR * 10).delete()

    def _told(self, players: Mapping[int, int]) -> dict[str, Any]:
        """What is said of those at one deal; guests are counted only."""
        accounts = [player for player in reversed(list(players)) if self._accounts[player]][:NAMED]
        return {"now": len(players), "accounts": accounts, "cards_up": [players[player] for player in accounts]}

    def _learn(self, here: set[int]) -> None:
        """Find out who of those who have just come have accounts, and forget those who have gone."""
        new = here - self._accounts.keys()
        accounts = people().accounts_among(new) if new else set()
        known = {player: has for player, has in self._accounts.items() if player in here}
        self._accounts = known | {player: player in accounts for player in new}
