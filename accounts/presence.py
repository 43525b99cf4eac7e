"""Which players may be named among those playing: accounts that are not banned and have not opted out."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from uuid import UUID

from accounts.models import User
from accounts.preferences import preferences_of

_CHUNK: Final = 500


def accounts_among(players: Collection[int]) -> set[int]:
    """The players among these who are not guests."""
    keys = list(players)
    found: set[int] = set()
    for start in range(0, len(keys), _CHUNK):
        chunk = User.objects.filter(pk__in=keys[start : start + _CHUNK], is_guest=False)
        found.update(chunk.values_list("pk", flat=True))
    return found


def shown_names(players: Collection[int]) -> dict[int, tuple[str, UUID]]:
    """The names and public ids of the players among these who may be named."""
    if not players:
        return {}
    accounts = User.objects.filter(pk__in=players, is_guest=False, banned_at=None, deleted_at=None)
    return {
        user.pk: (user.display_name, user.public_id)
        for user in accounts.only("display_name", "public_id", "preferences")
        if not preferences_of(user.preferences)["hide_presence"]
    }
