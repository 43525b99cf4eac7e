"""Error responses: pages for people, one JSON shape for programs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.cache import add_never_cache_headers

from config.http.locale import language_of
from games.core import metrics
from games.core.errors import A_MINUTE, ErrorCode, RateLimitedError, Refusal, wants_json
from games.core.waiting import NetworkBusyError, SiteFullError, to_queue

#: Retry-After in seconds for requests that fail because the database is away.
RETRY_AFTER: Final = 2

#: Statuses with an error page, mapped to the template they use.
PAGES = {400: 400, 401: 403, 403: 403, 404: 404, 429: 429}


def error_response(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Return a refusal as a page in the visitor's language or as JSON, marked never to be cached."""
    # The failure may precede the middleware that activates the language.
    with translation.override(language_of(request)):
        response = json_error_response(refusal) if wants_json(request) else _page(request, refusal)
    add_never_cache_headers(response)
    if "retry_after" in refusal.data:
        response["Retry-After"] = str(refusal.data["retry_after"])
    if isinstance(refusal, NetworkBusyError):
        refusal.reserve(request, response)
    if isinstance(refusal, SiteFullError):
        metrics.NEWCOMERS_QUEUED.inc()
    return response


def json_error_response(refusal: Refusal) -> JsonResponse:
    """Return a refusal in the common JSON shape."""
    return JsonResponse(refusal.to_json(), status=refusal.code.status)


def answering(code: ErrorCode) -> Callable[..., HttpResponse]:
    """Return a handler that answers every failed request with this error."""

    def answer(request: HttpRequest, *_exception: object, **_reason: object) -> HttpResponse:
        return error_response(request, Refusal(code))

    return answer


bad_request = answering(ErrorCode.BAD_REQUEST)
permission_denied = answering(ErrorCode.FORBIDDEN)
not_found = answering(ErrorCode.NOT_FOUND)
csrf_failure = answering(ErrorCode.CSRF_FAILED)


def too_many_requests(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """Answer 429 (`handler429`). allauth calls it for its own limits, which do not say how long to wait."""
    return error_response(request, RateLimitedError(A_MINUTE, of_network=not request.user.is_authenticated))


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 (`handler500`), or 503 while the database is away."""
    if not isinstance(sys.exception(), OperationalError | InterfaceError):
        return error_response(request, Refusal(ErrorCode.SERVER_ERROR))
    return error_response(request, Refusal(ErrorCode.DATABASE_AWAY, retry_after=RETRY_AFTER))


class Refusals:
    """Middleware that answers views' refusals, and bare 405 responses from Django or django-ninja.

    It is the innermost middleware, so outer ones see a refusal as a response instead of an exception.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request, giving a refused method the common error shape."""
        response = self._get_response(request)
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        reworded = error_response(request, Refusal(ErrorCode.METHOD_NOT_ALLOWED))
        reworded["Allow"] = ", ".join(sorted(name.strip() for name in response["Allow"].split(",")))
        return reworded

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal. Any other exception is left for Django to report."""
        return error_response(request, exception) if isinstance(exception, Refusal) else None


def _page(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    if isinstance(refusal, NetworkBusyError | SiteFullError):
        return to_queue(request)
    status = refusal.code.status
    template = f"{PAGES.get(status, 400 if status < 500 else 500)}.html"
    # No request context: an error page must not run the code that may have failed.
    page = render_to_string(template, {"number": status, "message": refusal.sentence})
    return HttpResponse(page, status=status)
