"""Language of JSON that a page shows: the player's, unlike that of the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import translation


def in_own_language(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let a view of JSON answer in the player's language."""

    @wraps(view)
    def translated(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ANN401
        with translation.override(translation.get_language_from_request(request)):
            return view(request, *args, **kwargs)

    return translated
