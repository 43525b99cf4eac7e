"""Admin for deals. Attempts are in the leaderboards' admin, where staff decide verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from games.models import Deal

if TYPE_CHECKING:
    _DealAdmin = admin.ModelAdmin[Deal]
else:
    _DealAdmin = admin.ModelAdmin


@admin.register(Deal)
class DealAdmin(_DealAdmin):
    """Read-only admin for deals. The seed of an open deal is hidden from everyone, staff included."""

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

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Return False: only the service creates deals."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Deal | None = None) -> bool:  # noqa: ARG002
        """Return False: a deal's commitment is public, so the deal must not change."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Deal | None = None) -> bool:  # noqa: ARG002
        """Return False: attempts refer to their deal."""
        return False
