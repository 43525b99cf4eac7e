"""Roll call of a quick match, before and just after its start.

Players who are not connected to the room shortly before the start lose their seats. A match is called off if only one
player is present when the cards are dealt.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.db import transaction
from django.utils import timezone

from games.live.start_timer import CANCEL_CUTOFF
from games.models import Attempt
from games.races import finishing, network_limits, rooms, seats, starting
from games.races.models import Entrant, Race, Room
from games.races.quick_match.matchmaking import MIN_PLAYERS, Note, advance_room, leave_note

#: Time for which a player counts as connected after each sign, and after the last connection was closed, as by a
#: reload.
CONNECTED_FOR: Final = timedelta(seconds=4)
DISCONNECT_GRACE: Final = timedelta(seconds=1)
#: Time before the start from which unconnected players lose their seats. It ends when the start is final.
ROLL_CALL: Final = CANCEL_CUTOFF + timedelta(seconds=1.2)


def record_connected(room_id: int, connected_ids: Collection[int], now: datetime | None = None) -> None:
    """Record that the entrants `connected_ids` are connected before the start, and call the roll when it is due.

    Every process with viewers of the room calls it once a second.
    """
    now = now or timezone.now()
    entrants = Entrant.objects.filter(pk__in=connected_ids, race__room=room_id, race__state__in=rooms.TO_COME)
    entrants.update(here_until=now + CONNECTED_FOR)
    due = Race.objects.filter(
        room=room_id,
        state=Race.State.COUNTDOWN,
        starts_at__lte=now + ROLL_CALL,
        starts_at__gt=now + CANCEL_CUTOFF,
    ).first()
    if due is not None:
        _call_roll(due, now)


def record_disconnected(entrant_id: int, now: datetime | None = None) -> None:
    """Record that an entrant has no connection to a process any more; other processes record theirs again."""
    entrants = Entrant.objects.filter(pk=entrant_id, race__state__in=rooms.TO_COME)
    entrants.update(here_until=(now or timezone.now()) + DISCONNECT_GRACE)


def _call_roll(race: Race, now: datetime) -> None:
    """Free the seats of players who are not connected. If one player is left, the race goes back to the queue.

    Without any sign of a player, the signs are lost, not the players.
    """
    with transaction.atomic():
        rooms.lock_room(race.room_id)
        ready = Entrant.objects.filter(
            race=race, race__state=Race.State.COUNTDOWN, state=Entrant.State.READY, player__isnull=False
        )
        signs = dict(ready.values_list("player_id", "here_until"))
        missing = [player for player, until in signs.items() if until is None or until <= now]
        if not missing or len(missing) == len(signs):
            return
        for player in missing:
            seats.leave(race.room_id, player, now)
        leave_note(missing, Note.ABSENT)
        if Race.objects.filter(pk=race.pk, state=Race.State.OPEN).exists():
            leave_note(signs.keys() - missing, Note.ALONE)
    advance_room(race.room_id, now)


def _missed_start(entrant: Entrant, starts_at: datetime) -> bool:
    """Return whether an entrant had neither the table nor the room open when the cards were dealt."""
    until = entrant.here_until
    return entrant.state == Entrant.State.READY and (until is None or until <= starts_at + DISCONNECT_GRACE)


def call_off_deserted(now: datetime) -> None:
    """Call off the matches that have just started with a single player present, unless that player has moved."""
    started = Race.objects.filter(
        room__kind=Room.Kind.QUICK,
        state=Race.State.RACING,
        starts_at__lte=now - DISCONNECT_GRACE,
        starts_at__gt=now - starting.GRACE,
    )
    for race_id, room_id in started.filter(entrants__state=Entrant.State.READY).distinct().values_list("pk", "room"):
        if _call_off_if_deserted(race_id, room_id, now):
            advance_room(room_id, now)


def _call_off_if_deserted(race_id: int, room_id: int, now: datetime) -> bool:
    """Void a match, delete its entrants, and return the player who was present to the front of the queue."""
    with transaction.atomic():
        rooms.lock_room(room_id)
        race = Race.objects.select_for_update(no_key=True).get(pk=race_id)
        entrants = list(race.entrants.exclude(state=Entrant.State.ABSENT).exclude(player=None).select_related("player"))
        present = [entrant for entrant in entrants if not _missed_start(entrant, race.starts_at or now)]
        # An attempt that is locked is being closed.
        attempts = Attempt.objects.select_for_update(skip_locked=True).filter(
            entrant__in=entrants, state=Attempt.State.PLAYING
        )
        if race.state != Race.State.RACING or len(present) != 1 or len(attempts) < len(entrants):
            return False
        if len(entrants) < MIN_PLAYERS or race.entrants.filter(finishing.HAS_MOVED).exists():
            return False
        Attempt.objects.filter(entrant__race=race).delete()
        race.entrants.all().delete()
        finishing.void(race.pk, Race.Void.NOT_STARTED, now)
        (lone,) = present
        assert lone.player is not None
        seat = seats.sit(room_id, lone.player, wishes=lone.wishes, now=now)
        Race.objects.filter(pk=seat.race_id).update(opened_at=race.opened_at)
        missing = [entrant.player_id for entrant in entrants if entrant is not lone]
        leave_note(missing, Note.ABSENT)
        leave_note([lone.player_id], Note.ALONE)
        transaction.on_commit(partial(network_limits.note_spoiled, missing))
    return True
