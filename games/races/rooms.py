"""Room operations: opening, changing and closing a room, and creating its next race.

Every change to a room, its next race or the seats in it locks the room's row. Locks are taken in the order room, race,
entrants; code never waits for an attempt's lock while it holds one of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q
from django.utils import timezone

from games.core import limits
from games.core.errors import ErrorCode, Refusal, refusal_of
from games.db.players import Player
from games.deals import publishing
from games.puzzles.runs.puzzle_runs import DURATION
from games.races import finishing, unseen_deals
from games.races.models import PUZZLES, Entrant, Race, Room, RoomWebhook
from games.races.room_notifications import notify_room
from games.rules import OptionError, Variant

#: Time limits that a host may choose, in seconds.
LIMITS_S: Final = (300, 600, 900, 1200, 1800, 2700, 3600)
MIN_SEATS: Final = 2
MAX_SEATS: Final = 16
#: Maximum public rooms that a player may have open at a time.
MAX_PUBLIC_ROOMS: Final = 3
#: Time limit of puzzle races, in seconds; they have no other.
PUZZLES_LIMIT_S: Final = round(DURATION.total_seconds())
#: Time of inactivity after which a room is closed.
IDLE: Final = timedelta(minutes=30)

TO_COME: Final = (Race.State.OPEN, Race.State.COUNTDOWN)
HOSTED: Final = (Room.Kind.PRIVATE, Room.Kind.PUBLIC)
RATED: Final = (Room.Kind.QUICK, Room.Kind.HEAT)
#: Condition for rooms in which a seat is taken, or a race was ever started.
_IN_USE: Final = Exists(
    Race.objects.filter(Q(entrants__isnull=False) | Q(starts_at__isnull=False), room=OuterRef("pk"))
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a hosted room: a variant, or a game with options, and the terms of its next race."""

    name: str = "stonewall"
    options: Mapping[str, object] | None = None
    limit_s: int = 900
    seats: int = 8
    public: bool = False
    free_undo: bool = True


def open_room(
    host: Player | None,
    name: str,
    options: Mapping[str, object] | None = None,
    *,
    public: bool = False,
    limit_s: int,
    seats: int,
    free_undo: bool = True,
    kind: Room.Kind | None = None,
    now: datetime | None = None,
) -> Room:
    """Open a room for a variant, or for a game with options, with its first race. The host gets no seat yet.

    `kind` is for rooms without a host.

    :raises Refusal: for an unknown game, or a limit or number of seats that cannot be chosen.
    """
    now = now or timezone.now()
    game, limit_s = _checked(name, options, limit_s, seats)
    with transaction.atomic():
        room = Room.objects.create(
            kind=kind or _kind(public=public),
            host_id=None if host is None else host.pk,
            variant=game.name,
            game=game.game,
            options=dict(game.options),
            limit_s=limit_s,
            seats=seats,
            free_undo=free_undo,
            made_at=now,
            used_at=now,
        )
        next_race(room, now)
    return room


def change(
    room_id: int,
    player_id: int,
    name: str,
    options: Mapping[str, object] | None = None,
    *,
    limit_s: int,
    seats: int,
    public: bool,
    free_undo: bool = True,
    now: datetime | None = None,
) -> None:
    """Change the settings of the next race.

    A new game means a new deal. A changed race starts only at the host's command.

    :raises Refusal: unless the player is the host; during a countdown; for invalid settings; or for too many public
        rooms or changes of game.
    """
    now = now or timezone.now()
    game, limit_s = _checked(name, options, limit_s, seats)
    with transaction.atomic():
        room = lock_room(room_id)
        check_host(room, player_id)
        race = next_race(room, now)
        if race.state != Race.State.OPEN:
            raise Refusal(ErrorCode.RACE_NOT_OPEN)
        if race.entrants.count() > seats:
            raise Refusal(ErrorCode.BAD_OPTION, "more players than that are seated")
        is_new_game = unseen_deals.variant_of(race) != game
        if public and room.kind != Room.Kind.PUBLIC:
            check_may_list(player_id)
        room.limit_s, room.seats, room.kind, room.used_at = limit_s, seats, _kind(public=public), now
        room.free_undo = free_undo
        room.save()
        copy_settings(room, race)
        race.gathers_until = None
        race.save()
        if is_new_game:
            limits.spend_of(player_id, "room")
            set_game(room, race, game)
        if race.is_puzzle_race:
            race.entrants.exclude(bot="").delete()
        notify_room(room.pk)


