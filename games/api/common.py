"""Parts shared by all API endpoints: throttling, reads from a replica, error shape, and date formats."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any, Final, TypeVar

from django.http import HttpRequest
from ninja import Schema
from ninja.throttling import BaseThrottle
from ninja.utils import contribute_operation_callback
from pydantic import BeforeValidator

from games.core import limits
from games.db.replicas.replica_choice import from_replica

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def _check_iso_format(value: object) -> object:
    """Reject dates and times that are not in ISO format, such as Unix timestamps, which the document does not allow."""
    if isinstance(value, str) and not re.match(r"\d{4}-\d{2}-\d{2}", value):
        raise ValueError("a day is written like 2026-11-21, a moment like 2026-11-21T12:00:00Z")
    return value


Day = Annotated[date, BeforeValidator(_check_iso_format)]

Moment = Annotated[datetime, BeforeValidator(_check_iso_format)]


class Limited(BaseThrottle):
    """Throttle for django-ninja that counts requests with the site's rate limiter."""

    def __init__(self, action: str) -> None:
        self._action = action

    def allow_request(self, request: HttpRequest) -> bool:
        """Count a request; `config.http.error_pages` words the error as it does for every other rate limit.

        :raises RateLimitedError: when the limit is exceeded.
        """
        limits.spend(request, self._action)
        return True


def read_from_replica(endpoint: Endpoint) -> Endpoint:
    """Read an endpoint's data from a replica if a suitable one is available; goes below the route decorator."""

    def wrap(operation: Any) -> None:  # noqa: ANN401 - django-ninja's
        # Wrapping earlier would hide the parameters' types from django-ninja.
        operation.view_func = from_replica("api")(operation.view_func)

    contribute_operation_callback(endpoint, wrap)
    return endpoint


class ErrorDetail(Schema):
    """The details of an error."""

    code: str
    message: str
    data: dict[str, Any]


class ErrorOut(Schema):
    """The JSON shape of every error."""

    error: ErrorDetail


ERRORS: Final = {frozenset({400, 401, 403, 404, 405, 413, 422, 429, 503}): ErrorOut}
