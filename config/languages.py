"""The language of a response: the one chosen, else the browser's first that the site has, else English."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers

from games.errors import wants_json


class LanguageMiddleware(LocaleMiddleware):
    """Pages are in the visitor's language. The API is in English, since programs go by codes."""

    def process_request(self, request: HttpRequest) -> None:
        """Choose the language of the response."""
        translation.activate(language_of(request))
        request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Name the language in the response, and for caches what it depends on."""
        if is_for_programs(request):
            return response
        response = super().process_response(request, response)
        patch_vary_headers(response, ("Cookie",))
        return response


def language_of(request: HttpRequest) -> str:
    """The language to answer a request in. Reads headers only, so that error pages may ask too."""
    return settings.LANGUAGE_CODE if wants_json(request) else translation.get_language_from_request(request)


def is_for_programs(request: HttpRequest) -> bool:
    """Whether the request is for the API, which answers in one language, or a picture: it has none, or its own."""
    return request.path_info.startswith(("/api/", "/avatars/", "/previews/"))
