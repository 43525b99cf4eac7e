"""Template tag for the unread count in the header of every page."""

from __future__ import annotations

from typing import Any

from django import template

from games.inbox import notices

register = template.Library()


@register.simple_tag
def unread_notices(user: Any) -> str:  # noqa: ANN401 - whoever is signed in, if anybody is
    """Return the number of unread notices, ``9+`` for more than nine; empty if there are none."""
    count = notices.unread(user.pk) if user.is_authenticated else 0
    return "" if not count else "9+" if count >= notices.MAX_COUNTED else str(count)
