"""Room watch: one task per room and process keeps all of the room's viewers here up to date.

It reads the room when a notice announces a change, and periodically. Lanes come from notices; unknown ones are computed
once, by replay. Racers get lanes at most twice a second, other viewers once; the beginning and end of a game are sent
at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from math import ceil
from time import monotonic
from typing import Final, Protocol

from django.db import Error
from django.utils import timezone

from games.live.loading import off_loop
from games.live.notices import Notice
from games.races import heats, protocol, quick, rooms, snapshot
from games.races.hosts import HostSigns
from games.races.lanes import Report
from games.races.models import Entrant, Race, Room
from games.races.progress import Progress
from games.races.snapshot import EntrantFacts, RaceFacts, RoomFacts
from games.races.starting import GRACE
from games.races.stream import Stream, Viewer

log = logging.getLogger(__name__)

#: Minimum seconds between lane messages, to racers and to all other viewers.
RACERS_EVERY: Final = 0.5
OTHERS_EVERY: Final = 1.0
#: Seconds between reads of the room after notices, and without any.
READ_EVERY: Final = 0.25
LOOK_EVERY: Final = 10.0
LOOKS_APART: Final = 4
#: Seconds between presence signs for seated players with the room open.
HERE_EVERY: Final = 1.5
#: Seconds until a step that is still due is tried again.
TRY_EVERY: Final = 5.0
#: Seconds between the steps of a room that gathers players without a host.
GATHER_EVERY: Final = 1.0

#: Delay of the transition to racing after a start, so that all tables of the process can send the cards first.
CARDS_FIRST: Final = timedelta(milliseconds=200)

_S: Final = Race.State


class Rooms(Protocol):
    """The services that a process shares among its watched rooms."""

    async def read(self, room_id: int) -> RoomFacts | None:
        """Read a room from the database."""

    async def listen(self, room_id: int) -> None:
        """Subscribe to notices about the room."""

    async def take_steps(self, *, starts_only: bool) -> None:
        """Take the steps that are due, in all races."""

    def say_here(self, room_id: int, entrants: list[int], host_id: int | None) -> None:
        """Schedule a notice to all processes that these have the room open here."""


class Watch:
    """A room with its viewers in this process, kept up to date by one task."""

    def __init__(self, facts: RoomFacts, shared: Rooms) -> None:
        self.facts = facts
        self._shared = shared
        self._racers, self._others = Stream(RACERS_EVERY), Stream(OTHERS_EVERY)
        self._progress = Progress(facts)
        self._host = HostSigns(facts.host_id, monotonic())
        self._yours: dict[Viewer, protocol.You] = {}
        self._wake = asyncio.Event()
        self._is_stale = False
        self._tried: dict[datetime, float] = {}
        self._read_at = monotonic()
        self._look_at = self._next_look()
        self._here_at = 0.0
        self._gathered_at = 0.0
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Load the progress of all entrants, then start watching."""
        await self._take(self.facts)
        self._task = asyncio.create_task(self._keep_watching())

    def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()

    def add(self, viewer: Viewer) -> None:
        """Show the room to a viewer from now on."""
        self._yours[viewer] = snapshot.you_message(self.facts, viewer.player_id)
        self._place(viewer)
        self.show(viewer)
        if self._is_gone(viewer):
            self._dismiss(viewer)
        self._here_at = 0.0
        self._wake.set()

    def discard(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        self._yours.pop(viewer, None)
        self._racers.viewers.discard(viewer)
        self._others.viewers.discard(viewer)

    def show(self, viewer: Viewer) -> None:
        """Send a viewer the `you` and `room` messages."""
        stream = self._racers if viewer in self._racers.viewers else self._others
        viewer.tell(protocol.write(self._yours[viewer]))
        viewer.tell(self._room_frame(stream, to_all=len(stream.viewers) == 1))

    def look(self) -> None:
        """Schedule a read of the room."""
        self._is_stale = True
        self._wake.set()

    def heard(self, notice: Notice) -> None:
        """Handle a notice from this process or another."""
        if notice["type"] == "room.reacted":
            self._tell(protocol.Reacted(entrant=notice["entrant"], kind=notice["kind"]), self._yours)
        else:
            self.look()

    def take_reports(self, reports: list[Report]) -> None:
        """Handle a process's reports on the racers whose tables are open there."""
        self._progress.take_reports(reports)
        self._wake.set()

    def take_here(self, entrants: list[int], host_id: int | None) -> None:
        """Handle a process's sign that these entrants, and the host if still the same, have the room open there."""
        self._progress.seen(entrants)
        if host_id is not None and host_id == self._host.host_id:
            self._host.seen(monotonic())
        self._wake.set()

    @staticmethod
    def _tell(message: protocol.ServerMessage, viewers: Iterable[Viewer]) -> None:
        frame = protocol.write(message)
        for viewer in list(viewers):
            viewer.tell(frame)

    def entrant_of(self, player_id: int) -> EntrantFacts | None:
        """Return the player's seat in the next race, else in the running one, else in the last; or None."""
        seats = (race.seat_of(player_id) for race in self.facts.races())
        return next((seat for seat in seats if seat is not None), None)

    # The task.

    async def _keep_watching(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._rest())
            self._wake.clear()
            try:
                await self._take_steps()
                await self._gather()
                if monotonic() >= self._look_at:
                    await self._shared.listen(self.facts.id)  # channel layers expire memberships
                if monotonic() >= self._next_reading():
                    await self._read()
                await self._replace_host()
            except Error:
                log.warning("room not read, trying again later", exc_info=True)
                self._is_stale, self._read_at = True, monotonic() + 1
            except Exception:
                log.exception("room not tended, trying again later", extra={"room": self.facts.id})
                self._is_stale, self._look_at = False, self._next_look()
            self._tell_lanes()
            self._tell_here()

    def _rest(self) -> float:
        """Return the seconds until the next scheduled work, unless a notice comes first."""
        now = monotonic()
        times = [self._next_reading()]
        lanes = self._progress.all()
        streams = [stream for stream in (self._racers, self._others) if stream.viewers and stream.changes(lanes)]
        times += [stream.told_at + stream.every for stream in streams]
        times += self._progress.next_away(now)
        if self._seated() or self._has_host():
            times.append(self._here_at + HERE_EVERY)
        if (gone_at := self._host.gone_at()) is not None and self._heirs():
            times.append(gone_at)
        if self._gathering() is not None:
            times.append(self._gathered_at + GATHER_EVERY)
        times += [now + self._wait(at) for at in self._due()]
        return max(0.0, min(times) - now) + 0.001

    def _next_reading(self) -> float:
        return min(self._look_at, self._read_at + READ_EVERY) if self._is_stale else self._look_at

    def _next_look(self) -> float:
        """Return the time of the next periodic read, in whole seconds so that rooms batch, staggered by room id."""
        return ceil(monotonic() + LOOK_EVERY) + self.facts.id % LOOKS_APART

    def _due(self) -> list[datetime]:
        """Return the times at which steps are due that any process may take."""
        found: list[datetime | None] = []
        if (race := self.facts.to_come) is not None:
            found += [_after_the_cards(race) if race.state == _S.COUNTDOWN else race.gathers_until]
        if (race := self.facts.running) is not None and race.state == _S.RACING:
            late = race.starts_at and race.starts_at + GRACE
            found += [race.ends_at, late if any(one.state == Entrant.State.READY for one in race.entrants) else None]
        return [at for at in found if at is not None]

    def _wait(self, at: datetime) -> float:
        """Return the seconds until the step due at `at` should be tried or retried."""
        tried = self._tried.get(at)
        return max(0.0, (at - timezone.now()).total_seconds() if tried is None else tried + TRY_EVERY - monotonic())

    async def _take_steps(self) -> None:
        due = [at for at in self._due() if not self._wait(at)]
        if not due:
            return
        race = self.facts.to_come
        is_start = race is not None and race.state == _S.COUNTDOWN and due == [_after_the_cards(race)]
        first = not self._tried.keys() & set(due)
        self._tried = {at: monotonic() for at in due}
        # Usually only starts are due, which take a single statement.
        await self._shared.take_steps(starts_only=is_start and first)
        self._is_stale = True

    def _gathering(self) -> Callable[[], object] | None:
        """Return the step to take every second, for a quick match with players or a heat about to start; else None."""
        race = self.facts.to_come
        if race is None or race.state != _S.OPEN or not race.entrants:
            return None
        if self.facts.kind == Room.Kind.QUICK:
            return lambda: quick.tend_room(self.facts.id)
        if race.scheduled_at is not None and timezone.now() >= race.scheduled_at - heats.FROZEN:
            return heats.tend
        return None

    async def _gather(self) -> None:
        tend = self._gathering()
        if tend is not None and monotonic() - self._gathered_at >= GATHER_EVERY:
            self._gathered_at = monotonic()
            await off_loop(tend)()

    async def _read(self) -> None:
        self._is_stale, self._read_at, self._look_at = False, monotonic(), self._next_look()
        facts = await self._shared.read(self.facts.id)
        if facts is not None:
            await self._take(facts)
        if self._seated():
            await off_loop(rooms.touch)(self.facts.id)

    async def _take(self, facts: RoomFacts) -> None:
        """Apply a room's new facts, and show the viewers what has changed."""
        unknown = self._progress.unknown(facts)
        if unknown:
            figures = await off_loop(snapshot.read_figures)(list(unknown))
            for attempt_id, entrant in unknown.items():
                self._progress.learn(entrant, figures.get(attempt_id, (0, 0)))
        moved = await self._rooms_of_moved(facts)
        before, self.facts = self.facts, facts
        self._progress.follow(facts)
        self._host.follow(facts.host_id, monotonic())
        for entrant, code in moved.items():
            viewers = [viewer for viewer, yours in self._yours.items() if yours.to_come == entrant]
            self._tell(protocol.Moved(code=code), viewers)
        if facts != before:
            self._show_all()

    async def _rooms_of_moved(self, facts: RoomFacts) -> dict[int, str]:
        """Return the new room's code for each seat here that was moved to another room.

        This reads the database instead of relying on a notice, because a lost or merged one would cost a player the
        race.
        """
        here = {entrant.id for race in facts.races() for entrant in race.entrants}
        missing = set(self._seated()) - here
        return await off_loop(snapshot.rooms_of_moved)(facts.id, missing) if missing else {}

    async def _replace_host(self) -> None:
        """Make a seated player here the host if the host has disappeared."""
        now, gone_at, heirs = monotonic(), self._host.gone_at(), self._heirs()
        if gone_at is None or now < gone_at or not heirs:
            return
        self._host.seen(now)  # try once, and again after another timeout
        if self._host.host_id is not None and not self._has_host():
            await off_loop(rooms.pass_host)(self.facts.id, self._host.host_id, heirs)
            self._is_stale = True

    # Sending.

    def _show_all(self) -> None:
        """Send a change of the room to all viewers: `you` first where it has changed, then `room`."""
        for viewer, had in list(self._yours.items()):
            yours = self._yours[viewer] = snapshot.you_message(self.facts, viewer.player_id)
            self._place(viewer)
            if yours != had:
                viewer.tell(protocol.write(yours))
        for stream in (self._racers, self._others):
            if stream.viewers:
                frame = self._room_frame(stream, to_all=True)
                for viewer in list(stream.viewers):
                    viewer.tell(frame)
        for viewer in [viewer for viewer in self._yours if self._is_gone(viewer)]:
            self._dismiss(viewer)

    def _room_frame(self, stream: Stream, *, to_all: bool) -> str:
        if to_all:
            stream.told = {lane.entrant: lane for lane in self._progress.all()}
        message = snapshot.room_message(self.facts, self._progress.of, stream.v, timezone.now())
        return protocol.write(message)

    def _tell_lanes(self) -> None:
        """Send changed lanes to each stream that is due, or at once if a game has begun or ended."""
        now, lanes = monotonic(), self._progress.all()
        for stream in (self._racers, self._others):
            changed = stream.changes(lanes) if stream.viewers else []
            if changed and (now - stream.told_at >= stream.every or stream.is_urgent(changed)):
                stream.tell(changed, now)

    def _tell_here(self) -> None:
        """Announce the seated players of the next race, and the host, if they have the room open here."""
        now, seated, has_host = monotonic(), self._seated(), self._has_host()
        if not (seated or has_host) or now - self._here_at < HERE_EVERY:
            return
        self._here_at = now
        self._progress.seen(seated)
        if has_host:
            self._host.seen(now)
        self._shared.say_here(self.facts.id, seated, self.facts.host_id if has_host else None)

    def _place(self, viewer: Viewer) -> None:
        """Assign a viewer to the stream of the racers or to that of the others."""
        yours = self._yours[viewer]
        races = yours.running is not None or yours.to_come is not None
        mine, other = (self._racers, self._others) if races else (self._others, self._racers)
        other.viewers.discard(viewer)
        mine.viewers.add(viewer)

    def _is_gone(self, viewer: Viewer) -> bool:
        return self.facts.is_closed or viewer.player_id in self.facts.kicked

    def _dismiss(self, viewer: Viewer) -> None:
        """Send `gone` to a viewer and remove them: the room was closed or they were kicked."""
        self.discard(viewer)
        viewer.dismiss(protocol.write(protocol.Gone(why="closed" if self.facts.is_closed else "kicked")))

    def _seated(self) -> list[int]:
        """Return the entrants of the next race with the room open here."""
        return sorted({yours.to_come for yours in self._yours.values() if yours.to_come is not None})

    def _has_host(self) -> bool:
        """Return whether the host has the room open here."""
        host = self.facts.host_id
        return host is not None and any(viewer.player_id == host for viewer in self._yours)

    def _heirs(self) -> list[int]:
        """Return the possible new hosts: other players here who are seated in a race that is still open."""
        race, host = self.facts.to_come, self.facts.host_id
        if race is None or race.state != _S.OPEN:
            return []
        seated = {viewer.player_id for viewer, yours in self._yours.items() if yours.to_come is not None}
        return sorted(player for player in seated if player is not None and player != host)


def _after_the_cards(race: RaceFacts) -> datetime | None:
    """Return the time at which a watch moves the race from countdown to racing."""
    return race.starts_at and race.starts_at + CARDS_FIRST
