"""Name lookups for players: names in bulk, a player by name, and search by prefix; all limited to visible players."""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce
from operator import or_
from typing import Final
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Length

from accounts.models import User
from accounts.names.validation import LONGEST, alike_keys

_CHUNK: Final = 500
#: Maximum number of characters of a typed name that are looked up.
_LONGEST_NAME: Final = 64
#: Minimum length of a search, in characters of the name key, and maximum number of results.
_SHORTEST_SEARCH: Final = 2
MOST_FOUND: Final = 20


def accounts_among(players: Collection[int]) -> set[int]:
    """Return the players who have a page, and so a name to show."""
    keys = list(players)
    found: set[int] = set()
    for start in range(0, len(keys), _CHUNK):
        chunk = User.objects.with_page().filter(pk__in=keys[start : start + _CHUNK])
        found.update(chunk.values_list("pk", flat=True))
    return found


def shown_names(players: Collection[int]) -> dict[int, tuple[str, UUID]]:
    """Return names and public ids of the players who have a page and allow being seen while they play."""
    found = User.objects.with_page().filter(pk__in=players)
    return {user.pk: (user.display_name, user.public_id) for user in found if user.may_be_seen_playing}


def names_on_pages(players: Collection[int]) -> dict[int, tuple[str, UUID]]:
    """Return names and public ids of the players who have a page."""
    found = User.objects.with_page().filter(pk__in=players).values_list("pk", "display_name", "public_id")
    return {key: (name, page) for key, name, page in found}


def names_of(players: Collection[int]) -> dict[int, tuple[str, UUID]]:
    """Return names and public ids of the players, guests included, who are neither banned nor deleted."""
    found = User.objects.named().filter(pk__in=players)
    return {user.pk: (user.display_name, user.public_id) for user in found}


def find_by_name(name: str) -> int | None:
    """Return the id of the account with a page and this name, or a name that reads like it."""
    keys = alike_keys(name[:_LONGEST_NAME])
    found: dict[str | None, int] = dict(
        User.objects.with_page().filter(name_key__in=keys).values_list("name_key", "pk")
    )
    return next((found[key] for key in keys if key in found), None)


def find_players(text: str) -> list[User]:
    """Find players with a page whose names start with the text in any spelling; shortest names first."""
    keys = [key for key in alike_keys(text[: 2 * LONGEST]) if len(key) >= _SHORTEST_SEARCH]
    if not keys:
        return []
    begins = reduce(or_, (Q(name_key__startswith=key) for key in keys))
    found = User.objects.with_page().filter(begins)
    return list(found.order_by(Length("name_key"), "name_key")[:MOST_FOUND])
