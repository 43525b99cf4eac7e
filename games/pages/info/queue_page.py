"""Waiting page of the admission queue. `config.admission` fills in the position and serves it for other pages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def queue(request: HttpRequest) -> HttpResponse:
    """Show the page without a position."""
    return render(request, "games/queue.html")
