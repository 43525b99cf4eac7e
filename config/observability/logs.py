"""Structured logs: one event per line, with request and attempt ids, and without secrets or hidden cards."""

from __future__ import annotations

from typing import Any

import structlog

from config.observability.log_redaction import hide_secrets
from config.observability.outages import OutageFilter


def logging_config(*, level: str, form: str) -> dict[str, Any]:
    """Return the LOGGING setting; structlog and the standard library share one handler.

    Tracebacks omit local variables: a table's locals include its hidden cards.
    """
    before: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    render = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "event": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [*before, structlog.stdlib.ExtraAdder()],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.StackInfoRenderer(),
                    structlog.processors.format_exc_info,
                    hide_secrets,
                    render,
                ],
            }
        },
        "filters": {"outages": {"()": OutageFilter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "event", "filters": ["outages"]}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            # django_structlog writes one line per request, with the traceback of a failure.
            "django.request": {"level": "CRITICAL"},
            "django.channels.server": {"level": "WARNING"},
            "uvicorn": {"level": "WARNING"},
            "celery": {"level": "WARNING"},
            "psycopg.pool": {"level": "ERROR"},  # callers report its failures
        },
    }
