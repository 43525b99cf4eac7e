"""Player search by name prefix."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q
from django.db.models.functions import Length

from accounts.models import User
from accounts.names.validation import LONGEST, alike_keys

#: Minimum length of a search, in characters of the name key, and maximum number of results.
SHORTEST: Final = 2
MOST: Final = 20


def find_players(text: str) -> list[User]:
    """Find players with a page whose names start with the text in any spelling; shortest names first."""
    keys = [key for key in alike_keys(text[: 2 * LONGEST]) if len(key) >= SHORTEST]
    if not keys:
        return []
    begins = reduce(or_, (Q(name_key__startswith=key) for key in keys))
    found = User.objects.with_page().filter(begins)
    return list(found.order_by(Length("name_key"), "name_key")[:MOST])