def set_game(room: Room, race: Race, game: Variant) -> None:
    """Change the game of a locked room and its open race, which gets a new deal."""
    room.variant, room.game, room.options = game.name, game.game, dict(game.options)
    room.save(update_fields=["variant", "game", "options"])
    copy_settings(room, race)
    race.save()
    unseen_deals.release_deal(race)
    unseen_deals.assign_deal(race)


def check_may_list(host_id: int) -> None:
    """Check that a player may open a public room, or make one public.

    :raises Refusal: if the player has too many public rooms open.
    """
    if Room.objects.filter(kind=Room.Kind.PUBLIC, closed_at=None, host=host_id).count() >= MAX_PUBLIC_ROOMS:
        raise Refusal(ErrorCode.TOO_MANY_ROOMS)


def next_race(room: Room, now: datetime) -> Race:
    """Return the room's next race, creating it if there is none. Call it in a transaction that locks the room.

    :raises Refusal: race_started or race_over in the room of a heat, which has only one race.
    """
    race = Race.objects.filter(room=room, state__in=TO_COME).first()
    if race is not None:
        return race
    last = Race.objects.filter(room=room).aggregate(last=Max("number"))["last"] or 0
    if last and room.kind == Room.Kind.HEAT:
        is_on = Race.objects.filter(room=room, state=Race.State.RACING).exists()
        raise Refusal(ErrorCode.RACE_STARTED if is_on else ErrorCode.RACE_OVER)
    race = Race(room=room, number=last + 1, rated=room.kind in RATED, opened_at=now)
    copy_settings(room, race)
    race.save(force_insert=True)
    unseen_deals.assign_deal(race)
    _reseat_bots(race, now)
    notify_room(room.pk)
    return race


def _reseat_bots(race: Race, now: datetime) -> None:
    """Give the bots of the last race a seat in the next one."""
    seated = Entrant.objects.filter(race__room=race.room_id, race__number=race.number - 1).exclude(bot="")
    for slug, player_id in seated.values_list("bot", "player"):
        Entrant.objects.create(race=race, player_id=player_id, bot=slug, joined_at=now)


def copy_settings(room: Room, race: Race) -> None:
    """Copy the room's game, limit and undo rule to the race, without saving it."""
    race.variant, race.game, race.options, race.limit_s = room.variant, room.game, room.options, room.limit_s
    race.free_undo = race.is_puzzle_race or (room.free_undo and not race.rated)


def close(room: Room, now: datetime | None = None) -> bool:
    """Close a room and void its open race, unless a race is counting down or running; return whether it was closed."""
    now = now or timezone.now()
    with transaction.atomic():
        locked_room = Room.objects.select_for_update(no_key=True).get(pk=room.pk)
        races = Race.objects.filter(room=locked_room)
        if locked_room.closed_at or races.filter(state__in=(Race.State.COUNTDOWN, Race.State.RACING)).exists():
            return False
        for race_id in races.filter(state=Race.State.OPEN).values_list("pk", flat=True):
            finishing.void(race_id, Race.Void.NOT_STARTED, now)
        Room.objects.filter(pk=locked_room.pk).update(closed_at=now)
        RoomWebhook.objects.filter(room=locked_room).delete()
        notify_room(locked_room.pk, "closed")
    return True


