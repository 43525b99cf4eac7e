"""Request log: one line per request."""

from __future__ import annotations

import logging

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware
from pybreaker import CircuitBreakerError

log = logging.getLogger(__name__)


class RequestLog(RequestMiddleware):
    """django_structlog's middleware, with 503 responses logged as information.

    A 503 is deliberate: a deal is being prepared, or a queue is full. Failures are 500s.
    """

    def _log_level_for_status_code(self, status_code: int) -> int:
        return logging.INFO if status_code == 503 else super()._log_level_for_status_code(status_code)

    def _process_exception(self, request: HttpRequest, exception: Exception) -> None:
        """Log a failure. During a database outage, skip the query for the user and do not repeat a known failure."""
        if not isinstance(exception, OperationalError | InterfaceError):
            super()._process_exception(request, exception)
        elif not isinstance(getattr(exception.__cause__, "__cause__", None), CircuitBreakerError):
            log.warning("the database failed a request", exc_info=exception)
