"""Admin page for banning players: reason, end date, and a note for staff."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, time
from typing import Final

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache

from accounts.lifecycle.bans import ban_player
from accounts.models import Ban, User
from games.presentation.view_models import ShownPlayer

RIGHT: Final = "accounts.ban_user"
#: Maximum number of players banned in one submission.
MOST: Final = 200


class BanForm(forms.Form):
    """Form for the terms of a ban."""

    why = forms.ChoiceField(choices=Ban.Why.choices, label=gettext_lazy("Reason"))
    until = forms.DateField(
        required=False,
        label=gettext_lazy("Until"),
        help_text=gettext_lazy("The ban ends when this day begins (UTC). Leave empty to ban for good."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    note = forms.CharField(
        required=False,
        max_length=4_000,
        label=gettext_lazy("Note"),
        help_text=gettext_lazy("Only for staff."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def clean_until(self) -> datetime | None:
        """Return the moment at which the ban ends.

        :raises ValidationError: if it has passed.
        """
        day = self.cleaned_data["until"]
        if day is None:
            return None
        until = datetime.combine(day, time.min, tzinfo=UTC)
        if until <= timezone.now():
            raise forms.ValidationError(_("This day has begun or is over."))
        return until


def ban_url(players: Sequence[User]) -> str:
    """Return the URL of the page that bans these players."""
    return reverse("admin:accounts_ban") + "?" + "&".join(f"player={player.public_id}" for player in players)


@never_cache
def ban_page(request: HttpRequest) -> HttpResponse:
    """Ban the players in `?player=…&player=…`. Staff cannot be banned: a superuser removes their rights first."""
    staff = request.user
    if not isinstance(staff, User) or not staff.has_perm(RIGHT):
        raise PermissionDenied
    parameters = request.POST if request.method == "POST" else request.GET
    players = _players(parameters.getlist("player")[:MOST])
    form = BanForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        for player in players:
            ban_player(player, by=staff, **form.cleaned_data)
            LogEntry.objects.log_actions(staff.pk, [player], CHANGE, "Banned.", single_object=True)
        text = ngettext("%(count)d player banned.", "%(count)d players banned.", len(players))
        messages.success(request, text % {"count": len(players)})
        return redirect("admin:accounts_user_changelist")
    shown = [ShownPlayer.of(player) for player in players]
    context = admin.site.each_context(request) | {"title": _("Ban"), "form": form, "players": shown}
    return render(request, "admin/desk/ban.html", context)


def _players(public_ids: Sequence[str]) -> list[User]:
    try:
        ids = [uuid.UUID(text) for text in public_ids]
    except ValueError:
        raise Http404 from None
    found = User.objects.filter(public_id__in=ids, deleted_at=None, is_staff=False, is_superuser=False)
    if not found:
        raise Http404
    return list(found.order_by("pk"))
