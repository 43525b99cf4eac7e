"""Template tags for the preview of a link to a page."""

from __future__ import annotations

from datetime import date

from django import template
from django.conf import settings
from django.template.context import RequestContext
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language

from games.presentation.view_models import ShownDeal
from games.rules import CATALOGUE

register = template.Library()


@register.inclusion_tag("_preview.html")
def preview(
    *, deal: ShownDeal | None = None, day: date | None = None, variant: str = "", is_revealed: bool = False
) -> dict[str, str]:
    """Return the context of the preview tags for a deal, a day or a variant; by default for the site.

    `is_revealed` applies to a day: all its deals are revealed. A deal has its own flag.
    """
    language = get_language() or settings.LANGUAGE_CODE
    if deal is not None and deal.day is not None:
        shown = "games:deal_opening" if deal.is_revealed else "games:deal_picture"
        path = reverse(shown, args=[language, deal.day, deal.variant])
    elif day is not None:
        path = reverse("games:day_opening" if is_revealed else "games:day_picture", args=[language, day])
    elif (name := variant or (deal.variant if deal else "")) in CATALOGUE:  # puzzle races have no picture
        path = reverse("games:variant_picture", args=[language, name])
    else:
        path = static("img/preview.png")
    return {"image": settings.PUBLIC_URL + path}


@register.simple_tag(takes_context=True)
def repeat_block(context: RequestContext, name: str) -> str:
    """Render a block of the page once more: its title is that of the preview as well."""
    return str(context.render_context[BLOCK_CONTEXT_KEY].get_block(name).render(context)).strip()
