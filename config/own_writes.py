"""Whoever has changed something sees it on the next page, whichever database that is read from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from games.replicas.writes import wrote

_SAFE: Final = {"GET", "HEAD", "OPTIONS", "TRACE"}


class OwnWrites:
    """Notes who may have written: with a form or a program's call, or by signing in, which some services do by a link.

    It is there only where there are replicas.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve the request, then note."""
        response = self._get_response(request)
        session = request.session
        if session.accessed and (request.method not in _SAFE or session.modified) and request.user.is_authenticated:
            wrote(request.user.pk)
        return response
