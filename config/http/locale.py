"""Language of a response: the visitor's choice, else the browser's first supported language, else English."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers

from games.core.errors import wants_json


class LanguageMiddleware(LocaleMiddleware):
    """Locale middleware. Pages use the visitor's language; the API uses English, since programs read codes."""

    def process_request(self, request: HttpRequest) -> None:
        """Activate the language of the response."""
        translation.activate(language_of(request))
        request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set Content-Language and Vary on the response."""
        if is_for_programs(request):
            return response
        response = super().process_response(request, response)
        patch_vary_headers(response, ("Cookie",))
        return response


def language_of(request: HttpRequest) -> str:
    """Return the language for a response. Reads headers only, so error pages can use it too."""
    return settings.LANGUAGE_CODE if wants_json(request) else translation.get_language_from_request(request)


def is_for_programs(request: HttpRequest) -> bool:
    """Return True for API requests, which have one language, and for pictures, which have none or name their own."""
    return request.path_info.startswith(("/api/", "/avatars/", "/previews/"))
