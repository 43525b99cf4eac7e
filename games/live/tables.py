"""The live tables of a process: who is at which, and what other processes say about them."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import Coroutine
from typing import Any
from weakref import WeakKeyDictionary

from django.db import Error

from games import events
from games.errors import Refusal
from games.live import protocol
from games.live.journal import Journal
from games.live.loading import load, off_loop
from games.live.notices import Notice, Notices
from games.live.table import Connection, LiveTable, not_found, not_yours
from games.models import Attempt
from games.presence.reporting import Reporter

log = logging.getLogger(__name__)


class LiveTables:
    """Every table that somebody has open here, by the attempt's public id."""

    def __init__(self) -> None:
        self.process = uuid.uuid4().hex
        self.journal = Journal()
        self.notices = Notices(self._heard)
        self.presence = Reporter(self.process, lambda: list(self._tables.values()))
        self._tables: dict[uuid.UUID, LiveTable] = {}
        self._users: Counter[uuid.UUID] = Counter()
        self._under_way: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tables)

    async def join(self, public_id: uuid.UUID, player_id: int, connection: Connection, have: int | None) -> LiveTable:
        """Add a connection to its table, read from the database if need be, and tell it what it has not seen.

        :raises Refusal: not_found, not_yours or server_busy.
        """
        self._users[public_id] += 1
        try:
            table = self._tables.get(public_id)
            fresh = table is None
            if table is None:
                table = await self._opened(public_id, player_id)
            await table.check_owner(player_id)
            await table.greet(connection, have, fresh=fresh)
        except BaseException:
            await self.leave(public_id, connection)
            raise
        return table

    async def leave(self, public_id: uuid.UUID, connection: Connection) -> None:
        """Take a connection away; a table that nobody looks at is forgotten."""
        table = self._tables.get(public_id)
        if table is not None:
            table.connections.discard(connection)
        self._users[public_id] -= 1
        if self._users[public_id]:
            return
        del self._users[public_id]
        self._tables.pop(public_id, None)
        if table is not None and table.elsewhere:
            events.tell_attempt(public_id, "left", process=self.process)
        await self.notices.unwatch(public_id)

    async def close(self) -> None:
        """Commit what waits and stop."""
        await self.presence.close()
        await self.journal.close()
        await self.notices.close()

    async def _opened(self, public_id: uuid.UUID, player_id: int) -> LiveTable:
        # Before the table is read: what happens after the reading is then heard of.
        await self.notices.watch(public_id)
        try:
            loaded = await off_loop(load)(public_id)
        except Attempt.DoesNotExist:
            raise not_found() from None
        except Error:
            raise protocol.busy("the database could not be reached") from None
        if loaded.player_id != player_id:
            raise not_yours()
        # Another connection may have read it meanwhile; there is one table a process.
        table = self._tables.setdefault(public_id, LiveTable(public_id, self, loaded))
        self._tell_place("opened", table)
        return table

    def _heard(self, notice: Notice) -> None:
        """A notice has come: from another process, from this one, or from the verifier."""
        table = self._tables.get(uuid.UUID(notice["attempt"]))
        if table is None or notice.get("process") == self.process:
            return
        what = notice["type"].removeprefix("attempt.")
        if what == "verdict":
            names = protocol.Verdict.__struct_fields__
            verdict = protocol.Verdict(**{name: notice[name] for name in names if name in notice})
            self._soon(table.settled(verdict))
        elif what == "closed":
            self._soon(table.heard(notice["n"], closed=True))
        elif what == "left":
            table.elsewhere.discard(notice["process"])
        else:
            table.elsewhere.add(notice["process"])
            if what == "opened":
                self._tell_place("here", table)
            self._soon(table.heard(notice["n"]))

    def _tell_place(self, what: str, table: LiveTable) -> None:
        """Say that the table is open here, and how far: a move may fall between a reading and the word of it."""
        events.tell_attempt(table.public_id, what, process=self.process, n=table.n)

    def _soon(self, doing: Coroutine[Any, Any, None]) -> None:
        async def safely() -> None:
            try:
                await doing
            except Refusal:
                log.info("notice not followed up")  # the next message from the client will

        task = asyncio.create_task(safely())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)


_shared: WeakKeyDictionary[asyncio.AbstractEventLoop, LiveTables] = WeakKeyDictionary()


def shared_tables() -> LiveTables:
    """The tables of the running loop: of the process, as a server has one."""
    loop = asyncio.get_running_loop()
    if loop not in _shared:
        _shared[loop] = LiveTables()
        _shared[loop].presence.start()
    return _shared[loop]
