"""Who is playing. Accounts build on games, so games find them by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from django.utils.module_loading import import_string
from django_ratelimit.core import is_ratelimited
from django_ratelimit.exceptions import Ratelimited

if TYPE_CHECKING:
    from accounts.models import User

_PLAYER_FOR = "accounts.guests.player_for"
#: Attempts that one player may begin.
START_RATE = "60/m"


def player_for(request: HttpRequest) -> User:
    """Whoever plays in this session; a new guest when there is nobody yet.

    :raises Ratelimited: when too many games are begun, or too many guests come from one address.
    """
    found: Any = import_string(_PLAYER_FOR)
    player: User = found(request, create=True)
    if is_ratelimited(request, group="games.start", key=lambda *_: str(player.pk), rate=START_RATE, increment=True):
        raise Ratelimited
    return player


def player_id(request: HttpRequest) -> int | None:
    """The player's id, or None for a visitor who has not played."""
    return request.user.pk if request.user.is_authenticated else None
