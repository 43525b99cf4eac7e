"""Request log: one line per request."""

from __future__ import annotations

import logging

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware

log = logging.getLogger(__name__)


class RequestLog(RequestMiddleware):
    """django_structlog's middleware, with 503 responses logged as information.

    A 503 is deliberate: a deal is being prepared, or a queue is full. Failures are 500s.
    """

    def _log_level_for_status_code(self, status_code: int) -> int:
        return logging.INFO if status_code == 503 else super()._log_level_for_status_code(status_code)

    def _process_exception(self, request: HttpRequest, exception: Exception) -> None:
        """Log a failure; skip the query for the user if the database failed."""
        if isinstance(exception, OperationalError | InterfaceError):
            log.warning("the database failed a request", exc_info=exception)
        else:
            super()._process_exception(request, exception)
