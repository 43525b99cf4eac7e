"""Permissions-Policy header."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def permissions_policy(get_response: GetResponse) -> GetResponse:
    """Middleware that denies the features in PERMISSIONS_POLICY on every response."""
    policy = ", ".join(f"{feature}=()" for feature in settings.PERMISSIONS_POLICY)

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers["Permissions-Policy"] = policy
        return response

    return middleware
