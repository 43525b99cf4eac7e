"""Page for newcomers who wait until they can play (`games.core.waiting`)."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import get_language_from_request
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.core.errors import NETWORK_IS_BUSY, time_left, wants_json
from games.core.table_capacity import tables_are_full
from games.core.waiting import RETRY_AFTER, own_page, seconds_to_wait


@require_safe
@never_cache
def queue(request: HttpRequest) -> HttpResponse:
    """Return to the page in `?next=` as soon as the visitor need not wait; the page asks by JSON when that is."""
    with translation.override(get_language_from_request(request)):  # JSON is in English otherwise
        wait = _reason(request)
    must_wait = bool(wait) or getattr(request, "is_full", False)
    if wants_json(request):
        return JsonResponse({"let_in": not must_wait, "wait": wait})
    if not must_wait:
        return HttpResponse(status=303, headers={"Location": own_page(request.GET.get("next", ""))})
    page = render(request, "games/queue.html", {"wait": wait, "retry_after": RETRY_AFTER}, status=503)
    page["Retry-After"] = str(RETRY_AFTER)
    return page


def _reason(request: HttpRequest) -> str:
    """Return why the visitor must wait, or an empty string."""
    if seconds := seconds_to_wait(request):
        return f"{NETWORK_IS_BUSY} {time_left(seconds)}"
    return _("All tables are full right now.") if tables_are_full() else ""
