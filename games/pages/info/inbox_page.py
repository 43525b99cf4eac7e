"""Inbox page: a player's notices, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.db.players import Names, player_id, player_services
from games.inbox import notices as inbox
from games.inbox.models import Notice

_ANSWERED: Final = {
    (False, "won"): gettext_lazy("%(name)s took your challenge. You stay ahead."),
    (False, "lost"): gettext_lazy("%(name)s beat your challenge."),
    (False, "even"): gettext_lazy("%(name)s tied your challenge."),
    (True, "won"): gettext_lazy("You beat %(name)s's challenge."),
    (True, "lost"): gettext_lazy("You didn't beat %(name)s's challenge."),
    (True, "even"): gettext_lazy("You tied %(name)s's challenge."),
    (True, "rejected"): gettext_lazy("Your answer to %(name)s's challenge doesn't count: it was not verified."),
}
_APPEALED: Final = {
    True: gettext_lazy("Your appeal was successful: the game is verified."),
    False: gettext_lazy("Your appeal was not successful: the game stays rejected."),
}
_REPORTED: Final = {
    True: gettext_lazy("We checked the game you reported and took action."),
    False: gettext_lazy("We checked the game you reported and found nothing wrong."),
}


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice in words; `address` is its link, or empty."""

    text: str
    address: str
    made_at: datetime
    is_new: bool


@require_safe
@never_cache
@login_required
def inbox_page(request: HttpRequest) -> HttpResponse:
    """Show a player's notices and mark them as seen."""
    player = player_id(request)
    assert player is not None
    notices = shown_notices(inbox.latest(player))
    if request.method == "GET":
        inbox.mark_seen(player)
    return render(request, "games/inbox.html", {"notices": notices})


def shown_notices(notices: Iterable[Notice]) -> list[ShownNotice]:
    """Return notices in words, with the current names of players."""
    listed = list(notices)
    names = player_services().names_of({notice.data["player"] for notice in listed if "player" in notice.data})
    return [
        ShownNotice(_text(notice, names), _address(notice), notice.made_at, notice.seen_at is None) for notice in listed
    ]


def _text(notice: Notice, names: Names) -> str:
    data: dict[str, Any] = notice.data
    name, _page = names.get(data.get("player", 0), (_("Someone"), UUID(int=0)))
    if notice.kind == Notice.Kind.CHALLENGED:
        return _("%(name)s challenges you.") % {"name": name}
    if notice.kind == Notice.Kind.JOINED:
        return _("%(name)s accepted your invitation and is waiting in a room.") % {"name": name}
    if notice.kind == Notice.Kind.ANSWERED:
        return _ANSWERED[data["own"], data["outcome"]] % {"name": name}
    if notice.kind == Notice.Kind.APPEALED:
        return str(_APPEALED[data["granted"]])
    if notice.kind == Notice.Kind.REPORTED:
        return str(_REPORTED[data["taken"]])
    return _("Your rating changed from %(before)s to %(after)s after a decision about a race.") % data


def _address(notice: Notice) -> str:
    if code := notice.data.get("challenge"):
        return reverse("games:challenge", args=[code])
    return str(notice.data.get("address", ""))
