"""Copy of an attempt in this process's memory, and how it is reloaded from the database."""

from __future__ import annotations

import time
import uuid
from sys import intern
from typing import Final

from games.live import frames, protocol
from games.live.clock import Clock
from games.live.feed import Feed
from games.live.frames import PLAYING
from games.live.loader import Loaded, PauseState, in_database, load
from games.models import Attempt

PENDING: Final = str(Attempt.State.PENDING)
#: Seconds to wait for a verdict's notice before reading the database.
VERDICT_PATIENCE: Final = 5.0


class TableCopy:
    """An attempt in memory. It may have fallen behind the database, and is in doubt while a commit is under way."""

    __slots__ = ("clock", "facts", "feed", "is_doubtful", "public_id", "read_at")

    facts: Loaded

    def __init__(self, public_id: uuid.UUID, loaded: Loaded, feed: Feed) -> None:
        self.public_id = public_id
        self.feed = feed
        for token in loaded.tokens:
            loaded.push(token)
        self.is_doubtful = False
        """True if the table may differ from the database; it must then be reloaded before any decision."""
        self._set_facts(loaded)

    def view(self) -> protocol.View:
        """Return the `view` message."""
        return frames.view(self.public_id, self.clock.elapsed_ms(), self.facts)

    def push(self, token: str, ms: int) -> str:
        """Play an uncommitted token and return its `moved` frame. The copy is in doubt until the commit."""
        frames.push(self.facts, intern(token))  # the table keeps tokens, and a game has few distinct ones
        self.is_doubtful = True
        return frames.moved(token, ms, self.facts)

    def is_verdict_overdue(self) -> bool:
        """Return whether the notice of the verdict was probably lost."""
        return self.facts.state == PENDING and time.monotonic() - self.read_at > VERDICT_PATIENCE

    async def reload(self, verdict: protocol.Verdict | None = None) -> None:
        """Reload the attempt from the database and send all connections the news, a verdict last.

        :raises Refusal: not_found if it was deleted, or server_busy; the copy stays in doubt.
        """
        doubted, self.is_doubtful = self.is_doubtful, True
        loaded = await in_database(load, self.public_id)
        was, self.facts = self.facts, loaded
        known = self.feed.n
        if doubted or len(loaded.tokens) != known:
            for token in loaded.tokens[:known]:
                loaded.push(token)
        else:
            loaded.table, loaded.reveals = was.table, was.reveals
        moved = [self.push(token, ms) for token, ms in zip(loaded.tokens[known:], loaded.clock[known:], strict=True)]
        self._set_facts(loaded)
        self.is_doubtful = False
        for frame in moved:
            self.feed.publish(frame)
        if moved and doubted:  # they may have been committed here, so that no other process announces them
            self.feed.announce()
        self._send_changed_state(was)
        if loaded.state != PLAYING and verdict is not None:
            self.set_verdict(verdict)  # this one knows the rank
        elif was.verdict is None and loaded.verdict is not None:
            self.set_verdict(loaded.verdict)

    def set_verdict(self, verdict: protocol.Verdict) -> None:
        """Note the verdict and send it to all connections."""
        self.facts.verdict = verdict
        self.facts.state = verdict.state
        self.feed.send_frame(protocol.write(verdict))

    def set_pauses(self, attempt: Attempt) -> None:
        """Note that the clock was stopped or restarted here, and tell all connections and the other processes."""
        self.facts.pauses = PauseState.of(attempt)
        self._send_clock()
        self.feed.announce("clock", pauses=[*self.facts.pauses])

    def _send_changed_state(self, was: Loaded) -> None:
        """Tell all connections of a pause, a resume or an end that a reload has revealed."""
        if was.state == PLAYING and self.facts.state != PLAYING:
            self.feed.send_change(frames.ended(self.feed.n, self.facts))
        elif was.state == PLAYING and was.pauses != self.facts.pauses:
            self._send_clock()

    def _send_clock(self) -> None:
        self.feed.send_change(frames.clock(self.clock.elapsed_ms(), self.facts))

    def _set_facts(self, loaded: Loaded) -> None:
        """Take over the facts, and free what is known from the table."""
        self.facts = loaded
        self.clock = Clock(loaded, loaded.clock[-1] if loaded.clock else 0)
        loaded.tokens = loaded.clock = ()
        self.read_at = time.monotonic()
