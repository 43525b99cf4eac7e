"""Room watch: keeps all viewers of a room in this process up to date.

It reads the room when a notice announces a change, and periodically. Lanes come from notices; unknown ones are computed
once, by replay.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import ceil
from time import monotonic
from typing import Final

from games.live.broadcasts import Notice
from games.live.loader import off_loop
from games.live.watcher import Source, Watcher
from games.races import rooms
from games.races.live import snapshot
from games.races.live.audience import Audience, Viewer
from games.races.live.due_steps import DueSteps
from games.races.live.host_succession import HostPresence
from games.races.live.lane_reports import Report
from games.races.live.snapshot import EntrantFacts, RoomFacts
from games.races.results.places import Figures

#: Seconds between reads of the room after notices, and without any.
READ_EVERY: Final = 0.25
POLL_EVERY: Final = 10.0
POLL_SPREAD: Final = 4


class RoomWatch:
    """A room with its viewers in this process."""

    def __init__(
        self,
        facts: RoomFacts,
        read: Callable[[], Awaitable[RoomFacts | None]],
        listen: Callable[[], Awaitable[None]],
        take_steps: Callable[[bool], Awaitable[object]],
        send_heartbeat: Callable[[int, list[int], int | None], None],
    ) -> None:
        """The functions are the hub's: they read the room, subscribe to notices about it, and so on."""
        self.audience = Audience(facts)
        self._host_presence = HostPresence(self.audience, send_heartbeat)
        steps = DueSteps(self.audience, take_steps, self.schedule_read)
        self._watcher = Watcher(
            Source(read, listen, READ_EVERY, self._next_poll),
            self._refresh,
            steps.take_due_steps,
            steps.gather,
            steps.play_bots,
            self._host_presence.replace_if_absent,
            self.audience.send_due_lanes,
            self._host_presence.beat,
        )

    @property
    def facts(self) -> RoomFacts:
        """The room as last read."""
        return self.audience.facts

    async def begin(self) -> None:
        """Load the progress of all entrants, then start watching."""
        await self._apply(self.facts)
        self._watcher.start()

    def close(self) -> None:
        """Stop watching."""
        self._watcher.close()

    def add(self, viewer: Viewer) -> None:
        """Show the room to a viewer from now on."""
        self.audience.add(viewer)
        self._host_presence.hurry()
        self._watcher.wake()

    def discard(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        self.audience.discard(viewer)

    def schedule_read(self) -> None:
        """Schedule a read of the room."""
        self._watcher.schedule_read()

    def on_notice(self, notice: Notice) -> None:
        """Handle a notice from this process or another."""
        if notice["type"] == "room.reacted":
            self.audience.send_reaction(notice["entrant"], notice["kind"])
        else:
            self.schedule_read()

    def on_lane_reports(self, reports: list[Report]) -> None:
        """Handle a process's reports on the racers whose tables are open there."""
        self.audience.progress.apply_reports(reports)
        self._watcher.wake()

    def on_heartbeat(self, entrants: list[int], host_id: int | None) -> None:
        """Handle a process's sign that these entrants, and the host if still the same, have the room open there."""
        self.audience.progress.mark_seen(entrants)
        self._host_presence.mark_seen(host_id)
        self._watcher.wake()

    def entrant_of(self, player_id: int) -> EntrantFacts | None:
        """Return the player's seat in the next race, else in the running one, else in the last; or None."""
        seats = (race.seat_of(player_id) for race in self.facts.races())
        return next((seat for seat in seats if seat is not None), None)

    def _next_poll(self) -> float:
        """Return the time of the next periodic read, in whole seconds so that rooms batch, staggered by room id."""
        return ceil(monotonic() + POLL_EVERY) + self.facts.id % POLL_SPREAD

    async def _refresh(self, facts: RoomFacts | None) -> None:
        if facts is not None:
            await self._apply(facts)
        if self.audience.seated():
            await off_loop(rooms.touch)(self.facts.id)

    async def _apply(self, facts: RoomFacts) -> None:
        audience, before = self.audience, self.facts
        if unknown := audience.progress.unknown(facts):
            figures = await off_loop(snapshot.read_figures)(list(unknown))
            for attempt_id, entrant in unknown.items():
                audience.progress.learn(entrant, figures.get(attempt_id, Figures()))
        # Read from the database, because a lost or merged notice would cost a moved player the race.
        missing = audience.moved_from(facts)
        moved = await off_loop(snapshot.rooms_of_moved)(facts.id, missing) if missing else {}
        audience.facts = facts
        audience.progress.follow(facts)
        for entrant, code in moved.items():
            audience.send_moved(entrant, code)
        if facts != before:
            audience.show_all()
