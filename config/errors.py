"""Error responses: pages for people, one JSON shape for programs."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from config.languages import language_of
from games.errors import error_body, too_many, wants_json
from games.limits import RateLimitedError

A_MINUTE = 60

TITLES = {
    400: ("bad_request", _("This request could not be understood.")),
    403: ("forbidden", _("You may not do this.")),
    404: ("not_found", _("There is nothing at this address.")),
    405: ("method_not_allowed", _("This address does not answer to that method.")),
    500: ("server_error", _("Something went wrong on our side. It has been noted.")),
}
#: Errors that share another error's page, with a different text.
PAGES = {405: 400}


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """handler400."""
    return _answer(request, 400)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """handler403; a rate limit is answered with 429."""
    if isinstance(exception, RateLimitedError):
        return too_many_requests(request, retry_after=exception.retry_after)
    return _answer(request, 403)


def too_many_requests(
    request: HttpRequest,
    exception: Exception | None = None,  # noqa: ARG001
    *,
    retry_after: int = A_MINUTE,
) -> HttpResponse:
    """handler429, which allauth calls for its own limits; they do not say how long to wait."""
    minutes = -(-retry_after // A_MINUTE)
    with translation.override(language_of(request)):
        message = ngettext(
            "Too many requests. Try again in a minute.",
            "Too many requests. Try again in %(minutes)d minutes.",
            minutes,
        ) % {"minutes": minutes}
        response = too_many(retry_after, message) if wants_json(request) else _page(429, message)
    response["Retry-After"] = str(retry_after)
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """handler404."""
    return _answer(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """handler500."""
    return _answer(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001
    """Answer a form that was not sent from a page of this site, or from one that is too old."""
    return _answer(request, 403, "csrf_failed", _("This form has expired. Go back, load the page again and retry."))


class MethodRefusals:
    """Gives refused methods the shape of all other errors; views and django-ninja send a bare line."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request, rewriting a refusal of its method."""
        response = self._get_response(request)
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        answer = _answer(request, 405)
        answer["Allow"] = ", ".join(sorted(name.strip() for name in response["Allow"].split(",")))
        return answer


def _answer(request: HttpRequest, status: int, code: str = "", message: str | Promise = "") -> HttpResponse:
    code, message = code or TITLES[status][0], message or TITLES[status][1]
    # The failure may have come before the middleware that sets the language.
    with translation.override(language_of(request)):
        if wants_json(request):
            return JsonResponse(error_body(code, str(message)), status=status)
        return _page(status, message)


def _page(status: int, message: str | Promise) -> HttpResponse:
    # Without the request: a page about a failure must not run the code that may have failed.
    template = f"{PAGES.get(status, status)}.html"
    return HttpResponse(render_to_string(template, {"number": status, "message": message}), status=status)
