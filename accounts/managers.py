"""How players are made, and which of them others are shown."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser, UserManager
from django.db.models import BigIntegerField, F, Q, QuerySet

from accounts.names import name_key
from games.compiled import Compiled, Given

_User = TypeVar("_User", bound=AbstractUser)


#: Who has an account, or had one.
ACCOUNT: Final[Mapping[str, object]] = MappingProxyType({"is_guest": False})
#: Who stands on boards: players with accounts that are not banned. A deleted account's results stay, without its name.
LISTED: Final[Mapping[str, object]] = MappingProxyType({**ACCOUNT, "banned_at": None})
#: Who has a page and is named to others: those of them whose account is not deleted.
HAS_PAGE: Final[Mapping[str, object]] = MappingProxyType({**LISTED, "deleted_at": None})

#: Who may be told by name to those who play with them: guests too.
NAMED: Final[Mapping[str, object]] = MappingProxyType({"banned_at": None, "deleted_at": None})


_BY_KEY: Final[Compiled[Any]] = Compiled(lambda: QuerySet(get_user_model()).filter(pk=Given("pk", BigIntegerField())))


class PlayerManager(UserManager[_User]):
    """Django's user manager, which also fills the shown name and its key.

    A row made by a command, a test or the sign-up form has the same fields.
    """

    use_in_migrations = False

    def get(self, *args: Any, **kwargs: Any) -> _User:  # noqa: ANN401 - Django's
        """One player, as Django finds it; by the primary key alone, as every request of a player asks, at less cost."""
        is_plain = type(self) is PlayerManager and self._db is None  # what is related to something has its own class
        if args or kwargs.keys() != {"pk"} or not is_plain:
            return super().get(*args, **kwargs)
        found: _User | None = _BY_KEY.first(pk=kwargs["pk"])
        if found is None:
            raise self.model.DoesNotExist(f"no player {kwargs['pk']}")
        return found

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

    def listed(self) -> QuerySet[_User]:
        """Players who stand on boards; see ``User.is_listed``."""
        return self.filter(**LISTED)

    def with_page(self) -> QuerySet[_User]:
        """Players who have a page; see ``User.has_page``."""
        return self.filter(**HAS_PAGE)

    def named(self) -> QuerySet[_User]:
        """Players, guests among them, who are neither banned nor deleted."""
        return self.filter(**NAMED)

    @staticmethod
    def guest_at(relation: str) -> F:
        """For rows that have a player at ``relation``: whether that is a guest."""
        return F(f"{relation}__is_guest")

    @staticmethod
    def listed_at(relation: str) -> Q:
        """The same as ``listed``, as a condition on rows that have a player at ``relation``."""
        return Q(**{f"{relation}__{field}": value for field, value in LISTED.items()})


def _named(username: str, fields: dict[str, Any]) -> dict[str, Any]:
    fields.setdefault("display_name", username)
    if not fields.get("is_guest"):
        fields.setdefault("name_key", name_key(fields["display_name"]) or None)
    return fields
