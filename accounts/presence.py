"""The names of those who are playing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from uuid import UUID

from accounts.models import User

_CHUNK: Final = 500


def accounts_among(players: Collection[int]) -> set[int]:
    """Those of the players who have pages, and so names to show."""
    keys = list(players)
    found: set[int] = set()
    for start in range(0, len(keys), _CHUNK):
        chunk = User.objects.with_page().filter(pk__in=keys[start : start + _CHUNK])
        found.update(chunk.values_list("pk", flat=True))
    return found


def shown_names(players: Collection[int]) -> dict[int, tuple[str, UUID]]:
    """The names and public ids of the of the players among these who may be named."""
    if not players:
        return {}
    found = User.objects.with_page().filter(pk__in=players)
    return {user.pk: (user.display_name, user.public_id) for user in found if user.may_be_seen_playing}
