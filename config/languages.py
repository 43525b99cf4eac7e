"""The language of an answer: the one chosen, else the browser's first that the site speaks, else English."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers

from games.errors import wants_json


class LanguageMiddleware(LocaleMiddleware):
    """People are answered in their language; programs in English, as they go by codes and not by sentences."""

    def process_request(self, request: HttpRequest) -> None:
        """Choose the language that the request is answered in."""
        translation.activate(language_of(request))
        request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Name the language, and for those who keep answers what it was chosen by."""
        if is_for_programs(request):
            return response
        response = super().process_response(request, response)
        patch_vary_headers(response, ("Cookie",))
        return response


def language_of(request: HttpRequest) -> str:
    """The language to answer a request in; looks at its headers only, so that pages of failures may ask too."""
    return settings.LANGUAGE_CODE if wants_json(request) else translation.get_language_from_request(request)


def is_for_programs(request: HttpRequest) -> bool:
    """The API answers everybody alike."""
    return request.path_info.startswith("/api/")
