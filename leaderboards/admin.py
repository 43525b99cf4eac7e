"""Attempts and boards in the admin, where staff decide reviews."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.models import Attempt
from leaderboards.models import Result
from leaderboards.settlement import NotDecidableError, decide

State = Attempt.State


@admin.action(description=_("Verify: the game was honest, rank it"), permissions=["change"])
def verify_selected(model_admin: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Any]) -> None:
    """Decide the chosen attempts in their players' favour."""
    _decide(model_admin, request, chosen, State.VERIFIED)


@admin.action(description=_("Reject: take it off the boards"), permissions=["change"])
def reject_selected(model_admin: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Any]) -> None:
    """Decide the chosen attempts against their players."""
    _decide(model_admin, request, chosen, State.REJECTED)


def _decide(model_admin: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Any], state: State) -> None:
    column = "attempt_id" if chosen.model is Result else "pk"
    for attempt_id in list(chosen.values_list(column, flat=True)):
        try:
            decide(attempt_id, state, request.user)
        except NotDecidableError as error:
            model_admin.message_user(request, f"{attempt_id}: {error}", messages.ERROR)
        else:
            model_admin.message_user(request, f"{attempt_id}: {state.label}.", messages.SUCCESS)


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """Rows that only the service writes; staff change them through actions."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Nobody adds rows by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Deleting past the boards would leave their counts wrong."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Every field shown."""
        return self.fields or ()


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    """Attempts and their verdicts. The record is not shown: it holds the seed of a deal that may be open."""

    actions = (verify_selected, reject_selected)
    list_display = ("public_id", "deal", "player", "state", "why", "cards_up", "elapsed_ms", "tokens", "finished_at")
    list_filter = ("state", "ranked", "end", "deal__variant")
    list_select_related = ("deal", "player")
    search_fields = ("public_id", "player__username", "player__display_name")
    show_full_result_count = False
    fields = (
        "public_id",
        "deal",
        "player",
        "ranked",
        "state",
        "all_reasons",
        "end",
        "cards_up",
        "elapsed_ms",
        "tokens",
        "auto_runs",
        "started_at",
        "deadline",
        "finished_at",
        "verified_at",
        "verify_tries",
        "replay",
    )

    @admin.display(description=_("reasons"))
    def why(self, attempt: Attempt) -> str:
        """The codes of the reasons."""
        return ", ".join(one["code"] for one in attempt.reasons)

    @admin.display(description=_("reasons"))
    def all_reasons(self, attempt: Attempt) -> SafeString:
        """Every reason with its sentence."""
        return format_html_join("", "<p><b>{}</b> {}</p>", ((one["code"], one["message"]) for one in attempt.reasons))

    @admin.display(description=_("replay"))
    def replay(self, attempt: Attempt) -> SafeString:
        """Where to watch it, once its deal is over."""
        return format_html('<a href="{}">{}</a>', reverse("games:replay", args=[attempt.public_id]), gettext("watch"))


@admin.register(Result)
class ResultAdmin(ReadOnlyAdmin):
    """The results on the boards. To remove one, reject its attempt."""

    actions = (reject_selected,)
    list_display = ("attempt", "deal", "player", "cards_up", "elapsed_ms", "tokens", "finished_at", "listed")
    list_filter = ("listed", "deal__variant")
    list_select_related = ("attempt", "deal", "player")
    search_fields = ("attempt__public_id", "player__username", "player__display_name")
    show_full_result_count = False
    fields = ("attempt", "deal", "player", "cards_up", "elapsed_ms", "tokens", "finished_at", "listed")
