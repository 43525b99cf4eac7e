"""Stable numbers that stand in for the names of anonymous players in races."""

from __future__ import annotations

import zlib
from typing import Final

from django.contrib.auth import get_user_model

_FIRST: Final = 1000
_NUMBERS: Final = 9000


def number_of(player_id: int | None) -> int:
    """Return a stable four-digit number that tells an anonymous player from others."""
    return _FIRST + zlib.crc32(f"{get_user_model()._meta.label} {player_id}".encode()) % _NUMBERS
