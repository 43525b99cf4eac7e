"""Rooms and races in the admin, to look at: only the service writes them, and a decision is made on the attempt.

One thing staff can do here: void races that a fault of the server spoiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.races import finishing
from games.races.models import Entrant, Race, Room

if TYPE_CHECKING:
    _Admin = admin.ModelAdmin[Any]
    _Inline = admin.TabularInline[Entrant, Race]
else:
    _Admin, _Inline = admin.ModelAdmin, admin.TabularInline


class _ReadOnly:
    """Nobody adds, changes or deletes."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Only the service makes rows."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Only the service changes them."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """A race that was run is kept."""
        return False


@admin.register(Room)
class RoomAdmin(_ReadOnly, _Admin):
    """Rooms."""

    list_display = ("code", "kind", "host", "variant", "game", "limit_s", "seats", "made_at", "used_at", "closed_at")
    list_filter = ("kind", "game")
    list_select_related = ("host",)
    search_fields = ("code",)


@admin.action(description=_("Void: a fault of the server spoiled it"), permissions=["void"])
def void_selected(model_admin: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Race]) -> None:
    """End the chosen races without places or ratings; one that is over stays as it is."""
    for race in chosen.select_related("room"):
        voided = finishing.void(race.pk, Race.Void.SERVER_FAULT)
        if voided:
            model_admin.log_change(request, race, "Voided.")
        said = gettext("%(race)s: void.") if voided else gettext("%(race)s: is over, and stays as it is.")
        model_admin.message_user(request, said % {"race": race}, messages.SUCCESS if voided else messages.ERROR)


class EntrantInline(_ReadOnly, _Inline):
    """Those who take part in a race."""

    model = Entrant
    fields = ("player", "state", "place", "points", "cards_up", "elapsed_ms", "tokens", "attempt")
    readonly_fields = fields


@admin.register(Race)
class RaceAdmin(_ReadOnly, _Admin):
    """Races with their entrants. The deal is named, never shown."""

    list_display = ("room", "number", "state", "void", "variant", "game", "rated", "starts_at", "finished_at")
    list_filter = ("state", "void", "rated", "game")
    list_select_related = ("room",)
    search_fields = ("room__code", "public_id")
    inlines = (EntrantInline,)
    actions = (void_selected,)

    def has_void_permission(self, request: HttpRequest) -> bool:
        """Whoever could change races may void them."""
        return request.user.has_perm("races.change_race")
