"""Hub of a process's watched rooms: routes notices to them, and batches their reads, steps and presence signs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from django.db import Error
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.core.events import notifier
from games.live import watcher
from games.live.batched_reads import Batches
from games.live.broadcasts import Notice
from games.live.loader import in_database, off_loop
from games.live.per_loop import PerLoop
from games.live.protocol import busy
from games.races import reconciler, starting
from games.races.attendance import roll_call
from games.races.live import snapshot
from games.races.live.audience import Viewer
from games.races.live.room_watch import RoomWatch
from games.races.models import Room
from games.races.room_notifications import by_group, room_group

log = logging.getLogger(__name__)

#: Maximum rooms read per batch: a thread that builds objects for more of them stalls the event loop.
ROOMS_AT_A_TIME: Final = 25
#: Seconds over which presence signs are collected before they are sent.
HEARTBEATS_WITHIN: Final = 0.2

_Heartbeat = tuple[int, list[int], int | None]
"""A room, the entrants who have it open, and the host's id if the host has it open, too."""


class RoomHub(watcher.Hub[int, RoomWatch]):
    """The watches of a process, by room id."""

    PREFIX = "race."

    def __init__(self) -> None:
        super().__init__()
        self._rooms = Batches(snapshot.read_rooms, ROOMS_AT_A_TIME)
        self._steps = Batches(_take_steps, 2)
        self._heartbeats: dict[int, _Heartbeat] = {}
        self._heartbeat_timer: asyncio.TimerHandle | None = None
        self._recording: asyncio.Task[None] | None = None
        """Task that records the latest heartbeats."""
        self._recordings: set[asyncio.Task[None]] = set()

    async def enter(self, code: str, viewer: Viewer) -> RoomWatch:
        """Show the room with this code to a viewer until `leave`.

        :raises Refusal: not_found or server_busy.
        """
        room_id = await in_database(Room.objects.filter(code=code).values_list("pk", flat=True).first)
        return await self.join(room_id or 0, viewer)

    def leave(self, key: int, viewer: Viewer) -> None:
        """Remove a viewer, and record it if a player waiting for a quick match has no other page open here."""
        watch = self._watches.get(key)
        seeks = watch.audience.seated() if watch and watch.facts.kind == Room.Kind.QUICK else []
        super().leave(key, viewer)
        if watch and (left := set(seeks) - set(watch.audience.seated())):
            self._record(roll_call.record_left, sorted(left))

    async def close(self) -> None:
        """Stop watching, and drop heartbeats that have not been sent yet."""
        if self._heartbeat_timer is not None:
            self._heartbeat_timer.cancel()
        for recording in self._recordings:
            recording.cancel()
        if self._recordings:
            await asyncio.wait(self._recordings)
        await super().close()
        await self._rooms.close()
        await self._steps.close()

    def send_heartbeat(self, room_id: int, entrants: list[int], host_id: int | None) -> None:
        """Schedule a record, and a notice to all processes, that these have the room open here, with other rooms'."""
        if not self._heartbeats:
            self._heartbeat_timer = asyncio.get_running_loop().call_later(HEARTBEATS_WITHIN, self._send_heartbeats)
        _room, others, host = self._heartbeats.get(room_id, (room_id, [], None))
        self._heartbeats[room_id] = (room_id, sorted({*others, *entrants}), host_id or host)

    def _send_heartbeats(self) -> None:
        heartbeats, self._heartbeats = self._heartbeats, {}
        for group, rooms in by_group(heartbeats).items():
            message = {"type": "rooms.here", "rooms": [heartbeats[room] for room in rooms]}
            notifier.send(group, message, about=tuple(rooms))
        if self._recording is None or self._recording.done():
            present = [entrant for _room, entrants, _host in heartbeats.values() for entrant in entrants]
            self._recording = self._record(roll_call.record_present, present)

    def _record(self, record: Callable[[list[int]], None], entrants: list[int]) -> asyncio.Task[None]:
        task = asyncio.create_task(_recorded(record, entrants))
        self._recordings.add(task)
        task.add_done_callback(self._recordings.discard)
        return task

    async def _opened(self, key: int) -> RoomWatch:
        read, listen = partial(self._rooms.get, key), partial(self.listen, room_group(key))
        try:
            # Subscribe before reading, so that no change after the read is missed.
            await listen()
            facts = await read()
            if facts is None:
                raise Refusal(ErrorCode.NOT_FOUND, "there is no such room")
            watch = RoomWatch(facts, read, listen, self._steps.get, self.send_heartbeat)
            await watch.begin()
        except Error:
            raise busy("the database could not be reached") from None
        return watch

    def _on_notice(self, notice: Notice) -> None:
        """Handle a notice about one room, or about several of a group; not all of them need be watched here."""
        match notice["type"]:
            case "rooms.lanes":
                for watch, reports in self._watched(notice["rooms"]):
                    watch.on_lane_reports(reports)
            case "rooms.here":
                for watch, entrants, host_id in self._watched(notice["rooms"]):
                    watch.on_heartbeat(entrants, host_id)
            case "rooms.changed":
                for (watch,) in self._watched([[room_id] for room_id in notice["rooms"]]):
                    watch.schedule_read()
            case _:
                for (watch,) in self._watched([[notice["room"]]]):
                    watch.on_notice(notice)

    def _watched(self, entries: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
        """Yield the entries about rooms watched here, with the watch in place of the room id."""
        for room_id, *rest in entries:
            watch = self._watches.get(room_id)
            if watch is not None:
                yield (watch, *rest)


def _take_steps(starts_only: Collection[bool]) -> dict[bool, None]:
    """Take all steps that are due; if only starts were requested, the usual case, that is one statement."""
    (starting.start_racing if all(starts_only) else reconciler.reconcile)(timezone.now())
    return {}


async def _recorded(record: Callable[[list[int]], None], entrants: list[int]) -> None:
    try:
        await off_loop(record)(entrants)
    except Error:
        log.warning("presence not recorded, trying again later", exc_info=True)


shared_hub: Final = PerLoop(RoomHub)
