"""How figures of players are written out."""

from __future__ import annotations

from django import template
from django.utils.formats import get_format
from django.utils.translation import gettext as _

register = template.Library()

_NOTHING = "–"


@register.filter
def duration(ms: int | None) -> str:
    """Write milliseconds as ``m:ss.t``, with hours where there are some: ``1:02:03.4``."""
    if ms is None:
        return _NOTHING
    seconds, rest = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{text}:{seconds:02}{get_format('DECIMAL_SEPARATOR')}{rest // 100}"


@register.filter
def percent(share: float | None) -> str:
    """Write a share of 0 to 1 in whole per cent."""
    return _NOTHING if share is None else _("%(share)s%%") % {"share": round(share * 100)}


@register.filter
def shown_name(who: object) -> str:
    """The name of a player, or of an entry on a board; that of a deleted account is the site's own, and translated."""
    return _("Former player") if getattr(who, "is_former", False) else str(who)
