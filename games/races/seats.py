"""Seat operations: taking a seat, which may be a rematch, leaving, and being kicked by the host."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from games.attempts.lifecycle import close_attempt
from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.races import network_limits, rooms, starting, storms
from games.races.attendance.roll_call import PRESENT_FOR
from games.races.finishing import ACTIVE
from games.races.models import Entrant, Race, RaceOrigin, Room, RoomWebhook
from games.races.room_notifications import notify_room

_E: Final = Entrant.State


class Seat(NamedTuple):
    """A seat in an unfinished race: the room, and whether the race has begun."""

    room: Room
    has_begun: bool

    @property
    def code(self) -> str:
        """Code of the room."""
        return self.room.code


def sit(room_id: int, player: Player, *, wishes: Collection[str] = (), now: datetime | None = None) -> Entrant:
    """Give the player a seat in the next race, unless they have one already.

    After a race this is a rematch, and the second seat starts it.

    :raises Refusal: if the player was kicked, the race is full or has started, or they are in another race.
    """
    now = now or timezone.now()
    with transaction.atomic():
        room = rooms.lock_room(room_id)
        if player.pk in room.kicked:
            raise Refusal(ErrorCode.KICKED)
        race = rooms.next_race(room, now)
        seated = race.entrants.filter(player_id=player.pk, state__in=ACTIVE).first()
        if seated is not None:
            return seated
        if race.state != Race.State.OPEN:
            raise Refusal(ErrorCode.RACE_STARTED)
        if not network_limits.has_seat_for(player.pk, race, room):
            raise Refusal(ErrorCode.ROOM_FULL)
        _free_lapsed_seek(player.pk, now)
        here_until = now + PRESENT_FOR
        entrant = _seated(
            Entrant(race=race, player_id=player.pk, joined_at=now, here_until=here_until, wishes=list(wishes))
        )
        room.used_at = now
        if room.kind in rooms.HOSTED and room.host_id is None:
            room.host_id = player.pk
        room.save(update_fields=["used_at", "host"])
        notify_room(room.pk)
        if room.kind in rooms.HOSTED and _is_rematch(race, player.pk):
            Race.objects.filter(pk=race.pk).update(gathers_until=now)
            starting.start_due(room.pk, now)
    return entrant


def leave(room_id: int, player_id: int, now: datetime | None = None) -> None:
    """Give up the seat in the next race or, without one there, resign the game in the running race.

    :raises Refusal: not_entered without a seat.
    """
    now = now or timezone.now()
    with transaction.atomic():
        room = rooms.lock_room(room_id)
        seat = _entry(room, player_id, rooms.TO_COME)
        playing = None if seat else _entry(room, player_id, (Race.State.RACING,))
        entrant = seat or playing
        if entrant is None:
            raise Refusal(ErrorCode.NOT_ENTERED)
        # The cards are dealt at the scheduled time, even if no process has moved the race to racing yet.
        if seat is not None and starting.has_started(seat.race, now):
            seat, playing = None, seat
        if seat is not None and seat.race.state == Race.State.OPEN:
            _delete(seat)
        elif seat is not None and starting.drop_out(seat.race, [player_id], now):
            transaction.on_commit(partial(network_limits.note_spoiled, [player_id]))
        if room.host_id == player_id:
            rooms.pass_on(room, player_id)
        Room.objects.filter(pk=room.pk).update(used_at=now)
        notify_room(room.pk)
    if playing is not None and playing.attempt_id is not None:
        close_attempt(playing.attempt_id, "resigned", at=now)
    elif playing is not None:
        storms.end(playing.pk, _E.RETIRED, now)


def kick(room_id: int, host_id: int, entrant_id: int, now: datetime | None = None) -> None:
    """Kick a player for good: their seat in the next race becomes free, but they finish a game in progress.

    Bots are not banned, so the host can add them again.

    :raises Refusal: unless the caller is the host; during a countdown; for the host; or for a player who is not here.
    """
    now = now or timezone.now()
    with transaction.atomic():
        room = rooms.lock_room(room_id)
        rooms.check_host(room, host_id)
        entrant = Entrant.objects.filter(pk=entrant_id, race__room=room).select_related("race").first()
        if entrant is None or entrant.player_id is None:
            raise Refusal(ErrorCode.NOT_ENTERED)
        if entrant.player_id == host_id:
            raise Refusal(ErrorCode.BAD_OPTION, "the host can leave, but cannot be kicked")
        seat = _entry(room, entrant.player_id, rooms.TO_COME)
        if seat is not None and seat.race.state != Race.State.OPEN:
            raise Refusal(ErrorCode.RACE_NOT_OPEN)
        if seat is not None:
            _delete(seat)
        if not entrant.bot:
            kicked = [kicked_id for kicked_id in room.kicked if kicked_id != entrant.player_id]
            room.kicked = [*kicked, entrant.player_id]
        room.used_at = now
        room.save(update_fields=["kicked", "used_at"])
        notify_room(room.pk)


def leave_all(player_id: int, now: datetime | None = None) -> None:
    """Give up all seats, races and webhooks of a player whose account is being deleted."""
    for room_id in Room.objects.filter(_of(player_id)).distinct().values_list("pk", flat=True):
        with suppress(Refusal):
            leave(room_id, player_id, now)
    Room.objects.filter(host=player_id).update(host=None)  # tending finds another
    RoomWebhook.objects.filter(player=player_id).delete()


def lock_rooms(player_id: int) -> None:
    """Lock the rooms that a player hosts or has a seat in until the end of the transaction."""
    keys = set(Room.objects.filter(Q(host=player_id) | _of(player_id)).values_list("pk", flat=True))
    list(Room.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))


def hand_over(from_id: int, to_id: int) -> None:
    """Transfer a player's entries to another player, except where both are in the same race or each in an active one.

    Call it in a transaction that locks the rooms of the first player.
    """
    entries = Entrant.objects.filter(player=from_id)
    if Entrant.objects.filter(player=to_id, state__in=ACTIVE).exists():
        entries.filter(state__in=ACTIVE, race__state=Race.State.OPEN).delete()
        entries = entries.exclude(state__in=ACTIVE)
    entries = entries.exclude(race__in=list(Entrant.objects.filter(player=to_id).values_list("race", flat=True)))
    entries.update(player=to_id)
    RaceOrigin.objects.filter(player=from_id).update(player=to_id)
    for room_id in Room.objects.filter(host=from_id, closed_at=None).values_list("pk", flat=True):
        Room.objects.filter(pk=room_id).update(host=to_id)
        notify_room(room_id)


def room_of(player_id: int) -> Room | None:
    """Return the room of the race that the player is in, or None."""
    seat = seat_of(player_id)
    return None if seat is None else seat.room


def seat_of(player_id: int | None) -> Seat | None:
    """Return the player's seat in a race that is not over for them."""
    if player_id is None:
        return None
    entrant = Entrant.objects.filter(player=player_id, state__in=ACTIVE).select_related("race__room").first()
    return None if entrant is None else Seat(entrant.race.room, entrant.race.state not in rooms.TO_COME)


