"""Metrics endpoint, served before all other middleware and under any host name.

`config.observability.health` serves the probes.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django_prometheus.exports import ExportToDjangoView
from prometheus_client import generate_latest

import games.core.metrics  # noqa: F401 - registers what play counts, in every process
from config.http.error_pages import json_error_response
from config.observability.health import check_database, check_redis
from config.observability.state_metrics import standing_registry
from games.core.errors import ErrorCode, Refusal

METRICS: Final = "/metrics"

_standing = standing_registry(lambda: {"database": check_database(), "redis": check_redis()})


class OperationsMiddleware:
    """Middleware that serves /metrics."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the metrics, or pass the request on."""
        return metrics(request) if request.path == METRICS else self._get_response(request)


def metrics(request: HttpRequest) -> HttpResponse:
    """Return Prometheus metrics to clients with METRICS_TOKEN, or to this machine only if no token is set."""
    if not _may_read_metrics(request):
        return json_error_response(Refusal(ErrorCode.FORBIDDEN, "Metrics need the bearer token in METRICS_TOKEN."))
    response: HttpResponse = ExportToDjangoView(request)
    response.content += generate_latest(_standing)
    return response


def _may_read_metrics(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        authorization = request.headers.get("Authorization", "")
        return hmac.compare_digest(authorization.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
