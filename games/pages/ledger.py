"""Pages by which anybody can check the deals: the ledger, and how a past deal is won."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from games import limits
from games.deals import ledger
from games.models import Deal, LedgerEntry
from games.pages import replays, titles
from games.rules import Record

#: Lines on one page of the ledger: a fortnight's and more. The JSON has more of them.
PAGE_LINES: Final = 150
JSON_LINES: Final = 5000


@require_safe
@never_cache
def ledger_page(request: HttpRequest) -> HttpResponse:
    """The ledger, newest line first; `?before=<index>` for older ones."""
    now = timezone.now()
    before = _index(request, "before")
    entries = LedgerEntry.objects.select_related("deal").order_by("-index")
    if before is not None:
        entries = entries.filter(index__lt=before)
    shown = list(entries[:PAGE_LINES])
    context = {
        "lines": [
            ledger.entry_json(entry, now) | {"title": titles.deal_title(entry.deal), "date": entry.day}
            for entry in shown
        ],
        "older": shown[-1].index if shown and shown[-1].index else None,
        "head": LedgerEntry.objects.order_by("-index").values_list("hash", flat=True).first(),
        "form": ledger.FORM,
    }
    return render(request, "games/ledger.html", context)


@require_GET
@never_cache
def ledger_json(request: HttpRequest) -> HttpResponse:
    """The ledger from its beginning, or from `?from=<index>` on; `next` is where to go on, null at the end."""
    now = timezone.now()
    first = _index(request, "from") or 0
    entries = LedgerEntry.objects.select_related("deal").filter(index__gte=first).order_by("index")
    found = list(entries[: JSON_LINES + 1])
    following = found[JSON_LINES].index if len(found) > JSON_LINES else None
    lines = [ledger.entry_json(entry, now) for entry in found[:JSON_LINES]]
    return JsonResponse({"form": ledger.FORM, "entries": lines, "next": following})


@require_safe
@never_cache
def solution_page(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """How a past deal is won, move by move in the replay viewer."""
    deal, _ = _revealed(day, variant)
    deal.seed, deal.solution = b"", None
    where = {"day": day, "variant": variant}
    context = {
        "attempt": None,
        "deal": deal,
        "title": titles.deal_title(deal),
        "player": "Talon",
        "mine": False,
        "steps_url": reverse("games:solution_steps", kwargs=where),
        "record_url": reverse("games:solution_record", kwargs=where),
    }
    return render(request, "games/replay.html", context)


@require_GET
def solution_steps(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """The winning record's first view and what each token changes."""
    limits.spend(request, "replay")
    return JsonResponse(replays.steps_of(_revealed(day, variant)[1]))


@require_GET
def solution_record(request: HttpRequest, day: date, variant: str) -> HttpResponse:  # noqa: ARG001
    """The winning record, as `python -m games.rules verify` reads it."""
    name = f"talon-{variant}-{day.isoformat()}-solution.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(_revealed(day, variant)[1].to_json(), headers=headers)


def _revealed(day: date, variant: str) -> tuple[Deal, Record]:
    """A deal with its winning record, once nobody can be playing it for a rank.

    :raises PermissionDenied: before.
    :raises Http404: for no deal, or for one that went out unproven.
    """
    deal = get_object_or_404(Deal, day=day, variant=variant)
    if not deal.is_revealed(timezone.now()):
        raise PermissionDenied
    if deal.solution is None:
        raise Http404
    return deal, Record.from_bytes(bytes(deal.solution))


def _index(request: HttpRequest, name: str) -> int | None:
    text: Any = request.GET.get(name)
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None