def _of(player_id: int) -> Q:
    return Q(closed_at=None, races__entrants__player=player_id, races__entrants__state__in=ACTIVE)


def _seated(entrant: Entrant) -> Entrant:
    try:
        with transaction.atomic():
            entrant.save(force_insert=True)
    except IntegrityError:
        other = room_of(entrant.player_id) if entrant.player_id else None
        raise Refusal(ErrorCode.ALREADY_RACING, room=other and other.code) from None
    return entrant


def _entry(room: Room, player_id: int, states: Collection[str]) -> Entrant | None:
    active = Entrant.objects.filter(race__room=room, race__state__in=states, player=player_id, state__in=ACTIVE)
    return active.select_related("race__room").order_by("pk").first()


def _delete(seat: Entrant) -> None:
    """Free a seat in an open race. Without two players, it no longer starts by itself.

    In a quick match, this spoils the start for the opponent.
    """
    race = seat.race
    seat.delete()
    if race.gathers_until is None or race.entrants.count() > 1:
        return
    Race.objects.filter(pk=race.pk).update(gathers_until=None)
    race.entrants.update(answered_at=None)
    if race.room.kind == Room.Kind.QUICK:
        transaction.on_commit(partial(network_limits.note_spoiled, [seat.player_id]))


def _free_lapsed_seek(player_id: int, now: datetime) -> None:
    """Free the player's seat in the queue of quick matches if the page that kept it has been closed."""
    seeks = Entrant.objects.filter(player=player_id, race__room__kind=Room.Kind.QUICK, race__state=Race.State.OPEN)
    seeks.filter(here_until__lte=now, race__gathers_until=None).delete()


def _is_rematch(race: Race, player_id: int) -> bool:
    """Return whether a player of the room's last race has sat down as the second one, or as its only person."""
    raced = Entrant.objects.filter(race__room=race.room_id, race__number=race.number - 1, bot="")
    before = set(raced.exclude(state=_E.ABSENT).values_list("player", flat=True))
    seated = before & set(race.entrants.values_list("player", flat=True))
    return player_id in before and len(seated) >= min(2, len(before))
