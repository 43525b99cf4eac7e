"""The one shape of an error in JSON, and who is given it instead of a page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse


def error_body(code: str, message: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    """An error as every HTTP answer of the site words it."""
    return {"error": {"code": code, "message": message, "data": data or {}}}


def too_many(retry_after: int, message: str) -> HttpResponse:
    """The answer 429 for a program: when there is room again stands in the header and in the data."""
    body = error_body("rate_limited", message, {"retry_after": retry_after})
    return JsonResponse(body, status=429, headers={"Retry-After": str(retry_after)})


def wants_json(request: HttpRequest) -> bool:
    """The caller is a program: it asked the API, or for JSON."""
    if request.path.startswith("/api/"):
        return True
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"
