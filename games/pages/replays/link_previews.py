"""Preview images for links to the site: of a variant, a day, or a deal.

Each image is identical for everyone and has its language in its URL. While a deal is secret, its image is face down and
is drawn without reading the deal.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import wraps
from typing import Final, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page, require_safe

from games.core import limits
from games.models import Deal
from games.presentation import titles
from games.presentation.view_models import revealed
from games.replays.preview_images import Preview, face_down, image_of, opening
from games.rules import CATALOGUE

#: Cache lifetime of an image, in seconds.
CACHE_SECONDS: Final = 24 * 3600

P = ParamSpec("P")


def _picture(draw: Callable[P, Preview]) -> Callable[..., HttpResponse]:
    """Build a view that returns the image, with its text in one of the site's languages."""

    @require_safe
    @conditional_page
    @wraps(draw)
    def view(request: HttpRequest, /, language: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        limits.spend(request, "preview")
        if language not in dict(settings.LANGUAGES):
            raise Http404
        with translation.override(language):
            image = image_of(draw(*args, **kwargs))
        return HttpResponse(
            image, content_type="image/png", headers={"Cache-Control": f"public, max-age={CACHE_SECONDS}"}
        )

    return view


@_picture
def variant_picture(variant: str) -> Preview:
    """Draw the layout of a variant, every card face down."""
    if variant not in CATALOGUE:
        raise Http404
    return Preview("Talon", titles.deal_title(variant, ""), [settings.SITE_DOMAIN], [face_down(variant)])


@_picture
def day_picture(day: date, *, opened: bool = False) -> Preview:
    """Draw the deals of a day: face down, or in their opening positions once all are revealed."""
    deals = {deal.variant: deal for deal in Deal.objects.filter(day=day, variant__in=CATALOGUE).defer("solution")}
    if not deals and day != timezone.now().date():
        raise Http404
    if opened:
        tables = [opening(revealed(deals[name])) for name in CATALOGUE if name in deals]
    else:
        tables = [face_down(name) for name in CATALOGUE]
    return Preview("Talon", _("Nine games of patience"), _foot(day), tables)


@_picture
def deal_picture(day: date, variant: str, *, opened: bool = False) -> Preview:
    """Draw a daily deal: face down, or in its opening position once it is revealed."""
    deal = Deal.objects.filter(day=day, variant=variant).defer("solution").first()
    if deal is None or variant not in CATALOGUE:
        raise Http404
    table = opening(revealed(deal)) if opened else face_down(variant)
    return Preview("Talon", titles.deal_title(variant, ""), _foot(day), [table])


def _foot(day: date) -> list[str]:
    return [date_format(day, "DATE_FORMAT"), settings.SITE_DOMAIN]
