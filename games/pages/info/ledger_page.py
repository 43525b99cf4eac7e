"""Page of the public ledger of deals, for verification; the API has all of it as JSON."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.db.replicas.replica_choice import from_replica
from games.deals import ledger
from games.models import LedgerEntry
from games.presentation import titles

#: Lines per page of the ledger: more than two weeks' worth. The JSON has more.
PAGE_LINES: Final = 150


@require_safe
@never_cache
@from_replica("ledger")
def ledger_page(request: HttpRequest) -> HttpResponse:
    """Show the ledger, newest line first; `?before=<index>` shows older lines."""
    now = timezone.now()
    text = request.GET.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    entries = LedgerEntry.objects.select_related("deal").order_by("-index")
    if before is not None:
        entries = entries.filter(index__lt=before)
    found = list(entries[:PAGE_LINES])
    context = {
        "lines": [
            ledger.entry_json(entry, now) | {"title": titles.VARIANT_TITLES[entry.variant], "date": entry.day}
            for entry in found
        ],
        "older": found[-1].index if found and found[-1].index else None,
        "head": LedgerEntry.objects.order_by("-index").values_list("hash", flat=True).first(),
    }
    return render(request, "games/ledger.html", context)
