"""The pages of one daily deal: its seal, and once it is revealed its seed and how it is won."""

from __future__ import annotations

from datetime import date

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from games import limits
from games.models import Deal, LedgerEntry
from games.pages.replays import steps_of
from games.pages.shown import ShownDeal, Tile, begun_at
from games.players import player_id
from games.rules import Record, shuffled_deck


@require_safe
@never_cache
def deal_page(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """One deal: its commitment, and once it is revealed its seed and solution."""
    deal = get_object_or_404(Deal, day=day, variant=variant)
    tile = Tile.of(deal, begun_at(player_id(request), deal))
    context = {
        "deal": tile.deal,
        "attempt": tile.attempt,
        "published_at": LedgerEntry.objects.filter(deal=deal).values_list("published_at", flat=True).first(),
    }
    return render(request, "games/deal.html", context)


@require_GET
def deal_data(request: HttpRequest, day: date, variant: str) -> HttpResponse:  # noqa: ARG001
    """A revealed deal to check or to play elsewhere: seed, commitment, deck order, and a winning record if known."""
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
    """How a revealed deal is won, move by move in the replay viewer."""
    deal = _revealed(day, variant)
    _winning_record(deal)
    where = {"day": day, "variant": variant}
    context = {
        "deal": ShownDeal.of(deal),
        "player": "Talon",
        "steps_url": reverse("games:solution_steps", kwargs=where),
        "record_url": reverse("games:solution_record", kwargs=where),
        "ghosts_url": reverse("games:ghosts", args=[deal.pk]),
    }
    return render(request, "games/replay.html", context)


@require_GET
def solution_steps(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """The winning record's first view and what each token changes."""
    limits.spend(request, "replay")
    return JsonResponse(steps_of(_winning_record(_revealed(day, variant))))


@require_GET
def solution_record(request: HttpRequest, day: date, variant: str) -> HttpResponse:  # noqa: ARG001
    """The winning record, as `python -m games.rules verify` reads it."""
    name = f"talon-{variant}-{day.isoformat()}-solution.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(_winning_record(_revealed(day, variant)).to_json(), headers=headers)


def _revealed(day: date, variant: str) -> Deal:
    """A deal whose seed everybody may see.

    :raises Http404: when there is no such deal.
    :raises PermissionDenied: while it may still be played for a rank.
    """
    deal = get_object_or_404(Deal, day=day, variant=variant)
    if not deal.is_revealed(timezone.now()):
        raise PermissionDenied
    return deal


def _winning_record(deal: Deal) -> Record:
    """The deal's winning record.

    :raises Http404: when the deal was published unproven.
    """
    if deal.solution is None:
        raise Http404
    return Record.from_bytes(bytes(deal.solution))
