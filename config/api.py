"""Public API under /api/v1/: the apps' routers, one JSON error shape, one rate limit.

django-ninja generates the OpenAPI document from the types. The documentation page loads files of this site only.
"""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Swagger
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema

from accounts.api import router as players_router
from config.http.error_pages import answering, error_response, server_error
from games.api.common import Limited
from games.api.deals import router as games_router
from games.api.explorer import router as explorer_router
from games.api.puzzles import router as puzzles_router
from games.api.races import router as races_router
from games.api.reference import router as reference_router
from games.core.errors import ErrorCode, Refusal
from leaderboards.api import router as boards_router

log = logging.getLogger(__name__)


class PublicAPI(NinjaAPI):
    """API with a cached OpenAPI document: generating it takes a fifth of a second, and any visitor may request it."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - as its parent takes it
        super().__init__(**options)
        self._documents: dict[str, OpenAPISchema] = {}

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Return the OpenAPI document. It is shared, so callers must not change it."""
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        if prefix not in self._documents:
            self._documents[prefix] = super().get_openapi_schema(path_prefix=prefix)
        return self._documents[prefix]


api = PublicAPI(
    title="Talon",
    version="1",
    description=(
        "Deals, races, boards, players, records and puzzles of Talon. All are read-only, except for your own moves at "
        "puzzles; /verify replays a record."
    ),
    throttle=[Limited("api")],
    docs=Swagger(settings={"deepLinking": False}),  # otherwise each operation's button would contain a link
)
api.add_router("", games_router)
api.add_router("", explorer_router)
api.add_router("", races_router)
api.add_router("", puzzles_router)
api.add_router("", boards_router)
api.add_router("", reference_router)
api.add_router("", players_router)
api.add_exception_handler(Refusal, error_response)  # type: ignore[arg-type] # handlers get instances
api.add_exception_handler(Http404, answering(ErrorCode.NOT_FOUND))
api.add_exception_handler(HttpError, answering(ErrorCode.BAD_REQUEST))  # such as a malformed body
api.add_exception_handler(RequestDataTooBig, answering(ErrorCode.TOO_LARGE))


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Answer a request with invalid parameters."""
    problems = [{"at": [str(part) for part in detail["loc"]], "problem": detail["msg"]} for detail in error.errors]
    message = "Parameters are missing or wrong."
    return error_response(request, Refusal(ErrorCode.BAD_PARAMETERS, message, problems=problems))


@api.exception_handler(Exception)
def broken(request: HttpRequest, error: Exception) -> HttpResponse:
    """Answer a request that failed because of a bug or a database outage. The details go to the log only."""
    log.error("API request failed", exc_info=error)
    return server_error(request)
