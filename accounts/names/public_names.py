"""Name lookups for players, in bulk and by name, limited to visible players."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from uuid import UUID

from accounts.models import User
from accounts.names.validation import alike_keys

_CHUNK: Final = 500
#: Maximum number of characters of a typed name that are looked up.
_LONGEST_NAME: Final = 64


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
