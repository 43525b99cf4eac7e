"""Web app manifest, for browsers that install the site. The URL has the language: browsers send no cookies."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, JsonResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

GREEN: Final = "#17503a"


@require_safe
@cache_control(public=True, max_age=24 * 3600)
def manifest(request: HttpRequest, language: str) -> JsonResponse:  # noqa: ARG001
    """Return the web app manifest in a language."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    icon = {"src": static("img/icon-192.png"), "sizes": "192x192", "type": "image/png"}
    with translation.override(language):
        content = {
            "name": _("Talon: daily patience races"),
            "short_name": "Talon",
            "description": _("Nine games of patience every day, the same cards for everyone."),
            "lang": language,
            "start_url": reverse("games:home"),
            "display": "standalone",
            "background_color": GREEN,
            "theme_color": GREEN,
            "shortcuts": [
                {"name": _("Today's game"), "url": reverse("games:todays_game"), "icons": [icon]},
                {"name": _("Races"), "url": reverse("games:races"), "icons": [icon]},
            ],
            "icons": [
                icon,
                {"src": static("img/icon-512.png"), "sizes": "512x512", "type": "image/png", "purpose": "any maskable"},
                {"src": static("img/talon.svg"), "sizes": "any", "type": "image/svg+xml"},
            ],
        }
    return JsonResponse(content, content_type="application/manifest+json")
