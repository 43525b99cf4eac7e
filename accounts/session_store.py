"""Database session store with fewer queries than Django's: one to load, and one or none to create.

When a visitor starts to play, the session row can be inserted together with the player's (`new_row_of`).
"""

from __future__ import annotations

import secrets
from copy import deepcopy
from typing import Any, Final

from django.contrib.sessions.backends.base import CreateError, SessionBase
from django.contrib.sessions.backends.db import SessionStore as Stored
from django.contrib.sessions.models import Session
from django.db.models import CharField, DateTimeField
from django.utils import timezone

from games.compiled import Compiled, Given, Inserting, Insertion

_KEY_BYTES: Final = 16

_READ: Final = Compiled(
    lambda: Session.objects.filter(session_key=Given("key", CharField()), expire_date__gt=Given("now", DateTimeField()))
)
_INSERT: Final = Inserting(Session, pass_over=True)


class SessionStore(Stored):
    """Session store that writes a new row once, at the end of the request, and not already at sign-in."""

    def load(self) -> dict[str, Any]:
        """Load the session data. If the session no longer exists, return an empty dict and drop the key."""
        found = _READ.first(key=self.session_key, now=timezone.now())
        if found is None:
            self._session_key = None
            return {}
        held: dict[str, Any] = self.decode(found.session_data)
        return held

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's signature
        """Save the session. A new one takes a single statement, which needs no transaction.

        :raises CreateError: if the key of a new session is taken.
        """
        if self._inserted is not None and self._inserted == self._held():
            return
        if self.session_key is None or not must_create:
            super().save(must_create=must_create)
            return
        if not _INSERT.add(self._row()):
            raise CreateError

    def new_row(self) -> Session:
        """Build the row of a session that has none, for the caller to insert. `save` then writes only changes."""
        self._session_key = self._get_new_session_key()
        self._inserted = deepcopy(self._held())
        return self._row()

    def cycle_key(self) -> None:
        """Change the session key; a session without a key gets one when it is saved."""
        if self.session_key is None:
            self.modified = True
        else:
            super().cycle_key()

    def _get_new_session_key(self) -> str:
        """Generate a key without checking it; `create` inserts it and retries if it is taken."""
        return secrets.token_hex(_KEY_BYTES)

    def _held(self) -> dict[str, Any]:
        held: dict[str, Any] = self._get_session(no_load=True)  # type: ignore[attr-defined] # private
        return held

    def _row(self) -> Session:
        row: Any = self.create_model_instance(self._held())
        assert isinstance(row, Session)
        return row

    _inserted: dict[str, Any] | None = None
    """Session data in the row that `new_row` built."""


def new_row_of(session: SessionBase) -> list[Insertion]:
    """Return the row to insert for a session that has none yet, or nothing if the session is saved as usual."""
    if session.session_key is None and isinstance(session, SessionStore):
        return [Insertion(_INSERT, session.new_row())]
    return []
