"""CSRF cookie for pages without a form whose scripts send the token."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token

View = Callable[..., HttpResponse]

# Request keys of Django's CSRF middleware: the secret from the cookie, and the flag to send the cookie again.
_COOKIE: Final = "CSRF_COOKIE"
_SEND: Final = "CSRF_COOKIE_NEEDS_UPDATE"


def with_csrf_cookie(view: View) -> View:
    """Send the CSRF cookie with the response, and renew one that the browser has.

    Cheaper than Django's `ensure_csrf_cookie`, which runs the whole middleware again and masks a token that is never
    read.
    """

    @wraps(view)
    def kept(request: HttpRequest, *given: Any, **named: Any) -> HttpResponse:  # noqa: ANN401 - the view's
        if request.META.get(_COOKIE):
            request.META[_SEND] = True
        else:
            get_token(request)
        return view(request, *given, **named)

    return kept
