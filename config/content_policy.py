"""Content-Security-Policy and Permissions-Policy headers, built once instead of for every response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

PERMISSIONS: Final = "Permissions-Policy"

_OF_ITS_OWN = "_csp_"


class ContentPolicy(CSPMiddleware):
    """django-csp's middleware with a prebuilt policy; only responses with a policy of their own need a new one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response)
        self._policy = build_policy()
        self._permissions = ", ".join(f"{feature}=()" for feature in settings.PERMISSIONS_POLICY)

    def process_request(self, request: HttpRequest) -> None:
        """Skip the nonce: no page has an inline script."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set both policy headers."""
        response.headers.setdefault(PERMISSIONS, self._permissions)
        if any(name.startswith(_OF_ITS_OWN) for name in vars(response)):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self._policy)
        return response
