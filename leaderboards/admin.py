"""Admin for attempts and results; staff decide about attempts under review at the desk."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.core.admin_mixins import ReadOnlyRows
from games.core.errors import ErrorCode, Refusal
from games.models import Attempt
from leaderboards.desk import access, views
from leaderboards.models import Result

State = Attempt.State


@admin.action(description=_("Verify: the game was honest, rank it"), permissions=["decide"])
def verify_selected(model_admin: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:  # noqa: ARG001
    """Verify the chosen attempts, on a page that asks for the reason."""
    return _decide(chosen, State.VERIFIED)


@admin.action(description=_("Reject: take it off the leaderboards"), permissions=["decide"])
def reject_selected(model_admin: admin.ModelAdmin[Any], request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse:  # noqa: ARG001
    """Reject the chosen attempts, on a page that asks for the reason."""
    return _decide(chosen, State.REJECTED)


def _decide(chosen: QuerySet[Any], state: State) -> HttpResponse:
    column = "attempt__public_id" if chosen.model is Result else "public_id"
    found = list(chosen.values_list(column, flat=True)[: views.MOST_CHOSEN + 1])
    if len(found) > views.MOST_CHOSEN:
        raise Refusal(ErrorCode.BAD_REQUEST)
    return redirect(views.together_url(state, attempts=found))


class ReadOnlyAdmin(ReadOnlyRows, admin.ModelAdmin[Any]):
    """Admin for rows that staff change through actions: other changes would bypass the boards."""

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may decide about attempts."""
        return request.user.has_perm(access.DECIDE)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Make every displayed field read-only."""
        return self.fields or ()


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    """Attempts and their verdicts. The record is not shown: it holds the seed of a deal that may be open."""

    actions = (verify_selected, reject_selected)
    list_display = (
        "public_id",
        "desk",
        "deal",
        "player",
        "state",
        "why",
        "cards_up",
        "elapsed_ms",
        "tokens",
        "finished_at",
    )
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
        "progress_ms",
        "auto_runs",
        "started_at",
        "deadline",
        "finished_at",
        "verified_at",
        "verify_tries",
        "desk",
    )

    def get_urls(self) -> list[URLPattern]:
        """Put the desk's pages before the row pages."""
        return [*views.addresses(self.admin_site), *super().get_urls()]

    @admin.display(description=_("reasons"))
    def why(self, attempt: Attempt) -> str:
        """Return the codes of the reasons."""
        return ", ".join(entry["code"] for entry in attempt.reasons)

    @admin.display(description=_("reasons"))
    def all_reasons(self, attempt: Attempt) -> SafeString:
        """Render every reason with its sentence."""
        return format_html_join(
            "", "<p><b>{}</b> {}</p>", ((entry["code"], entry["message"]) for entry in attempt.reasons)
        )

    @admin.display(description=_("desk"))
    def desk(self, attempt: Attempt) -> SafeString:
        """Link to the attempt's page at the desk, which exists once it has been judged."""
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:desk_attempt", args=[attempt.public_id]), gettext("look closer")
        )


@admin.register(Result)
class ResultAdmin(ReadOnlyAdmin):
    """Results on the boards. To remove one, reject its attempt."""

    actions = (reject_selected,)
    list_display = ("attempt", "deal", "player", "cards_up", "elapsed_ms", "tokens", "finished_at", "ladder", "listed")
    list_filter = ("ladder", "listed", "deal__variant")
    list_select_related = ("attempt", "deal", "player")
    search_fields = ("attempt__public_id", "player__username", "player__display_name")
    show_full_result_count = False
    fields = (*list_display, "progress_ms")
