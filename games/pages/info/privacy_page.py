"""Privacy page: personal data, its retention and the reasons."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.appeals import appeals, reports
from games.fairplay import account_links, foresight_store


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Show the page, with retention periods from the code that deletes the data."""
    context = {
        "starts_days": account_links.KEPT.days,
        "device_days": account_links.COOKIE_AGE.days,
        "appeal_months": appeals.KEPT.days // 30,
        "report_months": reports.KEPT.days // 30,
        "foresight_days": foresight_store.KEPT.days,
        "has_push": bool(settings.VAPID_PRIVATE_KEY),
        "has_services": bool(settings.SOCIALACCOUNT_PROVIDERS),
        "guest_days": settings.SESSION_COOKIE_AGE // 86_400,
    }
    return render(request, "games/privacy.html", context)
