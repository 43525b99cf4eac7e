"""Finding players by the beginning of their names."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q
from django.db.models.functions import Length

from accounts.models import User
from accounts.names import LONGEST, alike_keys

#: The least that is searched for, in letters that tell names apart, and the most players that are found.
SHORTEST: Final = 2
MOST: Final = 20


def find_players(text: str) -> list[User]:
    """The players with a page whose names begin like this, however it is spelt; the shortest names first."""
    keys = [key for key in alike_keys(text[: 2 * LONGEST]) if len(key) >= SHORTEST]
    if not keys:
        return []
    begins = reduce(or_, (Q(name_key__startswith=key) for key in keys))
    found = User.objects.with_page().filter(begins)
    return list(found.order_by(Length("name_key"), "name_key")[:MOST])
