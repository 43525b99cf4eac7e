"""How rows of players come into being."""

from __future__ import annotations

from typing import Any, TypeVar

from django.contrib.auth.models import AbstractUser, UserManager

from accounts.names import name_key

_User = TypeVar("_User", bound=AbstractUser)


class PlayerManager(UserManager[_User]):
    """Django's user manager, which also fills the shown name and its key.

    A row made by a command, a test or the sign-up form has the same fields.
    """

    use_in_migrations = False

    def create_user(
        self, username: str, email: str | None = None, password: str | None = None, **fields: object
    ) -> _User:
        """Create a player named ``username``; the name is shown as written."""
        return super().create_user(username, email, password, **_named(username, fields))

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: object
    ) -> _User:
        """Create a member of staff who may do everything."""
        return super().create_superuser(username, email, password, **_named(username, fields))


def _named(username: str, fields: dict[str, Any]) -> dict[str, Any]:
    fields.setdefault("display_name", username)
    if not fields.get("is_guest"):
        fields.setdefault("name_key", name_key(fields["display_name"]) or None)
    return fields
