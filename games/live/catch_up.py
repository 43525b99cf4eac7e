"""Catching up: an attempt's copy in this process's memory, and how it is reloaded from the database."""

from __future__ import annotations

import time
import uuid
from sys import intern
from typing import Final, NamedTuple

from games.live import frames
from games.live.clock import Clock
from games.live.loader import Loaded, in_database, load
from games.models import Attempt

PENDING: Final = str(Attempt.State.PENDING)
#: Seconds to wait for a verdict's notice before reading the database.
VERDICT_PATIENCE: Final = 5.0


class News(NamedTuple):
    """Changes found by a reload."""

    was: Loaded
    moved: list[str]
    """The `moved` frames of tokens that were not known here."""
    is_announced: bool
    """False if the tokens may have been committed here, so that no other process announces them."""


class TableCopy:
    """An attempt in memory. It may have fallen behind the database, and is in doubt while a commit is under way."""

    __slots__ = ("clock", "facts", "is_doubtful", "read_at")

    facts: Loaded

    def __init__(self, loaded: Loaded) -> None:
        for token in loaded.tokens:
            loaded.push(token)
        self.is_doubtful = False
        """True if the table may differ from the database; it must then be reloaded before any decision."""
        self._set_facts(loaded)

    def push(self, token: str, ms: int) -> str:
        """Play an uncommitted token and return its `moved` frame. The copy is in doubt until the commit."""
        frames.push(self.facts, intern(token))  # the table keeps tokens, and a game has few distinct ones
        self.is_doubtful = True
        return frames.moved(token, ms, self.facts)

    def is_verdict_overdue(self) -> bool:
        """Return whether the notice of the verdict was probably lost."""
        return self.facts.state == PENDING and time.monotonic() - self.read_at > VERDICT_PATIENCE

    async def reload(self, public_id: uuid.UUID, known_count: int) -> News:
        """Reload the attempt, of which `known_count` tokens were known here.

        :raises Refusal: not_found if it was deleted, or server_busy; the copy stays in doubt.
        """
        doubted, self.is_doubtful = self.is_doubtful, True
        loaded = await in_database(load, public_id)
        was, self.facts = self.facts, loaded
        if doubted or len(loaded.tokens) != known_count:
            for token in loaded.tokens[:known_count]:
                loaded.push(token)
        else:
            loaded.table, loaded.reveals = was.table, was.reveals
        new = zip(loaded.tokens[known_count:], loaded.clock[known_count:], strict=True)
        moved = [self.push(token, ms) for token, ms in new]
        self._set_facts(loaded)
        self.is_doubtful = False
        return News(was, moved, is_announced=not doubted)

    def _set_facts(self, loaded: Loaded) -> None:
        """Take over the facts, and free what is known from the table."""
        self.facts = loaded
        self.clock = Clock(loaded, loaded.clock[-1] if loaded.clock else 0)
        loaded.tokens = loaded.clock = ()
        self.read_at = time.monotonic()
