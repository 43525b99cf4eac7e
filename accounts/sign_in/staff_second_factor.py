"""Second factor for staff: the admin and the desk require it if `STAFF_SECOND_FACTOR` is on."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import get_authentication_records
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _


def has_second_factor(request: HttpRequest) -> bool:
    """Return whether this session has used a second factor, or staff need none."""
    if not settings.STAFF_SECOND_FACTOR:
        return True
    return any(record["method"] == "mfa" for record in get_authentication_records(request, request.user))


def ask_for_second_factor(request: HttpRequest) -> HttpResponse:
    """Redirect staff to the page that asks for their second factor, or to the one where they can add it."""
    methods = get_adapter().get_reauthentication_methods(request.user)
    pages = [method["url"] for method in methods if method["id"].startswith("mfa_")]
    if pages:
        back = request.GET.get("next", reverse("admin:index"))  # allauth validates the target
        return redirect(f"{pages[0]}?{urlencode({'next': back})}")
    messages.warning(request, _("Staff need a second factor. Add one here, then come back."))
    return redirect("mfa_index")
