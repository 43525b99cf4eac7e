"""Session flag of players who wait for a quick match.

Pages opened in the meantime announce that the race is ready. Only sessions with the flag query the database.
"""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from games.db.players import player_id
from games.db.replicas.router import reading_primary
from games.races.models import Room
from games.races.quick_match import matchmaking
from games.races.seats import seat_of

_MARK: Final = "waits_for_race"
_NOTES: Final = {
    matchmaking.Note.MISSED: _("You missed a quick match: you didn't confirm in time. Join again to race."),
    matchmaking.Note.ABSENT: _("You missed a quick match: you didn't show up. Join again to race."),
    matchmaking.Note.ALONE: _("Your opponent didn't show up. You're first in line for the next match."),
}


def mark_waiting(request: HttpRequest) -> None:
    """Set the session flag, so that this player's pages announce the race."""
    request.session[_MARK] = True


def waiting_room(request: HttpRequest) -> dict[str, str]:
    """Return the code of the quick match that the player waits in, for every template; empty for all others."""
    session = getattr(request, "session", None)
    if session is None or not session.get(_MARK):
        return {"waiting_room": ""}
    player = player_id(request)
    with reading_primary():  # a lagging replica must not clear the flag
        seat = seat_of(player)
    note = None if player is None else matchmaking.pop_note(player)
    if note is not None:
        messages.warning(request, _NOTES[note])
    if seat is None or seat.room.kind != Room.Kind.QUICK or seat.has_begun:
        del session[_MARK]
        return {"waiting_room": ""}
    return {"waiting_room": seat.code}
