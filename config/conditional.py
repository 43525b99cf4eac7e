"""Answers of the API that a program has already, or does not want to read, are not sent."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware

API: Final = "/api/v1/"


class ConditionalApi(ConditionalGetMiddleware):
    """Gives what the API answers an ETag, and 304 to who has it; pages differ each time, by their CSRF token.

    HEAD is answered as GET would be, without the body, which the server leaves out: django-ninja knows GET alone.
    """

    def process_request(self, request: HttpRequest) -> None:
        """Have the API asked for what it knows."""
        if request.path_info.startswith(API) and request.method == "HEAD":
            request.method = "GET"

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compare an answer of the API with what the program says it has."""
        if not request.path_info.startswith(API):
            return response
        if response.get("Allow") == "GET":
            response["Allow"] = "GET, HEAD"
        response = super().process_response(request, response)
        request.method = request.META["REQUEST_METHOD"]
        return response
