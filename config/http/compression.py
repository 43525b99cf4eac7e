"""Response compression, except where the compressed length could leak a secret.

BREACH recovers a secret from the length of responses that also contain the attacker's text. Three measures prevent it:
every compressed response has up to a hundred random bytes in its header; the one secret on ordinary pages, the CSRF
token, is masked differently each time; and account pages, with recovery codes and the like, are never compressed.
"""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

#: Path prefixes of pages with private content.
PRIVATE: Final = ("/accounts/", "/admin/", "/players/me/")


class Compression(GZipMiddleware):
    """Gzip middleware for responses sent in one piece; streams stay uncompressed."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress a response if the browser accepts it."""
        if response.streaming or request.path_info.startswith(PRIVATE):
            return response
        return super().process_response(request, response)
