"""Fair play page for players: the checks, and the meaning of "verified". docs/fairplay.md has the details."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.appeals import appeals


@require_safe
def fairplay_page(request: HttpRequest) -> HttpResponse:
    """Show the fair play page, with the deadline for appeals in days."""
    return render(request, "games/fairplay.html", {"appeal_days": appeals.WITHIN.days})
