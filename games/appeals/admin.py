"""Admin for appeals and reports, where staff answer them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.appeals.appeals import answer_appeal
from games.appeals.models import Appeal, Report
from games.appeals.reports import answer_report
from games.core.admin_mixins import ServiceRows
from games.core.errors import Refusal
from games.models import Attempt


class _Answered(ServiceRows, admin.ModelAdmin[Any]):
    """Base admin for rows that players create and staff answer; housekeeping deletes them some time later."""

    date_hierarchy = "made_at"
    list_filter = (("answered_at", admin.EmptyFieldListFilter),)
    list_select_related = ("attempt__deal", "attempt__player", "answered_by")
    search_fields = ("attempt__public_id", "attempt__player__display_name")
    show_full_result_count = False
    answer: Callable[..., object]
    """Function that answers a row in the name of a staff member, or raises `Refusal`."""

    @admin.display(description=_("game"))
    def game(self, row: Appeal | Report) -> str:
        attempt = row.attempt
        return f"{attempt.deal}, {attempt.player}: {attempt.get_state_display()}"

    @admin.display(description=_("replay"))
    def replay(self, row: Appeal | Report) -> SafeString:
        """Return a link to the replay, which staff can watch once the deal is over."""
        return format_html(
            '<a href="{}">{}</a>', reverse("games:replay", args=[row.attempt.public_id]), gettext("watch")
        )

    def answer_rows(self, request: HttpRequest, rows: Iterable[Any], **terms: Any) -> None:  # noqa: ANN401
        """Answer each row on these terms, and show the outcome or the refusal as a message."""
        for row in rows:
            try:
                self.answer(row, request.user, **terms)
            except Refusal as refusal:
                self.message_user(request, f"{row}: {refusal}", messages.ERROR)
            else:
                self.log_change(request, row, "Answered.")
                self.message_user(request, _("Answered: %(what)s.") % {"what": row}, messages.SUCCESS)


class AppealForm(forms.ModelForm[Appeal]):
    """The answer to an appeal: a decision and a text for the player."""

    class Meta:
        model = Appeal
        fields = ("decision", "answer")

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        if "decision" in self.fields:
            self.fields["decision"].required = True


@admin.register(Appeal)
class AppealAdmin(_Answered):
    """Appeals. The player reads the answer."""

    answer = staticmethod(answer_appeal)
    form = AppealForm
    list_display = ("game", "text", "made_at", "decision", "answered_at", "answered_by")
    actions = ("grant", "dismiss")
    fields = ("game", "replay", "text", "made_at", "decision", "answer", "answered_at", "answered_by")

    def get_readonly_fields(self, request: HttpRequest, obj: Appeal | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Make the answer read-only once it is given."""
        fixed = ("game", "replay", "text", "made_at", "answered_at", "answered_by")
        return fixed if obj is not None and obj.answered_at is None else (*fixed, "decision", "answer")

    def save_model(self, request: HttpRequest, obj: Appeal, form: Any, change: bool) -> None:  # noqa: ANN401, ARG002, FBT001
        """Answer the appeal."""
        rows = Appeal.objects.select_related("attempt").filter(pk=obj.pk)
        self.answer_rows(request, rows, text=obj.answer, decision=Attempt.State(obj.decision))

    @admin.action(description=_("Grant: the game is verified"), permissions=["change"])
    def grant(self, request: HttpRequest, queryset: QuerySet[Appeal]) -> None:
        """Grant the selected appeals without a text."""
        self.answer_rows(request, queryset.select_related("attempt"), text="", decision=Attempt.State.VERIFIED)

    @admin.action(description=_("Dismiss: the game is rejected"), permissions=["change"])
    def dismiss(self, request: HttpRequest, queryset: QuerySet[Appeal]) -> None:
        """Dismiss the selected appeals without a text."""
        self.answer_rows(request, queryset.select_related("attempt"), text="", decision=Attempt.State.REJECTED)


@admin.register(Report)
class ReportAdmin(_Answered):
    """Reports. Reporters learn only that staff looked at the game, and whether they took action."""

    answer = staticmethod(answer_report)
    list_display = ("game", "replay", "reason", "text", "made_at", "reporter", "action_taken", "answered_by")
    actions = ("took_action", "found_nothing")
    fields = ("game", "replay", "reason", "text", "reporter", "made_at", "action_taken", "answered_at", "answered_by")
    readonly_fields = fields

    @admin.action(description=_("Answer: looked at, action taken"), permissions=["change"])
    def took_action(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        """Answer that staff took action."""
        self.answer_rows(request, queryset.select_related("attempt"), action_taken=True)

    @admin.action(description=_("Answer: looked at, nothing found"), permissions=["change"])
    def found_nothing(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        """Answer that staff found nothing."""
        self.answer_rows(request, queryset.select_related("attempt"), action_taken=False)
