"""The page that tells players what is looked at, and what "verified" means; docs/fairplay.md has the whole of it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.appeals import appeals


@require_safe
def fairplay_page(request: HttpRequest) -> HttpResponse:
    """Fair play in plain words, with the time that there is for an appeal."""
    return render(request, "games/fairplay.html", {"appeal_days": appeals.WITHIN.days})
