"""The pictures that a link to the site shows elsewhere: of a variant, of a day, and of one deal.

Each is the same for everybody and has its language in its address. As long as a deal is secret there is one of it face
down only, which is made without looking at the deal.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import wraps
from typing import Final, ParamSpec

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import conditional_page, require_safe

from games import limits
from games.models import Deal
from games.pages import titles
from games.replays.previews import Preview, face_down, image_of, opening
from games.rules import CATALOGUE

#: Seconds that others may keep a picture without asking for it again.
KEPT: Final = 24 * 3600

P = ParamSpec("P")


def _picture(make: Callable[P, Preview]) -> Callable[..., HttpResponse]:
    """The view that answers with a picture, its words in a language of the site."""

    @require_safe
    @conditional_page
    @wraps(make)
    def answer(request: HttpRequest, /, language: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        limits.spend(request, "preview")
        if language not in dict(settings.LANGUAGES):
            raise Http404
        with translation.override(language):
            image = image_of(make(*args, **kwargs))
        return HttpResponse(image, content_type="image/png", headers={"Cache-Control": f"public, max-age={KEPT}"})

    return answer


@_picture
def variant_picture(variant: str) -> Preview:
    """A variant as it is laid out, every card face down."""
    if variant not in CATALOGUE:
        raise Http404
    return Preview("Talon", titles.deal_title(variant, ""), [settings.SITE_DOMAIN], [face_down(variant)])


@_picture
def day_picture(day: date, *, opened: bool = False) -> Preview:
    """The nine deals of a day: face down, or once all are revealed as they were when their games began."""
    deals = {deal.variant: deal for deal in Deal.objects.filter(day=day, variant__in=CATALOGUE).defer("solution")}
    if not deals and day != timezone.now().date():
        raise Http404
    if opened:
        tables = [opening(_revealed(deals[name])) for name in CATALOGUE if name in deals]
    else:
        tables = [face_down(name) for name in CATALOGUE]
    return Preview("Talon", _("Nine games of patience"), _foot(day), tables)


@_picture
def deal_picture(day: date, variant: str, *, opened: bool = False) -> Preview:
    """A deal of the day: face down, or once it is revealed as it was when its game began."""
    deal = Deal.objects.filter(day=day, variant=variant).defer("solution").first()
    if deal is None or variant not in CATALOGUE:
        raise Http404
    table = opening(_revealed(deal)) if opened else face_down(variant)
    return Preview("Talon", titles.deal_title(variant, ""), _foot(day), [table])


def _foot(day: date) -> list[str]:
    return [date_format(day, "DATE_FORMAT"), settings.SITE_DOMAIN]


def _revealed(deal: Deal) -> Deal:
    """A deal whose cards everybody may know.

    :raises PermissionDenied: while it may still be played for a rank.
    """
    if not deal.is_revealed(timezone.now()):
        raise PermissionDenied
    return deal
