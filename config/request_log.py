"""The line that is logged of every request."""

from __future__ import annotations

import logging

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware
from pybreaker import CircuitBreakerError

log = logging.getLogger(__name__)


class RequestLog(RequestMiddleware):
    """django_structlog's, but for answers that say when to come back.

    A deal that is being prepared or a queue that is full is answered with 503 on purpose; what fails is a 500.
    """

    def _log_level_for_status_code(self, status_code: int) -> int:
        return logging.INFO if status_code == 503 else super()._log_level_for_status_code(status_code)

    def _process_exception(self, request: HttpRequest, exception: Exception) -> None:
        """Log a failure; while the database is away, without asking it for the user or repeating what is known."""
        if not isinstance(exception, OperationalError | InterfaceError):
            super()._process_exception(request, exception)
        elif not isinstance(getattr(exception.__cause__, "__cause__", None), CircuitBreakerError):
            log.warning("the database failed a request", exc_info=exception)
