"""Page of a revealed deal's explorer: the key move in the replay viewer, with what everyone played."""

from __future__ import annotations

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from games.attempts.lifecycle import deal_table
from games.core import limits
from games.explorer.lookup import DealFigures, explorer_url, figures_of
from games.models import Deal
from games.presentation.view_models import ShownDeal, revealed
from games.replays.steps import steps_from


@require_safe
@never_cache
def explorer_page(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """Show what everyone played at a deal."""
    deal, _figures = _explored(day, variant)
    context = {
        "deal": ShownDeal.of(deal),
        "subtitle": _("what everyone played"),
        "steps_url": reverse("games:explorer_steps", kwargs={"day": day, "variant": variant}),
        "explorer_url": explorer_url(deal),
        "ghosts_url": reverse("games:ghosts", args=[deal.pk]),
    }
    return render(request, "games/replay.html", context)


@require_GET
def explorer_steps(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """Return the steps to the key move and the move itself, or else the winners' path, in the form of a replay."""
    limits.spend(request, "replay")
    deal, figures = _explored(day, variant)
    key = figures.summary.key
    line = figures.summary.path if key is None else [*key.line, *filter(None, [key.token])]
    return JsonResponse(steps_from(deal_table(deal), line, [0] * len(line)))


def _explored(day: date, variant: str) -> tuple[Deal, DealFigures]:
    deal = revealed(get_object_or_404(Deal, day=day, variant=variant))
    figures = figures_of(deal)
    if figures is None:
        raise Http404
    return deal, figures
