"""Move journal: group commit for all attempts of a process.

Tokens queue while a commit is in flight; when it returns, everything queued goes into the next one. So each process
has exactly one commit in flight under load, and batches grow with the load. Waiting a fixed time to fill a batch was
measured to be slower. A dedicated thread owns the database connection and does nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from dataclasses import dataclass
from typing import Final

from django.db import DEFAULT_DB_ALIAS

from games.core import metrics
from games.live.journal_store import JournalEntry, JournalStore

log = logging.getLogger(__name__)

#: Queue limit: further appends are refused as busy instead of letting the queue grow without bound.
MAX_WAITING: Final = 20_000


class JournalBusyError(RuntimeError):
    """The journal cannot take the tokens now. None are acknowledged, but they may have been committed."""


@dataclass(slots=True, eq=False)
class _Waiting:
    entry: JournalEntry
    committed: asyncio.Future[bool]
    since: float
    """Enqueue time on the event loop's clock."""


class Journal:
    """A durable log of tokens; bound to the event loop of the first append."""

    def __init__(self, alias: str = DEFAULT_DB_ALIAS) -> None:
        self._store = JournalStore(alias)
        self._gathering: list[_Waiting] = []
        self._flushing = False
        self._closed = False
        self._flushes: queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, list[_Waiting]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def append(self, entry: JournalEntry) -> bool:
        """Commit an attempt's next tokens and return True once they are durable.

        Return False if none of them were written: another process has played that number, or the attempt is closed,
        paused, or was paused and resumed without this process noticing. The caller must not have two appends of one
        attempt in flight.

        :raises JournalBusyError: if the queue is full, or the database has been unreachable for too long.
        """
        if self._closed or len(self._gathering) >= MAX_WAITING:
            raise JournalBusyError("the journal is full at the moment")
        loop = asyncio.get_running_loop()
        committed: asyncio.Future[bool] = loop.create_future()
        self._gathering.append(_Waiting(entry, committed, loop.time()))
        if not self._flushing:
            # Appends made later in this iteration of the event loop join the same batch.
            self._flushing = True
            loop.call_soon(self._flush, loop)
        return await committed

    async def close(self) -> None:
        """Commit everything queued, then stop the thread; later appends are refused."""
        self._closed = True
        waiting = [item.committed for item in self._gathering]
        if waiting:
            await asyncio.wait(waiting)
        thread, self._thread = self._thread, None
        if thread is not None:
            self._flushes.put(None)
            await asyncio.to_thread(thread.join)

    def _flush(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hand the queued appends to the thread. Runs on the event loop."""
        batch = [item for item in self._gathering if not item.committed.done()]
        self._gathering = []
        self._flushing = bool(batch)
        if not batch:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
            self._thread.start()
        self._flushes.put((loop, batch))

    def _work(self) -> None:
        """Commit one batch after another until the journal is closed. Runs in the thread."""
        while flush := self._flushes.get():
            loop, batch = flush
            lost: frozenset[int] | Exception
            try:
                with metrics.JOURNAL_SECONDS.time():
                    lost = self._store.write([item.entry for item in batch])
            except Exception as error:  # noqa: BLE001 - the waiting callers must get an answer, whatever failed
                lost = error
            try:
                loop.call_soon_threadsafe(self._resolve, loop, batch, lost)
            except RuntimeError:
                log.warning("the event loop closed during a commit")
        self._store.close()

    def _resolve(
        self, loop: asyncio.AbstractEventLoop, batch: list[_Waiting], lost: frozenset[int] | Exception
    ) -> None:
        """Resolve a batch's futures and flush the next batch. Runs on the event loop."""
        self._flush(loop)
        metrics.JOURNAL_WAIT_SECONDS.observe(loop.time() - batch[0].since)
        if isinstance(lost, Exception):
            log.error("journal not written", exc_info=lost)
        else:
            metrics.JOURNAL_ROWS.observe(len(batch))
        for item in batch:
            if item.committed.done():
                continue
            if isinstance(lost, Exception):
                item.committed.set_exception(JournalBusyError("the database could not be reached"))
            else:
                item.committed.set_result(item.entry.attempt_id not in lost)
