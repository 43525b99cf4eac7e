"""Deals in the admin. Attempts are looked after where their verdicts are made."""

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
    """Deals to look at: nobody edits one, and nobody, staff included, sees an open deal's seed."""

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
        """Deals are made by the service."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Deal | None = None) -> bool:  # noqa: ARG002
        """A deal's commitment is out: nothing about it changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Deal | None = None) -> bool:  # noqa: ARG002
        """Attempts hang on it."""
        return False
