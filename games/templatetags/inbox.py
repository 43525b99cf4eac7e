"""Template tags for the header of every page: the unread count, and the game to resume."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import timezone

from games.daily.game_left import GameLeft, game_left
from games.inbox import notices

register = template.Library()


@register.simple_tag
def unread_notices(user: Any) -> str:  # noqa: ANN401 - whoever is signed in, if anybody is
    """Return the number of unread notices, ``9+`` for more than nine; empty if there are none."""
    count = notices.unread(user.pk) if user.is_authenticated else 0
    return "" if not count else "9+" if count >= notices.MAX_COUNTED else str(count)


@register.simple_tag(name="game_left")
def game_left_by(user: Any) -> GameLeft | None:  # noqa: ANN401 - a row of the user model, or a visitor
    """Return the game that a player has left unfinished, or None."""
    return game_left(user.pk, timezone.now())
