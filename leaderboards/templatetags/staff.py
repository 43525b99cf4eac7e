"""Template tags for the front page of the admin and the desk."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.translation import gettext as _

from games.appeals.appeals import open_appeals
from games.appeals.models import Report
from games.models import Attempt
from leaderboards.desk import access, gap_chart

register = template.Library()
register.filter(gap_chart.seconds)


@register.simple_tag
def waiting_for(staff: Any) -> list[tuple[str, str, int]]:  # noqa: ANN401 - any kind of user
    """Return the title, address and number of each kind of work that waits for a staff member with the rights."""
    unanswered = "?answered_at__isempty=1"
    appeals, reports = (reverse(f"admin:appeals_{name}_changelist") + unanswered for name in ("appeal", "report"))
    work: list[tuple[str, str, str, Any]] = [
        (
            access.VIEW,
            _("Attempts under review"),
            reverse("admin:desk_queue"),
            Attempt.objects.filter(state=Attempt.State.REVIEW),
        ),
        ("appeals.view_appeal", _("Open appeals"), appeals, open_appeals()),
        ("appeals.view_report", _("Open reports"), reports, Report.objects.filter(answered_at=None)),
    ]
    return [(title, address, rows.count()) for right, title, address, rows in work if staff.has_perm(right)]
