"""Admin for deals. Attempts are in the leaderboards' admin, where staff decide verdicts."""

from __future__ import annotations

from django.contrib import admin

from games.core.admin_mixins import ReadOnlyRows
from games.models import Deal


@admin.register(Deal)
class DealAdmin(ReadOnlyRows, admin.ModelAdmin[Deal]):
    """Read-only admin for deals: their commitments are public, and attempts refer to them.

    The seed of an open deal is hidden from everyone, staff included.
    """

    list_display = ("label", "day", "game", "proven", "grade", "par", "opens_at", "closes_at")
    list_filter = ("variant", "proven", "grade")
    date_hierarchy = "day"
    search_fields = ("commitment",)
    fields = (
        "variant",
        "game",
        "options",
        "rules_version",
        "day",
        "commitment",
        "opens_at",
        "closes_at",
        "created_at",
        "proven",
        "grade",
        "par",
    )
    readonly_fields = fields
