"""Template tag for the header of every page: the unread count, and the game to resume."""

from __future__ import annotations

from typing import Any

from django import template

from games.daily.page_header import Header, header_of

register = template.Library()


@register.simple_tag
def header(user: Any, read: Header | None = None) -> Header:  # noqa: ANN401 - a row of the user model, or a visitor
    """Return the header of a player, unless the view has read it already."""
    return read or header_of(user.pk)
