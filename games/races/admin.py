"""Read-only admin of rooms and races: only the service writes them, and moderation decisions are made on the attempt.

The one action for staff is to void races that a server fault spoiled.
"""

from __future__ import annotations

from typing import Any, Final

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.core.admin_mixins import ReadOnlyRows
from games.races import finishing
from games.races.models import Entrant, Race, Room
from games.races.webhooks.webhook_url import host_of

_TIMES: Final = ("made_at", "used_at", "closed_at")


@admin.register(Room)
class RoomAdmin(ReadOnlyRows, admin.ModelAdmin[Any]):
    """Admin of rooms."""

    list_display = ("code", "kind", "host", "variant", "game", "limit_s", "seats", "webhook_host", *_TIMES)
    list_filter = ("kind", "game")
    list_select_related = ("host", "webhook")
    search_fields = ("code",)

    @admin.display(description=_("Webhook"), empty_value="")
    def webhook_host(self, room: Room) -> str | None:
        """Return the host of the room's webhook, whose URL is a secret."""
        return host_of(room.webhook.url) if hasattr(room, "webhook") else None


@admin.action(description=_("Void: stopped by a server error"), permissions=["void"])
def void_selected(model_admin: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Race]) -> None:
    """Void the chosen races, so that they give no places or ratings; a race that is over is left alone."""
    for race in chosen.select_related("room"):
        voided = finishing.void(race.pk, Race.Void.SERVER_FAULT)
        if voided:
            model_admin.log_change(request, race, "Voided.")
        message = gettext("%(race)s: void.") if voided else gettext("%(race)s is over and stays as it is.")
        model_admin.message_user(request, message % {"race": race}, messages.SUCCESS if voided else messages.ERROR)


class EntrantInline(ReadOnlyRows, admin.TabularInline[Entrant, Race]):
    """Inline list of a race's entrants."""

    model = Entrant
    fields = ("player", "state", "place", "points", "cards_up", "elapsed_ms", "tokens", "progress_ms", "attempt")
    readonly_fields = fields


@admin.register(Race)
class RaceAdmin(ReadOnlyRows, admin.ModelAdmin[Any]):
    """Admin of races with their entrants; the deal is never shown."""

    list_display = ("room", "number", "state", "void", "variant", "game", "rated", "starts_at", "finished_at")
    list_filter = ("state", "void", "rated", "game")
    list_select_related = ("room",)
    search_fields = ("room__code", "public_id")
    inlines = (EntrantInline,)
    actions = (void_selected,)

    def has_void_permission(self, request: HttpRequest) -> bool:
        """Return whether the user has the permission to change races."""
        return request.user.has_perm("races.change_race")
