"""Hub of a process's watched rooms: routes notices to them, and batches their reads, steps and presence signs."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any, Final
from weakref import WeakKeyDictionary

from django.db import Error
from django.utils import timezone

from games.errors import ErrorCode, Refusal
from games.events import notifier
from games.live.loading import off_loop
from games.live.notices import Notice, Notices
from games.live.protocol import busy
from games.races import quick, snapshot, starting, tending
from games.races.batches import Batches
from games.races.snapshot import RoomFacts
from games.races.stream import Viewer
from games.races.telling import by_group, room_group
from games.races.watch import Watch

log = logging.getLogger(__name__)

#: Maximum rooms read per batch: a thread that builds objects for more of them stalls the event loop.
ROOMS_AT_A_TIME: Final = 25
#: Seconds over which presence signs are collected before they are sent.
GATHER_HERE: Final = 0.2
#: Seconds after which a group is joined again, because channel layers expire memberships.
JOINED_FOR: Final = 5.0

_Here = tuple[int, list[int], int | None]
"""A room, the entrants who have it open, and the host's id if the host has it open, too."""


class Hub:
    """The watches of a process, by room, and the listener for notices about them."""

    def __init__(self) -> None:
        self._process = uuid.uuid4().hex
        self._notices = Notices(self._heard, "race.")
        self._watches: dict[int, Watch] = {}
        self._opening: dict[int, asyncio.Lock] = {}
        self._users: Counter[int] = Counter()
        self._joining: dict[str, asyncio.Lock] = {}
        self._joined_at: dict[str, float] = {}
        self._rooms = Batches(snapshot.read_rooms, ROOMS_AT_A_TIME)
        self._steps = Batches(_take_steps, 2)
        self._here: dict[int, _Here] = {}

    async def join(self, code: str, viewer: Viewer) -> Watch:
        """Show the room with this code to a viewer until `leave`.

        :raises Refusal: not_found or server_busy.
        """
        try:
            room_id = await off_loop(snapshot.room_id_of)(code)
        except Error:
            raise busy("the database could not be reached") from None
        if room_id is None:
            raise _not_found()
        self._users[room_id] += 1
        try:
            async with self._opening.setdefault(room_id, asyncio.Lock()):
                watch = self._watches.get(room_id) or await self._opened(room_id)
            watch.add(viewer)
        except BaseException:
            await self._less(room_id)
            raise
        return watch

    async def leave(self, watch: Watch, viewer: Viewer) -> None:
        """Remove a viewer; a room without viewers is no longer watched."""
        entrant = watch.has_left(viewer)
        watch.discard(viewer)
        try:
            if entrant is not None:
                await off_loop(quick.note_left)(entrant)
        except Error:
            log.warning("not noted that a player has left", exc_info=True)
        finally:
            await self._less(watch.facts.id)

    async def close(self) -> None:
        """Stop watching."""
        for watch in self._watches.values():
            watch.close()
        await self._rooms.close()
        await self._steps.close()
        await self._notices.close()

    # Services for watches.

    async def read(self, room_id: int) -> RoomFacts | None:
        """Read a room from the database, batched with other rooms requested at the same time.

        :raises Error: if the database is unavailable.
        """
        return await self._rooms.ask(room_id)

    async def listen(self, room_id: int) -> None:
        """Subscribe to notices about the room, unless its group was joined recently, perhaps for another room.

        A process never leaves a group: a concurrent leave and join could end unsubscribed, and there are few groups.
        """
        group = room_group(room_id)
        async with self._joining.setdefault(group, asyncio.Lock()):
            if monotonic() - self._joined_at.get(group, -JOINED_FOR) >= JOINED_FOR:
                await self._notices.watch(group)
                self._joined_at[group] = monotonic()

    async def take_steps(self, *, starts_only: bool) -> None:
        """Take the steps that are due, once for all rooms that ask at the same time.

        :raises Error: if the database is unavailable.
        """
        await self._steps.ask(starts_only)

    def say_here(self, room_id: int, entrants: list[int], host_id: int | None) -> None:
        """Schedule a notice to all processes that these have the room open here; it is batched with other rooms'."""
        if not self._here:
            asyncio.get_running_loop().call_later(GATHER_HERE, self._tell_here)
        self._here[room_id] = (room_id, entrants, host_id)

    def _tell_here(self) -> None:
        here, self._here = self._here, {}
        for group, rooms in by_group(here).items():
            message = {"type": "rooms.here", "process": self._process, "rooms": [here[room] for room in rooms]}
            notifier.send(group, message, about=tuple(rooms))

    # Opening, closing, and handling notices.

    async def _opened(self, room_id: int) -> Watch:
        try:
            # Subscribe before reading, so that no change after the read is missed.
            await self.listen(room_id)
            facts = await self.read(room_id)
            if facts is None:
                raise _not_found()
            watch = Watch(facts, self)
            await watch.begin()
        except Error:
            raise busy("the database could not be reached") from None
        self._watches[room_id] = watch
        return watch

    async def _less(self, room_id: int) -> None:
        self._users[room_id] -= 1
        if self._users[room_id]:
            return
        del self._users[room_id], self._opening[room_id]
        watch = self._watches.pop(room_id, None)
        if watch is not None:
            watch.close()

    def _heard(self, notice: Notice) -> None:
        """Handle a notice about one room, or about several of a group; not all of them need be watched here."""
        match notice["type"]:
            case "rooms.lanes":
                for watch, reports in self._watched(notice["rooms"]):
                    watch.take_reports(reports)
            case "rooms.here":
                for watch, entrants, host_id in self._watched(notice["rooms"]):
                    watch.take_here(entrants, host_id)
            case "rooms.changed":
                for (watch,) in self._watched([[room_id] for room_id in notice["rooms"]]):
                    watch.look()
            case _:
                for (watch,) in self._watched([[notice["room"]]]):
                    watch.heard(notice)

    def _watched(self, told: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
        """Yield the entries about rooms watched here, with the watch in place of the room id."""
        for room_id, *rest in told:
            watch = self._watches.get(room_id)
            if watch is not None:
                yield (watch, *rest)


def _take_steps(starts_only: Collection[bool]) -> dict[bool, None]:
    """Take all steps that are due; if only starts were requested, the usual case, that is one statement."""
    (starting.begin_due if all(starts_only) else tending.tend)(timezone.now())
    return {}


def _not_found() -> Refusal:
    return Refusal(ErrorCode.NOT_FOUND, "there is no such room")


_shared: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def shared_hub() -> Hub:
    """Return the hub of the running event loop, which is the process's: a server has one loop."""
    return _shared.setdefault(asyncio.get_running_loop(), Hub())
