"""Appeal page: the reasons for a verdict, the player's appeal, and the answer."""

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

from games.appeals import appeals
from games.appeals.models import APPEAL_LENGTH, Appeal
from games.core import limits
from games.core.errors import ErrorCode, Refusal, wants_json
from games.models import Attempt
from games.presentation.view_models import ShownAttempt, ShownDeal


@dataclass(frozen=True, slots=True)
class ShownAppeal:
    """An appeal as its player sees it; `granted` is None until it is answered."""

    text: str
    made_at: datetime
    granted: bool | None
    answer: str
    answered_at: datetime | None

    @classmethod
    def of(cls, appeal: Appeal) -> Self:
        """Return the visible part of `appeal`."""
        granted = appeal.decision == Appeal.Decision.GRANTED if appeal.answered_at else None
        return cls(appeal.text, appeal.made_at, granted, appeal.answer, appeal.answered_at)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def appeal_page(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """Explain why a game is under review or rejected, and accept the player's appeal."""
    if request.method == "POST":
        limits.spend(request, "appeal")
    found = get_object_or_404(Attempt.objects.select_related("deal").defer("record"), public_id=attempt)
    if found.player_id != request.user.pk:
        raise Refusal(ErrorCode.NOT_YOURS)
    if request.method != "POST":
        return render(request, "games/appeal.html", _context(found))
    text = request.POST.get("text", "")
    try:
        appeals.appeal(found, request.user, text)
    except Refusal as refusal:
        if refusal.code != ErrorCode.BAD_TEXT or wants_json(request):
            raise
        context = _context(found) | {"text": text, "error": refusal.sentence}
        return render(request, "games/appeal.html", context, status=refusal.code.status)
    messages.success(request, _("Appeal sent. We'll answer in your inbox."))
    return redirect("games:appeal", attempt=attempt)


def _context(attempt: Attempt) -> dict[str, Any]:
    appeal = appeals.appeal_of(attempt)
    return {
        "deal": ShownDeal.of(attempt.deal),
        "attempt": ShownAttempt.of(attempt),
        "appeal": appeal and ShownAppeal.of(appeal),
        "may_appeal": appeal is None and appeals.may_appeal(attempt),
        "length": APPEAL_LENGTH,
        "days": appeals.WITHIN.days,
    }
