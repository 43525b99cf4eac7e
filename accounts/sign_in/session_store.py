"""Database session store that reads with one plain query and writes a new session once, at the end of the request.

Django's own looks for a free key, inserts a row at sign-in and updates it at the end, which makes a newcomer's way to
the fifth move cost 10 to 21 % more CPU (`benchmarks.pages`, November 2026). The methods overridden here are checked in
`tests/accounts/sign_in/test_session_store.py`.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils import timezone

from games.db import hot_queries

_KEY_BYTES: Final = 16


class SessionStore(DatabaseStore):
    """Session store that writes a new row once."""

    def load(self) -> dict[str, Any]:
        """Load the session data. If the session no longer exists, return an empty dict and drop the key."""
        found = hot_queries.session(self.session_key, timezone.now())
        if found is None:
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(found.session_data)
        return data

    is_new = False
    """True if the session has a key and no row yet."""

    def cycle_key(self) -> None:
        """Change the session key. A session without one gets a key now, and its row when it is saved."""
        if self.session_key is None:
            self._session_key = self._get_new_session_key()
            self.modified = self.is_new = True
        else:
            super().cycle_key()

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's
        """Write the session, inserting the row of a new one."""
        super().save(must_create=must_create or self.is_new)
        self.is_new = False

    def _get_new_session_key(self) -> str:
        """Generate a key without checking it; `create` inserts it and retries if it is taken."""
        return secrets.token_hex(_KEY_BYTES)
