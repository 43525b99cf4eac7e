"""Sessions in the database, written once where Django's own would write twice."""

from __future__ import annotations

from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore as Stored
from django.utils.crypto import get_random_string

_KEY_CHARS = 32


class SessionStore(Stored):
    """A session that gets its row at the end of the request, complete, and not already when somebody signs in."""

    def cycle_key(self) -> None:
        """Have a new key; a session that has none yet gets one when it is saved."""
        if self.session_key is None:
            self.modified = True
        else:
            super().cycle_key()

    def _get_new_session_key(self) -> str:
        """A key; `create` inserts it, and tries another one in the case that it is taken."""
        return get_random_string(_KEY_CHARS, VALID_KEY_CHARS)
