"""Players as the boards see them: rows of the user model."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol


class Player(Protocol):
    """A row of the user model."""

    pk: Any
    is_guest: Any
    banned_at: Any


def may_be_listed(player: Player) -> bool:
    """Whether boards show the player: not a guest, not banned."""
    banned_at: datetime | None = player.banned_at
    return not player.is_guest and banned_at is None
