"""The public API under /api/v1/: the apps' routers, one JSON shape for errors, one rate limit.

django-ninja makes the OpenAPI description from the types. The documentation page loads files of this site only.
"""

from __future__ import annotations

import logging

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Swagger
from ninja.errors import HttpError, ValidationError

from games.api import ApiError, Limited
from games.api import router as games_router
from games.errors import error_body
from leaderboards.api import router as boards_router

log = logging.getLogger(__name__)

api = NinjaAPI(
    title="Talon",
    version="1",
    description="Deals, boards, players and records of Talon. Read-only, but for /verify, which replays a record.",
    throttle=[Limited("api")],
    docs=Swagger(settings={"deepLinking": False}),  # or each operation's button would have a link inside
)
api.add_router("", games_router)
api.add_router("", boards_router)


def _refuse(request: HttpRequest, status: int, code: str, message: str, data: dict[str, object]) -> HttpResponse:
    return api.create_response(request, error_body(code, message, data), status=status)


@api.exception_handler(ApiError)
def refused(request: HttpRequest, error: ApiError) -> HttpResponse:
    """Answer a request that an endpoint refused."""
    return _refuse(request, error.status, error.code, error.message, error.data)


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Answer a request with invalid parameters."""
    problems = [{"at": [str(part) for part in one["loc"]], "problem": one["msg"]} for one in error.errors]
    return _refuse(request, 422, "bad_parameters", "Parameters are missing or wrong.", {"problems": problems})


@api.exception_handler(Http404)
def missing(request: HttpRequest, error: Http404) -> HttpResponse:  # noqa: ARG001
    """Answer a request for something that does not exist."""
    return _refuse(request, 404, "not_found", "There is nothing at this address.", {})


@api.exception_handler(HttpError)
def failed(request: HttpRequest, error: HttpError) -> HttpResponse:
    """Answer a request that django-ninja refused, such as one with an unreadable body."""
    return _refuse(request, error.status_code, "bad_request", "This request could not be understood.", {})


@api.exception_handler(Exception)
def broken(request: HttpRequest, error: Exception) -> HttpResponse:
    """Answer a request that failed by a bug: the log has the details, the answer none."""
    log.error("API request failed", exc_info=error)
    return _refuse(request, 500, "server_error", "Something went wrong on our side. It has been noted.", {})
