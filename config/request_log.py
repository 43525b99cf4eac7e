"""The line that is logged of every request."""

from __future__ import annotations

import logging

from django_structlog.middlewares import RequestMiddleware


class RequestLog(RequestMiddleware):
    """django_structlog's, but for answers that say when to come back.

    A deal that is being prepared or a queue that is full is answered with 503 on purpose; what fails is a 500.
    """

    def _log_level_for_status_code(self, status_code: int) -> int:
        return logging.INFO if status_code == 503 else super()._log_level_for_status_code(status_code)
