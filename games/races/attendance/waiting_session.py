"""Session flag of players who are waiting for a race.

The other pages that they open follow the race, and show a note if they miss it. Only sessions with the flag cost a
query. It stays until the note has expired.
"""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from games.db.players import player_id
from games.db.replicas.router import reading_primary
from games.races.attendance.roll_call import Note, note_for
from games.races.seats import seat_of

_MARK: Final = "waits_for_race"
_SENTENCES: Final = {
    Note.MISSED: _("You missed a quick match: you didn't come in time. Join again to race."),
    Note.ABSENT: _("You missed a race: you weren't there when it started. It doesn't count against you."),
    Note.ALONE: _("Your opponent didn't show up. You're first in line for the next match."),
}


def mark_waiting(request: HttpRequest) -> None:
    """Set the session flag, so that this player's pages follow the race."""
    request.session[_MARK] = True


def show_note(request: HttpRequest) -> bool:
    """Show the player's note once on this page; return whether there is one."""
    note = note_for(player_id(request))
    if note is not None and not hasattr(request, _MARK):
        messages.warning(request, _SENTENCES[note])
        setattr(request, _MARK, note)
    return note is not None


def waiting_room(request: HttpRequest) -> dict[str, str]:
    """Return the code of the room in which the player waits for a race, for every template; empty for all others."""
    session = getattr(request, "session", None)
    if session is None or not session.get(_MARK):
        return {"waiting_room": ""}
    with reading_primary():  # a lagging replica must not clear the flag
        seat = seat_of(player_id(request))
    has_note = show_note(request)
    if seat is None and not has_note:
        del session[_MARK]
    return {"waiting_room": "" if seat is None or seat.has_begun else seat.code}
