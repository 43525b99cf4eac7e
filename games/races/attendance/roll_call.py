"""Roll call before a race, and notes to the players for whom it did not start.

With every heartbeat, each process calls the pages of the next race's players, and records who answered the last call.
Those present when the seats are frozen will race, unless a second look shortly before the start finds that they have
left. The next page that the others open shows them a note.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from games.races import rooms
from games.races.models import Entrant, Race, Room

#: Time for which a player counts as present after each sign.
PRESENT_FOR: Final = timedelta(seconds=5)
#: Time for which the seek of a player whose last page was closed stays open: another page of the site may be loading.
LEFT_AFTER: Final = timedelta(seconds=2)
#: Time before a scheduled race from which signs are recorded: a thousand players may wait for it.
CALLED: Final = timedelta(seconds=45)
#: Seconds for which a note is stored.
_STORED_FOR: Final = 24 * 3600
#: Seconds from the first page with a note in which the next ones have it too: the first may not have arrived.
SHOWN_FOR: Final = 60
_SHOWN: Final = "shown "


class Note(StrEnum):
    """A reason why a race didn't start for a player."""

    #: They did not answer when a quick match found an opponent.
    MISSED = "missed"
    #: They had no page of the race open when it started.
    ABSENT = "absent"
    #: Their opponent in a quick match did not answer, or was gone.
    ALONE = "alone"


def record_present(entrant_ids: Collection[int], now: datetime | None = None) -> None:
    """Record that the players of these entrants are present, unless the race has started."""
    now = now or timezone.now()
    is_called = Q(race__scheduled_at=None) | Q(race__scheduled_at__lte=now + CALLED)
    waiting = Entrant.objects.filter(is_called, pk__in=entrant_ids, race__state__in=rooms.TO_COME)
    waiting.update(here_until=now + PRESENT_FOR)


def record_left(entrant_ids: Collection[int], now: datetime | None = None) -> None:
    """Record that players waiting for an opponent have closed their page, until the next sign of them."""
    until = (now or timezone.now()) + LEFT_AFTER
    alone = Entrant.objects.filter(pk__in=entrant_ids, race__state=Race.State.OPEN, race__gathers_until=None)
    alone.filter(race__room__kind=Room.Kind.QUICK, here_until__gt=until).update(here_until=until)


def present(entrants: Iterable[Entrant], now: datetime, host_id: int | None = None) -> list[Entrant]:
    """Return the entrants who are present: bots, the host who gives the command, and players whose page answers.

    If no page seems to answer, the records must be lost, so all count as present.
    """
    entrants = list(entrants)
    if not any(entrant.here_until and entrant.here_until > now for entrant in entrants):
        return entrants
    return [entrant for entrant in entrants if entrant.player_id == host_id or is_present(entrant, now)]


def is_present(entrant: Entrant, now: datetime) -> bool:
    """Return whether an entrant is a bot, or a player whose page was heard in the last few seconds."""
    return entrant.here_until is None or entrant.here_until > now


def leave_note(players: Iterable[int | None], note: Note) -> None:
    """Leave each player a note, to be shown once the transaction is committed."""
    notes = {_key(player): note.value for player in players if player is not None}
    if notes:
        transaction.on_commit(lambda: cache.set_many(notes, _STORED_FOR))


def note_for(player_id: int | None) -> Note | None:
    """Return the player's note, which expires a minute after the first time."""
    note = None if player_id is None else cache.get(_key(player_id))
    if note is None:
        return None
    if not note.startswith(_SHOWN):
        cache.set(_key(player_id), _SHOWN + note, SHOWN_FOR)
    return Note(note.removeprefix(_SHOWN))


def clear_note(player_id: int | None) -> None:
    """Clear the player's note: they have joined another race."""
    cache.delete(_key(player_id))


def _key(player_id: int | None) -> str:
    return f"race-note:{player_id}"
