"""Deals in the admin. Attempts are in the boards' admin, where verdicts are made."""

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
    """Deals, read-only. Nobody, staff included, sees the seed of an open deal."""

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
        """Only the service makes deals."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Deal | None = None) -> bool:  # noqa: ARG002
        """A deal's commitment is public, so nothing about it may change."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Deal | None = None) -> bool:  # noqa: ARG002
        """Attempts refer to their deal."""
        return False
