"""How those are called in races who are not named to others: by a number that stays theirs."""

from __future__ import annotations

import zlib
from typing import Final

from django.contrib.auth import get_user_model

_FIRST: Final = 1000
_NUMBERS: Final = 9000


def number_of(player_id: int | None) -> int:
    """Four digits by which somebody without a name can be told from others."""
    return _FIRST + zlib.crc32(f"{get_user_model()._meta.label} {player_id}".encode()) % _NUMBERS
