"""Registry of a process's live tables: joining, leaving, and notices from other processes."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final, Protocol

from games.core import events
from games.core.errors import Refusal
from games.core.registry import Providers
from games.live import protocol
from games.live.broadcasts import GroupSubscription, Notice
from games.live.journal import Journal
from games.live.live_table import LiveTable
from games.live.loader import in_database, load
from games.live.per_loop import PerLoop
from games.live.subscribers import Connection

log = logging.getLogger(__name__)


class Companion(Protocol):
    """A background service that runs as long as a process's tables."""

    async def close(self) -> None:
        """Stop."""


class LiveTables:
    """The tables open in this process, by the attempt's public id."""

    def __init__(self) -> None:
        self.process = uuid.uuid4().hex
        self.journal = Journal()
        self.notices = GroupSubscription(self._on_notice)
        self._tables: dict[uuid.UUID, LiveTable] = {}
        self._users: Counter[uuid.UUID] = Counter()
        self._under_way: set[asyncio.Task[None]] = set()
        self.companions: list[Companion] = []
        """Closed when the tables close."""
        self.on_open: list[Callable[[LiveTable], None]] = []
        """Called with every table that is opened."""

    def __len__(self) -> int:
        return len(self._tables)

    async def join(self, public_id: uuid.UUID, player_id: int, connection: Connection, have: int | None) -> LiveTable:
        """Add a connection to its table, loaded if needed, and send it what it has not seen.

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
        """Remove a connection; a table without connections is dropped."""
        table = self._tables.get(public_id)
        if table is not None:
            table.subscribers.discard(connection)
        self._users[public_id] -= 1
        if self._users[public_id]:
            return
        del self._users[public_id]
        self._tables.pop(public_id, None)
        if table is not None:
            table.close()
        group = events.attempt_group(public_id)
        await self.notices.unwatch(group)
        if public_id in self._users:  # joined again in the meantime
            await self.notices.watch(group)

    def attended(self) -> Iterator[LiveTable]:
        """Yield the tables with an active player, leaving out those idle for a long time."""
        return (table for table in list(self._tables.values()) if table.is_attended())

    async def close(self) -> None:
        """Stop the companions, then commit pending moves and stop."""
        for companion in self.companions:
            await companion.close()
        await self.journal.close()
        await self.notices.close()

    async def _opened(self, public_id: uuid.UUID, player_id: int) -> LiveTable:
        # Subscribe before reading, so that no change after the read is missed.
        await self.notices.watch(events.attempt_group(public_id))
        attempt = await in_database(load, public_id)
        if attempt.player_id != player_id:
            raise protocol.not_yours()
        table = self._tables.get(public_id)
        if table is None:  # another connection may have loaded it by now
            table = self._tables[public_id] = LiveTable(attempt, self.journal, self.process)
            for opened in self.on_open:
                opened(table)
        self._announce_open("opened", table)
        return table

    def _on_notice(self, notice: Notice) -> None:
        table = self._tables.get(uuid.UUID(notice["attempt"]))
        if table is None or notice.get("process") == self.process:
            return
        kind = notice["type"].removeprefix("attempt.")
        if kind == "verdict":
            names = protocol.Verdict.__struct_fields__
            verdict = protocol.Verdict(**{name: notice[name] for name in names if name in notice})
            self._run_in_background(table.on_verdict(verdict))
        elif kind == "closed":
            self._run_in_background(table.on_notice(notice["n"], closed=True))
        elif kind == "left":
            table.subscribers.other_processes.discard(notice["process"])
        else:
            table.subscribers.other_processes.add(notice["process"])
            if kind == "opened" or (kind == "here" and notice["n"] < table.n):  # a move came before this answer
                self._announce_open("here", table)
            self._run_in_background(table.on_notice(notice["n"], pauses=notice.get("pauses")))

    def _announce_open(self, kind: str, table: LiveTable) -> None:
        """Announce that the table is open here, with its last token and pauses, in case others have changed since."""
        attempt = table.attempt
        events.notify_attempt(attempt.public_id, kind, process=self.process, n=table.n, pauses=[*attempt.pauses])

    def _run_in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        async def safely() -> None:
            try:
                await coroutine
            except Refusal:
                log.info("notice not handled")  # the client's next message makes up for it

        task = asyncio.create_task(safely())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)


#: Registered at start-up, and called with a process's tables when they are created.
companion_factories: Final = Providers[Callable[[LiveTables], Companion]]()


def _create_tables() -> LiveTables:
    tables = LiveTables()
    tables.companions += [create(tables) for create in companion_factories]
    return tables


shared_tables: Final = PerLoop(_create_tables)


def has_active_games() -> bool:
    """Return whether a game is being played at this process's tables. Safe to call from any thread."""
    return any(True for tables in list(shared_tables.values()) for _ in tables.attended())


async def close_shared_tables() -> None:
    """Commit pending moves and close the tables of the running loop, if it has any."""
    tables = shared_tables.pop(asyncio.get_running_loop(), None)
    if tables is not None:
        await tables.close()
