"""Sessions in the database, with fewer statements than Django's own: one to read, one to make, or none.

A session in which somebody begins to play can have its row inserted with the player's (`new_row_of`).
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
    """A session that gets its row at the end of the request, complete, and not already when somebody signs in."""

    def load(self) -> dict[str, Any]:
        """What the session holds; nothing if there is no such session any more, which then gets another key."""
        found = _READ.first(key=self.session_key, now=timezone.now())
        if found is None:
            self._session_key = None
            return {}
        held: dict[str, Any] = self.decode(found.session_data)
        return held

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's signature
        """Write the session; a new one in a statement of its own, which needs no transaction around it.

        :raises CreateError: when a new one's key is taken.
        """
        if self._inserted is not None and self._inserted == self._held():
            return
        if self.session_key is None or not must_create:
            super().save(must_create=must_create)
            return
        if not _INSERT.add(self._row()):
            raise CreateError

    def new_row(self) -> Session:
        """The row of a session that has none, for whoever inserts it; saved again only if the session changes."""
        self._session_key = self._get_new_session_key()
        self._inserted = deepcopy(self._held())
        return self._row()

    def cycle_key(self) -> None:
        """Have a new key; a session that has none yet gets one when it is saved."""
        if self.session_key is None:
            self.modified = True
        else:
            super().cycle_key()

    def _get_new_session_key(self) -> str:
        """A key; `create` inserts it, and tries another one in the case that it is taken."""
        return secrets.token_hex(_KEY_BYTES)

    def _held(self) -> dict[str, Any]:
        held: dict[str, Any] = self._get_session(no_load=True)  # type: ignore[attr-defined] # private
        return held

    def _row(self) -> Session:
        row: Any = self.create_model_instance(self._held())
        assert isinstance(row, Session)
        return row

    _inserted: dict[str, Any] | None = None
    """What the row has that `new_row` made."""


def new_row_of(session: SessionBase) -> list[Insertion]:
    """The row of a session that has none yet; nothing for one that will be saved as ever."""
    if session.session_key is None and isinstance(session, SessionStore):
        return [Insertion(_INSERT, session.new_row())]
    return []
