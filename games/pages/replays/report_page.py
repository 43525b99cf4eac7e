"""Report page: a player reports another player's public game, and later sees the answer."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.appeals import reports
from games.appeals.models import REPORT_LENGTH, Report, ReportReason
from games.core import limits
from games.core.errors import ErrorCode, Refusal, wants_json
from games.db.players import has_account
from games.models import Attempt
from games.presentation.view_models import ShownDeal, ShownPlayer


@dataclass(frozen=True, slots=True)
class ShownReport:
    """A report as its author sees it; `action_taken` is None until it is answered."""

    reason: str
    text: str
    made_at: datetime
    action_taken: bool | None

    @classmethod
    def of(cls, report: Report) -> Self:
        """Return the visible part of `report`."""
        return cls(report.get_reason_display(), report.text, report.made_at, report.action_taken)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def report_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Show the form to report a game, or the player's existing report of it."""
    if not request.user.is_authenticated or not has_account(request):
        raise Refusal(ErrorCode.ACCOUNT_REQUIRED)
    if request.method == "POST":
        limits.spend(request, "report")
    found = get_object_or_404(Attempt.objects.select_related("deal", "player").defer("record"), public_id=attempt)
    report = reports.report_of(found, request.user.pk)
    if request.method != "POST":
        if report is None and not reports.may_be_reported(found, request.user.pk):
            raise Refusal(ErrorCode.NO_REPORT)
        return render(request, "games/report.html", _context(found, report))
    reason, text = request.POST.get("reason", ""), request.POST.get("text", "")
    try:
        reports.report(found, request.user, reason, text)
    except Refusal as refusal:
        if refusal.code != ErrorCode.BAD_TEXT or wants_json(request):
            raise
        context = _context(found, None) | {"chosen": reason, "text": text, "error": refusal.sentence}
        return render(request, "games/report.html", context, status=refusal.code.status)
    messages.success(request, _("Thank you. We'll check this game and answer in your inbox."))
    return redirect("games:report", attempt=attempt)


def _context(attempt: Attempt, report: Report | None) -> dict[str, Any]:
    return {
        "deal": ShownDeal.of(attempt.deal),
        "player": ShownPlayer.of(attempt.player),
        "attempt": attempt.public_id,
        "report": report and ShownReport.of(report),
        "reasons": ReportReason.choices,
        "length": REPORT_LENGTH,
    }
