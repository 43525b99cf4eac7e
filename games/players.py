"""Who is playing. Accounts build on games, so games find them by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from django.utils.module_loading import import_string

from games import limits

if TYPE_CHECKING:
    from accounts.models import User

_PLAYER_FOR = "accounts.guests.player_for"


def check_may_begin(request: HttpRequest) -> None:
    """Count one game begun: of the player, or of the address from which a new guest comes. Nothing is made before.

    :raises RateLimitedError: when too many games are begun, or too many guests come from one address.
    """
    limits.spend(request, "start" if request.user.is_authenticated else "guest")


def player_for(request: HttpRequest) -> User:
    """Whoever plays in this session; a new guest when there is nobody yet. `check_may_begin` comes first."""
    found: Any = import_string(_PLAYER_FOR)
    player: User = found(request, create=True)
    return player


def player_id(request: HttpRequest) -> int | None:
    """The player's id, or None for a visitor who has not played."""
    return request.user.pk if request.user.is_authenticated else None
