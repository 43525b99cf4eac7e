"""Finding players by the beginning of their names."""

from __future__ import annotations

from typing import Final

from django.db.models.functions import Length

from accounts.models import User
from accounts.names import LONGEST, name_key

#: The least that is searched for, in letters that tell names apart, and the most players that are found.
SHORTEST: Final = 2
MOST: Final = 20


def find_players(text: str) -> list[User]:
    """The players with a page whose names begin like this, however it is spelt; the shortest names first."""
    key = name_key(text[: 2 * LONGEST])
    if len(key) < SHORTEST:
        return []
    found = User.objects.with_page().filter(name_key__startswith=key)
    return list(found.order_by(Length("name_key"), "name_key")[:MOST])
