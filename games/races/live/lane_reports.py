"""Lane reports: each process broadcasts the progress and presence of the racers whose tables are open in it.

A move only marks its table as dirty. Dirty lanes are sent at most twice a second, in one message per group of rooms; a
finish is sent at once. Every lane is repeated periodically, which makes up for lost messages and lets the racers of a
dead process be noticed as away.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.db import Error

from games.core import events
from games.live.live_table import LiveTable
from games.live.loader import off_loop
from games.live.table_registry import LiveTables
from games.models import Attempt
from games.races import starting
from games.races.finishing import ENDED
from games.races.models import Entrant
from games.races.room_notifications import room_group

log = logging.getLogger(__name__)

#: Seconds between reports of changes, and between repetitions of every lane.
REPORT_EVERY: Final = 0.5
REPEAT_EVERY: Final = 1.5
_PATIENCE: Final = 3.0  # timeout of the channel layer in seconds

Report = tuple[int, int, int, str | None, int | None, int]
"""Entrant, cards up, tokens, the state and ms at which the game ended (or None), and the progress time."""

RoomReport = tuple[int, list[Report]]
"""A room, and the reports of its racers."""


@dataclass(slots=True, eq=False)
class _Racer:
    """An entrant whose table is open in this process."""

    table: LiveTable
    room_id: int | None = None
    entrant: int = 0
    is_looked_up: bool = False
    dealt_recorded: bool = False

    def must_record_dealt(self) -> bool:
        return self.room_id is not None and self.table.start is None and not self.dealt_recorded

    def report(self) -> Report:
        table, attempt = self.table, self.table.attempt
        state, ms = (None, None) if attempt.is_playing else (str(ENDED[Attempt.End(attempt.how)]), attempt.end_ms)
        return self.entrant, attempt.table.cards_up, table.n, state, ms, attempt.progress.ms


class LaneReporter:
    """The racers of a process, and the task that reports on them."""

    def __init__(self, tables: LiveTables) -> None:
        self._racers: dict[int, _Racer] = {}
        self._marked: set[int] = set()
        self._urgent: set[int] = set()
        self._wake = asyncio.Event()
        self._reported_at = self._repeated_at = 0.0
        self._task: asyncio.Task[None] | None = None
        tables.on_open.append(self._follow)

    def _follow(self, table: LiveTable) -> None:
        if table.attempt.for_race:
            table.subscribers.followers += (partial(self.changed, table),)

    def changed(self, table: LiveTable) -> None:
        """Mark the table to be reported soon, or at once if it was just dealt or its game has ended."""
        key = table.attempt.attempt_id
        racer = self._racers.get(key)
        if racer is None or racer.table is not table:
            racer = self._racers[key] = _Racer(table)
        if not table.attempt.is_playing or (table.start is None and not racer.dealt_recorded):
            self._urgent.add(key)
            self._wake.set()
        elif not self._marked:
            self._wake.set()  # later changes join this report without another wake-up
        self._marked.add(key)
        if self._task is None:
            self._task = asyncio.create_task(self._keep_reporting())

    async def close(self) -> None:
        """Stop reporting."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def report(self, now: float) -> None:
        """Send the lanes that are due: urgent ones always, marked ones twice a second, all of them periodically."""
        self._wake.clear()
        try:
            await self._look_up_seats()
            await self._record_dealt()
        except Error:
            log.warning("racers not looked up, trying again later", exc_info=True)
        due = self._urgent
        self._urgent = {key for key in due if key in self._racers and self._racers[key].must_record_dealt()}
        if self._marked and now - self._reported_at >= REPORT_EVERY:  # a repetition alone delays no move
            self._reported_at = now
            due |= self._marked
        if now - self._repeated_at >= REPEAT_EVERY:
            self._repeated_at = now
            due |= self._racers.keys()
        self._marked -= due
        self._drop([self._racers[key] for key in due if key in self._racers and self._racers[key].room_id is None])
        groups = self._by_group(due)
        await asyncio.gather(*(self._report_rooms(group, rooms) for group, rooms in groups.items()))

    async def _keep_reporting(self) -> None:
        """Report until cancelled; sleep while there are no racers."""
        now = asyncio.get_running_loop().time
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._rest(now())):  # `wait_for` can lose a cancellation in Python 3.11
                    await self._wake.wait()
            await self.report(now())

    def _rest(self, now: float) -> float | None:
        """Return the seconds until the next report unless something urgent happens; None if there are no racers."""
        if not self._racers:
            return None
        is_pending = self._marked or self._urgent or not all(racer.is_looked_up for racer in self._racers.values())
        next_report = self._reported_at + REPORT_EVERY if is_pending else now + REPEAT_EVERY
        return max(0.0, min(next_report, self._repeated_at + REPEAT_EVERY) - now)

    def _drop(self, racers: Iterable[_Racer]) -> None:
        """Drop racers without connections, after that has been reported."""
        for racer in racers:
            key = racer.table.attempt.attempt_id
            if not racer.table.subscribers.connections and key not in self._marked and self._racers.get(key) is racer:
                del self._racers[key]

    async def _look_up_seats(self) -> None:
        """Look up the seats of new attempts; an attempt without a seat is not a racer's."""
        new = {key: racer for key, racer in self._racers.items() if not racer.is_looked_up}
        seats = await off_loop(_seats)(list(new)) if new else {}
        for key, racer in new.items():
            racer.is_looked_up = True
            if key in seats:
                racer.entrant, racer.room_id = seats[key]
            else:
                racer.dealt_recorded = True  # played after the race, so not reported

    async def _record_dealt(self) -> None:
        """Write to the database which racers have been dealt the cards; a failure is retried at the next report."""
        new = [racer for racer in self._racers.values() if racer.must_record_dealt()]
        if new:
            await off_loop(starting.mark_dealt)([racer.table.attempt.attempt_id for racer in new])
            for racer in new:
                racer.dealt_recorded = True

    def _by_group(self, marked: Iterable[int]) -> dict[str, dict[int, list[_Racer]]]:
        groups: dict[str, dict[int, list[_Racer]]] = {}
        for key in marked:
            racer = self._racers.get(key)
            if racer is not None and racer.room_id is not None:
                groups.setdefault(room_group(racer.room_id), {}).setdefault(racer.room_id, []).append(racer)
        return groups

    async def _report_rooms(self, group: str, rooms: dict[int, list[_Racer]]) -> None:
        """Report racers, then drop those without connections; if that fails, mark all to be reported again."""
        reported = [racer for racers in rooms.values() for racer in racers]
        if await self._send(group, [(room, [racer.report() for racer in racers]) for room, racers in rooms.items()]):
            self._drop(reported)
        else:
            self._marked.update(racer.table.attempt.attempt_id for racer in reported)

    async def _send(self, group: str, lanes: list[RoomReport]) -> bool:
        try:
            async with asyncio.timeout(_PATIENCE):
                await events.send(group, {"type": "rooms.lanes", "rooms": lanes})
        except Exception:
            log.warning("lanes not reported", exc_info=True)
            return False
        return True


def _seats(attempt_ids: list[int]) -> dict[int, tuple[int, int]]:
    """Return entrant id and room id by attempt id."""
    found = Entrant.objects.filter(attempt__in=attempt_ids).select_related("race")
    return {entrant.attempt_id: (entrant.pk, entrant.race.room_id) for entrant in found if entrant.attempt_id}
