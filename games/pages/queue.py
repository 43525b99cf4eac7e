"""The page of those who wait until there is room: `config.admission` fills in the place and sends it for another."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def queue(request: HttpRequest) -> HttpResponse:
    """The page without anybody's place."""
    return render(request, "games/queue.html")
