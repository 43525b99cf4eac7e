"""How figures of players are written out."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.avatars import Named, address_for

register = template.Library()

_NOTHING = "–"


@register.filter
def percent(share: float | None) -> str:
    """Write a share of 0 to 1 in whole per cent."""
    return _NOTHING if share is None else _("%(share)s%%") % {"share": round(share * 100)}


@register.filter
def shown_name(who: object) -> str:
    """The name of a player, or of an entry on a board; that of a deleted account is the site's own, and translated."""
    return _("Former player") if getattr(who, "is_former", False) else str(who)


@register.simple_tag
def avatar(who: Named, size: int = 24) -> SafeString:
    """The picture of a player, or of an entry of a board, `size` pixels wide. The name stands beside it."""
    return format_html(
        '<img class="avatar" src="{}" alt="" width="{}" height="{}" loading="lazy" decoding="async">',
        address_for(who), size, size,
    )  # fmt: skip
