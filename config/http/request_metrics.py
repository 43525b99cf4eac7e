"""Request metrics whose labels visitors cannot choose."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django_prometheus.middleware import PrometheusAfterMiddleware


class CountRequests(PrometheusAfterMiddleware):  # type: ignore[misc] # django_prometheus carries no types
    """django_prometheus' metrics, with one label for all methods unknown to HTTP.

    Every new label creates a series that lasts as long as the process, and some of django_prometheus' metrics use the
    method exactly as sent.
    """

    def label_metric(
        self,
        metric: Any,  # noqa: ANN401
        request: HttpRequest,
        response: HttpResponse | None = None,
        **labels: str,
    ) -> Any:  # noqa: ANN401
        """Return the metric's series for a request."""
        if "method" in labels:
            labels["method"] = self._method(request)
        return super().label_metric(metric, request, response, **labels)
