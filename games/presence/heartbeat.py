"""Presence heartbeat: each process reports its active players in one row, every few seconds while there are any.

Moves themselves write nothing. The row of a dead process expires because it is no longer renewed, so a crash needs no
cleanup. `games.presence.summary` adds the rows up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import Error
from django.utils import timezone

from games.db.players import player_services
from games.live.live_table import LiveTable
from games.live.loader import off_loop
from games.live.table_registry import LiveTables
from games.models import Presence

log = logging.getLogger(__name__)

#: Seconds between a process's reports.
PERIOD: Final = 5.0
#: Time after which a report expires.
GOOD_FOR: Final = timedelta(seconds=20)
#: Maximum named players reported per deal and process.
MAX_NAMED: Final = 20

_FIELDS: Final = ["seen_at", "day", "players", "tables"]

Seats = Mapping[str, dict[int, int]]
"""Cards up by player id, for each variant whose deal of the day is being played."""


def seats_at(tables: Iterable[LiveTable], now: datetime) -> dict[str, dict[int, int]]:
    """Return the players of today's deals, by variant, with the cards they have up."""
    today = now.astimezone(UTC).date().isoformat()
    seats: dict[str, dict[int, int]] = {}
    for table in tables:
        attempt = table.attempt
        if attempt.deal.day == today:
            seats.setdefault(attempt.deal.variant, {})[attempt.player_id] = attempt.table.cards_up
    return seats


class Reporter:
    """A background task that keeps a process's presence row up to date."""

    def __init__(self, tables: LiveTables) -> None:
        self._process = tables.process
        self._tables = tables
        self._task: asyncio.Task[None] | None = None
        self._has_row = False
        self._accounts: dict[int, bool] = {}
        """True for each current player with an account, who thus has a name; False for guests."""

    @classmethod
    def begin(cls, tables: LiveTables) -> Reporter:
        """Start reporting the players at these tables."""
        reporter = cls(tables)
        reporter._task = asyncio.create_task(reporter._keep_reporting())
        return reporter

    async def close(self) -> None:
        """Stop reporting; the last report expires after `GOOD_FOR`."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def report(self) -> None:
        """Write one report; skip it if there are no players now and there were none at the last report."""
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
                log.warning("presence not written", exc_info=True)

    def _write(self, seats: Seats, now: datetime) -> None:
        if not seats:
            Presence.objects.filter(process=self._process).delete()
            return
        player_ids = {player for players in seats.values() for player in players}
        self._look_up_accounts(player_ids)
        reports = {variant: self._report_of(players) for variant, players in seats.items()}
        row = Presence(process=self._process, seen_at=now, day=now.date(), players=len(player_ids), tables=reports)
        Presence.objects.bulk_create([row], update_conflicts=True, unique_fields=["process"], update_fields=_FIELDS)
        if not self._has_row:
            Presence.objects.filter(seen_at__lt=now - GOOD_FOR * 10).delete()

    def _report_of(self, players: Mapping[int, int]) -> dict[str, Any]:
        """Return the report on one deal's players; guests are only counted."""
        accounts = [player for player in reversed(list(players)) if self._accounts[player]][:MAX_NAMED]
        return {"now": len(players), "accounts": accounts, "cards_up": [players[player] for player in accounts]}

    def _look_up_accounts(self, player_ids: set[int]) -> None:
        """Look up which new players have accounts, and drop the players no longer here."""
        new = player_ids - self._accounts.keys()
        accounts = player_services().accounts_among(new) if new else set()
        current = {player: has for player, has in self._accounts.items() if player in player_ids}
        self._accounts = current | {player: player in accounts for player in new}
