"""Sessions in the database, with fewer statements than Django's own: one to read, one to make."""

from __future__ import annotations

from typing import Any, Final

from django.contrib.sessions.backends.base import VALID_KEY_CHARS, CreateError
from django.contrib.sessions.backends.db import SessionStore as Stored
from django.contrib.sessions.models import Session
from django.db.models import CharField, DateTimeField
from django.utils import timezone
from django.utils.crypto import get_random_string

from games.compiled import Compiled, Given, Inserting

_KEY_CHARS = 32

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
        if self.session_key is None or not must_create:
            super().save(must_create=must_create)
            return
        row: Any = self.create_model_instance(self._get_session(no_load=True))  # type: ignore[attr-defined] # private
        if not _INSERT.add(row):
            raise CreateError

    def cycle_key(self) -> None:
        """Have a new key; a session that has none yet gets one when it is saved."""
        if self.session_key is None:
            self.modified = True
        else:
            super().cycle_key()

    def _get_new_session_key(self) -> str:
        """A key; `create` inserts it, and tries another one in the case that it is taken."""
        return get_random_string(_KEY_CHARS, VALID_KEY_CHARS)
