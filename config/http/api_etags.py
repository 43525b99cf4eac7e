"""ETags, conditional GET and HEAD for the API."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware

API: Final = "/api/v1/"


class ConditionalApi(ConditionalGetMiddleware):
    """Conditional-GET middleware for the API. Pages are excluded: their CSRF token makes each response different.

    HEAD is processed as GET, because django-ninja supports only GET; the server drops the body.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Turn an API HEAD request into GET."""
        if request.path_info.startswith(API) and request.method == "HEAD":
            request.method = "GET"

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Add an ETag to an API response, or answer 304 if the client already has it."""
        if not request.path_info.startswith(API):
            return response
        if response.get("Allow") == "GET":
            response["Allow"] = "GET, HEAD"
        response = super().process_response(request, response)
        request.method = request.META["REQUEST_METHOD"]
        return response
