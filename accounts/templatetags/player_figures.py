"""Template tags that format players' names, pictures and figures."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.profile.avatars import HasName, address_for

register = template.Library()

_NOTHING = "–"


@register.filter
def percent(share: float | None) -> str:
    """Format a share of 0 to 1 as a whole percentage."""
    return _NOTHING if share is None else _("%(share)s%%") % {"share": round(share * 100)}


@register.filter
def shown_name(who: object) -> str:
    """Return the name of a player or board entry; a deleted account gets the site's own, translated name."""
    return _("Former player") if getattr(who, "is_former", False) else str(who)


@register.simple_tag
def avatar(who: HasName, size: int = 24) -> SafeString:
    """Render the picture of a player or board entry, `size` pixels wide. The `alt` is empty: the name is next to it."""
    return format_html(
        '<img class="avatar" src="{}" alt="" width="{}" height="{}" loading="lazy" decoding="async">',
        address_for(who), size, size,
    )  # fmt: skip
