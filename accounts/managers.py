"""How rows of players are created."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import UserManager

from accounts.names import name_key

if TYPE_CHECKING:
    from accounts.models import User


class PlayerManager(UserManager["User"]):
    """Django's user manager, which also fills the shown name and its key.

    A row made by a command, a test or the sign-up form has the same fields.
    """

    use_in_migrations = False

    def create_user(
        self, username: str, email: str | None = None, password: str | None = None, **fields: object
    ) -> User:
        """Create a player named ``username``; the name is shown as written."""
        return super().create_user(username, email, password, **_named(username, fields))

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: object
    ) -> User:
        """Create a member of staff who may do everything."""
        return super().create_superuser(username, email, password, **_named(username, fields))


def _named(username: str, fields: dict[str, Any]) -> dict[str, Any]:
    fields.setdefault("display_name", username)
    if not fields.get("is_guest"):
        fields.setdefault("name_key", name_key(fields["display_name"]) or None)
    return fields
