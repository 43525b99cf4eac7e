"""Compresses responses, except where the compressed length could give away a secret.

BREACH works out a secret from the length of responses that also contain text from the attacker. Three measures prevent
it: every compressed response has up to a hundred random bytes in its header; the one secret on ordinary pages, the CSRF
token, is masked differently each time; and account pages, with recovery codes and the like, are never compressed.
"""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

#: Pages with content meant for one reader only.
PRIVATE: Final = ("/accounts/", "/admin/", "/players/me/")


class Compression(GZipMiddleware):
    """Compresses responses sent in one piece; streams are sent as they are."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress a response if the browser accepts it."""
        if response.streaming or request.path_info.startswith(PRIVATE):
            return response
        return super().process_response(request, response)
