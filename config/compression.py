"""Answers go out compressed, except where that could tell a secret.

BREACH reads a secret off the length of answers that hold it beside text of the attacker's. Three things are against it:
every compressed answer has up to a hundred random bytes in its head, the one secret on ordinary pages (the CSRF token)
is masked anew each time, and pages of accounts, with recovery codes and the like, are not compressed at all.
"""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

#: Where answers hold what only their reader may know.
PRIVATE: Final = ("/accounts/", "/admin/", "/players/me/")


class Compression(GZipMiddleware):
    """Compresses what is sent in one piece; a stream goes out as it is made."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress an answer for a browser that takes it so."""
        if response.streaming or request.path_info.startswith(PRIVATE):
            return response
        return super().process_response(request, response)
