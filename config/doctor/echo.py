"""Signed echo: what the site sees of a request that the doctor sends to it through the proxy.

It is answered before all other middleware, so that a wrong host or scheme does not change the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse

from games.core.addresses import client_address
from games.rules.version import __version__

PATH: Final = "/doctor/echo"
HEADER: Final = "X-Doctor"
#: Seconds for which a signature is good.
GOOD_FOR: Final = 60

_signer: Final = signing.TimestampSigner(salt="talon.doctor")


def signature() -> str:
    """Return the header value of a request that is answered."""
    return _signer.sign(PATH)


class EchoMiddleware:
    """Middleware that answers the doctor, and no one else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the address, scheme and host of a signed request, or pass it on."""
        if request.path != PATH or not _is_signed(request):
            return self._get_response(request)
        seen = {"address": client_address(request), "scheme": request.scheme, "host": request.META.get("HTTP_HOST", "")}
        return JsonResponse({**seen, "version": __version__})


def _is_signed(request: HttpRequest) -> bool:
    try:
        return bool(_signer.unsign(request.headers.get(HEADER, ""), max_age=GOOD_FOR) == PATH)
    except signing.BadSignature:
        return False
