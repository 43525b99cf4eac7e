"""Notes to players about races that did not start for them, shown on the next page that they open."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from django.core.cache import cache
from django.db import transaction

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
