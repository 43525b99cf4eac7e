"""Read-your-writes: players see their own changes on the next page, whichever database it reads from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from games.db.replicas.write_positions import wrote

_SAFE: Final = {"GET", "HEAD", "OPTIONS", "TRACE"}


class ReadYourWrites:
    """Middleware that records which players may have changed data: with a form, an API call or a sign-in.

    Until a replica has caught up, `games.db.replicas.replica_choice` serves these players from the primary. A sign-in
    through an external service may be a GET request. Installed only if there are replicas.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve the request, then record a write."""
        response = self._get_response(request)
        session = request.session
        if session.accessed and (request.method not in _SAFE or session.modified) and request.user.is_authenticated:
            wrote(request.user.pk)
        return response
