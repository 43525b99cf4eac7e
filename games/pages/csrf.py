"""The cookie against forged requests, for pages whose scripts send it back and that need have no form."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token

View = Callable[..., HttpResponse]

# Where Django's middleware puts the cookie's secret if the browser has one, and is told to send it again.
_COOKIE: Final = "CSRF_COOKIE"
_SEND: Final = "CSRF_COOKIE_NEEDS_UPDATE"


def with_csrf_cookie(view: View) -> View:
    """Have the browser keep its cookie, or get one.

    Django's `ensure_csrf_cookie` has the whole middleware run once more, and masks a token that nobody reads.
    """

    @wraps(view)
    def kept(request: HttpRequest, *given: Any, **named: Any) -> HttpResponse:  # noqa: ANN401 - the view's
        if request.META.get(_COOKIE):
            request.META[_SEND] = True
        else:
            get_token(request)
        return view(request, *given, **named)

    return kept