def close_idle(now: datetime) -> int:
    """Close the rooms that have been idle for `IDLE`; return how many were closed."""
    idle = Room.objects.filter(closed_at=None, used_at__lt=now - IDLE)
    idle = idle.exclude(races__state__in=(Race.State.COUNTDOWN, Race.State.RACING))
    idle = idle.exclude(races__state=Race.State.OPEN, races__scheduled_at__gte=now)
    return sum(close(room, now) for room in idle.order_by("used_at")[:100])


def close_unused(host_id: int) -> None:
    """Close a host's rooms in which no seat is taken and no race was ever started.

    Their unseen deals become available to other races.
    """
    hosted = Room.objects.filter(closed_at=None, kind__in=HOSTED, host=host_id).exclude(_IN_USE)
    for room in hosted.order_by("pk"):
        with transaction.atomic():
            Room.objects.select_for_update(no_key=True).get(pk=room.pk)
            # A player may have sat down before the lock was acquired.
            if not Room.objects.filter(_IN_USE, pk=room.pk).exists():
                close(room)


def touch(room_id: int, now: datetime | None = None) -> None:
    """Mark the room as in use, with at most one write per minute."""
    now = now or timezone.now()
    Room.objects.filter(pk=room_id, closed_at=None, used_at__lt=now - timedelta(minutes=1)).update(used_at=now)


def lock_room(room_id: int) -> Room:
    """Lock an open room until the end of the transaction. A hosted room without a host gets a new one if possible.

    :raises Refusal: not_found, or room_closed.
    """
    room = Room.objects.select_for_update(no_key=True).filter(pk=room_id).first()
    if room is None:
        raise Refusal(ErrorCode.NOT_FOUND)
    if room.closed_at is not None:
        raise Refusal(ErrorCode.ROOM_CLOSED)
    if room.kind in HOSTED and room.host_id is None:
        pass_on(room, None)
    return room


def check_host(room: Room, player_id: int | None) -> None:
    """Check that this player is the room's host.

    :raises Refusal: not_host.
    """
    if player_id is None or room.host_id != player_id:
        raise Refusal(ErrorCode.NOT_HOST)


def pass_host(room_id: int, from_id: int, among: Collection[int]) -> bool:
    """Make one of the players `among` the host of a room whose host has disappeared; return whether that worked."""
    with transaction.atomic():
        room = lock_room(room_id)
        return room.host_id == from_id and pass_on(room, from_id, among)


def pass_on(room: Room, from_id: int | None, among: Collection[int] | None = None) -> bool:
    """Make the longest-seated other player host, optionally one `among` these; return whether there was one.

    Players in the next race come before players in the running one. The old host's webhook is removed.
    """
    seated = Entrant.objects.filter(race__room=room, state__in=finishing.ACTIVE, player__isnull=False, bot="")
    if among is not None:
        seated = seated.filter(player__in=among)
    open_first = F("race__number").desc()
    chosen = seated.exclude(player_id__in=[*room.kicked, from_id]).order_by(open_first, "joined_at", "pk").first()
    if chosen is None:
        return False
    room.host_id = chosen.player_id
    room.save(update_fields=["host"])
    RoomWebhook.objects.filter(room=room).delete()
    notify_room(room.pk)
    return True


def _checked(name: str, options: Mapping[str, object] | None, limit_s: int, seats: int) -> tuple[Variant, int]:
    """Return the game and its time limit, which a host cannot choose for puzzle races."""
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise Refusal(ErrorCode.BAD_OPTION, "a room has 2 to 16 seats")
    if name == PUZZLES and not options:
        return Variant(PUZZLES, PUZZLES, {}), PUZZLES_LIMIT_S
    if limit_s not in LIMITS_S:
        raise Refusal(ErrorCode.BAD_OPTION, "there is no such time limit", limits_s=list(LIMITS_S))
    try:
        return publishing.variant_of(name, options), limit_s
    except OptionError as error:
        raise refusal_of(error) from None


def _kind(*, public: bool) -> Room.Kind:
    return Room.Kind.PUBLIC if public else Room.Kind.PRIVATE
