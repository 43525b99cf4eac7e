"""Manager for players: creation, lookup, and the filters for players visible to others."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db.models import F, Q, QuerySet

from accounts.names.validation import name_key
from games.db import hot_queries

_User = TypeVar("_User", bound=AbstractUser)


#: Filter for accounts, deleted ones included.
ACCOUNT: Final[Mapping[str, object]] = MappingProxyType({"is_guest": False})
#: SQL condition on the row `p` of a player: has a confirmed email address or a passkey.
CONFIRMED_SQL: Final = (
    "(EXISTS (SELECT 1 FROM account_emailaddress e WHERE e.user_id = p.id AND e.verified) "
    "OR EXISTS (SELECT 1 FROM mfa_authenticator m WHERE m.user_id = p.id AND m.type = 'webauthn'))"
)
#: Filter for players on boards: accounts that are not banned. Results of deleted accounts stay, without the name.
LISTED: Final[Mapping[str, object]] = MappingProxyType({**ACCOUNT, "banned_at": None})
#: Filter for players with a page, named to others: listed accounts that are not deleted.
HAS_PAGE: Final[Mapping[str, object]] = MappingProxyType({**LISTED, "deleted_at": None})

#: Filter for players named to those they play with, guests included.
NAMED: Final[Mapping[str, object]] = MappingProxyType({"banned_at": None, "deleted_at": None})


class PlayerManager(UserManager[_User]):
    """Django's user manager, which also fills the displayed name and its key.

    Rows made by commands, tests and the sign-up form thus have the same fields.
    """

    use_in_migrations = False

    def get(self, *args: Any, **kwargs: Any) -> _User:  # noqa: ANN401 - Django's
        """Return one player. A lookup by primary key alone, made on every request, is plain SQL."""
        is_plain = type(self) is PlayerManager and self._db is None  # related managers are subclasses
        key = kwargs.get("pk")
        if args or len(kwargs) != 1 or not isinstance(key, int) or not is_plain:
            return super().get(*args, **kwargs)
        found: _User | None = hot_queries.player(key)
        if found is None:
            raise self.model.DoesNotExist(f"no player {key}")
        return found

    def create_user(
        self, username: str, email: str | None = None, password: str | None = None, **fields: object
    ) -> _User:
        """Create a player named ``username``; the displayed name keeps its spelling."""
        return super().create_user(username, email, password, **_named(username, fields))

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: object
    ) -> _User:
        """Create a staff account with all permissions."""
        return super().create_superuser(username, email, password, **_named(username, fields))

    def listed(self) -> QuerySet[_User]:
        """Return players who appear on boards; see ``User.is_listed``."""
        return self.filter(**LISTED)

    def with_page(self) -> QuerySet[_User]:
        """Return players who have a page; see ``User.has_page``."""
        return self.filter(**HAS_PAGE)

    def named(self) -> QuerySet[_User]:
        """Return players, guests included, who are neither banned nor deleted."""
        return self.filter(**NAMED)

    @staticmethod
    def guest_at(relation: str) -> F:
        """Return an expression that is true if the player at ``relation`` is a guest."""
        return F(f"{relation}__is_guest")

    @staticmethod
    def listed_at(relation: str) -> Q:
        """Return ``listed`` as a condition on rows that have a player at ``relation``."""
        return Q(**{f"{relation}__{field}": value for field, value in LISTED.items()})


def _named(username: str, fields: dict[str, Any]) -> dict[str, Any]:
    fields.setdefault("display_name", username)
    if not fields.get("is_guest"):
        fields.setdefault("name_key", name_key(fields["display_name"]) or None)
    return fields
