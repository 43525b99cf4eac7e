"""Pages of a daily deal: its commitment, and once revealed its seed and solution."""

from __future__ import annotations

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from games.attempts.player_attempts import attempt_at
from games.core import limits
from games.db.players import player_id
from games.explorer.lookup import explorer_url, figures_of, key_view
from games.models import Deal, LedgerEntry
from games.presentation.view_models import DealTile, ShownDeal, revealed
from games.replays.steps import steps_of
from games.rules import Record, shuffled_deck


@require_safe
@never_cache
def deal_page(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """Show a deal: its commitment, and once it is revealed its seed and solution."""
    deal = get_object_or_404(Deal, day=day, variant=variant)
    tile = DealTile.of(deal, attempt_at(player_id(request), deal))
    figures = figures_of(deal)
    key = figures.summary.key if figures else None
    context = {
        "deal": tile.deal,
        "attempt": tile.attempt,
        "figures": figures,
        "key_view": key_view(deal, key),
        "published_at": LedgerEntry.objects.filter(deal=deal).values_list("published_at", flat=True).first(),
    }
    return render(request, "games/deal.html", context)


@require_GET
def deal_data(request: HttpRequest, day: date, variant: str) -> HttpResponse:  # noqa: ARG001
    """Return a revealed deal as JSON, to check or to play elsewhere.

    The file has the seed, the commitment, the deck order, and a winning record if one is known.
    """
    deal = _revealed(day, variant)
    seed = bytes(deal.seed)
    data = {
        "rules": deal.rules_version,
        "variant": deal.variant,
        "game": deal.game,
        "options": deal.options,
        "day": day.isoformat(),
        "commitment": deal.commitment,
        "ledger_index": LedgerEntry.objects.filter(deal=deal).values_list("index", flat=True).first(),
        "seed": seed.hex(),
        "deck": shuffled_deck(deal.variant, seed),
        "solution": Record.from_bytes(bytes(deal.solution)).to_json() if deal.solution is not None else None,
    }
    name = f"talon-{deal.variant}-{day.isoformat()}.json"
    return JsonResponse(data, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@require_safe
@never_cache
def solution_page(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """Show the solution of a revealed deal, move by move in the replay viewer."""
    deal = _revealed(day, variant)
    _winning_record(deal)
    deal_args = {"day": day, "variant": variant}
    context = {
        "deal": ShownDeal.of(deal),
        "player": "Talon",
        "steps_url": reverse("games:solution_steps", kwargs=deal_args),
        "record_url": reverse("games:solution_record", kwargs=deal_args),
        "ghosts_url": reverse("games:ghosts", args=[deal.pk]),
        "explorer_url": explorer_url(deal),
    }
    return render(request, "games/replay.html", context)


@require_GET
def solution_steps(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """Return the first view of the winning record, and the changes of each token."""
    limits.spend(request, "replay")
    return JsonResponse(steps_of(_winning_record(_revealed(day, variant))))


@require_GET
def solution_record(request: HttpRequest, day: date, variant: str) -> HttpResponse:  # noqa: ARG001
    """Return the winning record in the format of `python -m games.rules verify`."""
    name = f"talon-{variant}-{day.isoformat()}-solution.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(_winning_record(_revealed(day, variant)).to_json(), headers=headers)


def _revealed(day: date, variant: str) -> Deal:
    return revealed(get_object_or_404(Deal, day=day, variant=variant))


def _winning_record(deal: Deal) -> Record:
    """Return the deal's winning record.

    :raises Http404: if the deal was published unproven.
    """
    if deal.solution is None:
        raise Http404
    return Record.from_bytes(bytes(deal.solution))
