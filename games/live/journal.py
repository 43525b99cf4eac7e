"""The journal of moves: group commit for all attempts of a process.

Tokens wait while the commit before theirs is under way; when it returns, all that has gathered goes out in the next.
So the database is always busy with exactly one commit of ours, and a commit grows with the load: waiting a fixed time
for more was measured to be slower. One thread owns one connection and does nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db import DEFAULT_DB_ALIAS

from games import metrics
from games.live.journal_store import Entry, JournalStore

log = logging.getLogger(__name__)

#: Appends that may wait at once; beyond them the process says that it is busy instead of growing without bound.
MAX_WAITING: Final = 20_000


class JournalBusyError(RuntimeError):
    """The journal cannot take the tokens now. None is acknowledged; whether they are in it, the database knows."""


@dataclass(slots=True, eq=False)
class _Waiting:
    entry: Entry
    kept: asyncio.Future[bool]
    since: float
    """By the loop's clock."""


class Journal:
    """Appends tokens durably; belongs to the event loop that first appends."""

    def __init__(self, alias: str = DEFAULT_DB_ALIAS) -> None:
        self._store = JournalStore(alias)
        self._gathering: list[_Waiting] = []
        self._flushing = False
        self._closed = False
        self._flushes: queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, list[_Waiting]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def append(self, entry: Entry) -> bool:
        """Commit an attempt's next tokens; returns once they are durable.

        False means that they are not in the journal, none of them: somebody else has played that number, or the attempt
        is closed, or paused, or has been paused unnoticed. The caller has at most one append of an attempt under way.

        :raises JournalBusyError: when too much is waiting, or the database could not be reached for some time.
        """
        if self._closed or len(self._gathering) >= MAX_WAITING:
            raise JournalBusyError("the journal takes no more at the moment")
        loop = asyncio.get_running_loop()
        kept: asyncio.Future[bool] = loop.create_future()
        self._gathering.append(_Waiting(entry, kept, loop.time()))
        if not self._flushing:
            # Whatever else arrives in this turn of the loop goes along.
            self._flushing = True
            loop.call_soon(self._flush, loop)
        return await kept

    async def close(self) -> None:
        """Commit what waits, then stop the thread; later appends are refused."""
        self._closed = True
        waiting = [item.kept for item in self._gathering]
        if waiting:
            await asyncio.wait(waiting)
        thread, self._thread = self._thread, None
        if thread is not None:
            self._flushes.put(None)
            await asyncio.to_thread(thread.join)

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hand what has gathered to the thread, on the loop."""
        batch = [item for item in self._gathering if not item.kept.done()]
        self._gathering = []
        self._flushing = bool(batch)
        if not batch:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
            self._thread.start()
        self._flushes.put((loop, batch))

    def _work(self) -> None:
        """The thread: one commit after the other, for as long as the process lives."""
        while flush := self._flushes.get():
            loop, batch = flush
            lost: frozenset[int] | Exception
            try:
                with metrics.JOURNAL_SECONDS.time():
                    lost = self._store.write([item.entry for item in batch])
            except Exception as error:  # noqa: BLE001 - whatever it is, somebody waits for the answer
                lost = error
            try:
                loop.call_soon_threadsafe(self._answer, loop, batch, lost)
            except RuntimeError:
                log.warning("the loop went away during a commit")
        self._store.close()

    def _answer(self, loop: asyncio.AbstractEventLoop, batch: list[_Waiting], lost: frozenset[int] | Exception) -> None:
        """Wake everybody of a batch, on the loop, and send off the next."""
        self._flush(loop)
        metrics.JOURNAL_WAIT_SECONDS.observe(loop.time() - batch[0].since)
        if isinstance(lost, Exception):
            log.error("journal not written", exc_info=lost)
            _refuse(batch)
            return
        metrics.JOURNAL_ROWS.observe(len(batch))
        for item in batch:
            if not item.kept.done():
                item.kept.set_result(item.entry.attempt_id not in lost)


def _refuse(batch: Iterable[_Waiting]) -> None:
    for item in batch:
        if not item.kept.done():
            item.kept.set_exception(JournalBusyError("the database could not be reached"))
