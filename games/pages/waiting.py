"""Where a player has a seat, and the mark in the session of those who wait for a quick match.

A page that they look at meanwhile tells them when their race is ready. Only sessions with the mark ask the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from games.players import player_id
from games.races import quick
from games.races.models import Entrant, Race, Room
from games.replicas.routing import reading_primary

_MARK: Final = "waits_for_race"
_BEFORE: Final = [Race.State.OPEN, Race.State.COUNTDOWN]
_SEATED: Final = [Entrant.State.JOINED, Entrant.State.READY, Entrant.State.RACING]


@dataclass(frozen=True, slots=True)
class ShownSeat:
    """A seat in a race that is not over: the room, and the address of the table once there is one."""

    code: str
    kind: str
    has_begun: bool


def seat_of(player: int | None) -> ShownSeat | None:
    """The player's seat in a race that is not over for them."""
    if player is None:
        return None
    found = Entrant.objects.filter(player=player, state__in=_SEATED).select_related("race__room").first()
    if found is None:
        return None
    return ShownSeat(found.race.room.code, found.race.room.kind, found.race.state not in _BEFORE)


def mark_waiting(request: HttpRequest) -> None:
    """Have the pages that this player looks at say when the race is ready."""
    request.session[_MARK] = True


def waiting_room(request: HttpRequest) -> dict[str, str]:
    """For every template: the code of the quick match that the player waits in, empty for everybody else."""
    session = getattr(request, "session", None)
    if session is None or not session.get(_MARK):
        return {"waiting_room": ""}
    player = player_id(request)
    with reading_primary():  # a mark that is taken away does not come back
        seat = seat_of(player)
    if seat is None or seat.kind != Room.Kind.QUICK or seat.has_begun:
        del session[_MARK]
        if player is not None and quick.take_missed(player):
            missed = _("You missed a quick match: you didn't confirm in time. To race, join the queue again.")
            messages.warning(request, missed)
        return {"waiting_room": ""}
    return {"waiting_room": seat.code}
