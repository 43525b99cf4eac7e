"""Quick matches: one queue. Who enters is seated beside others who wish for the same variant.

Players who waited must confirm within fifteen seconds of an opponent's arrival, wherever they are on the site; the seat
of a player who doesn't is free, and the others stay in line. A race starts eight seconds after two have confirmed.
Whoever waits alone is moved to others as soon as their wishes allow.

Each step holds the rooms that it changes and looks again before it acts, so any process may take it at any time.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet
from django.utils import timezone

from games.deals import sealed
from games.errors import ErrorCode, Refusal
from games.players import Player
from games.races import conduct, rooms, seats, starting
from games.races.models import Entrant, Race, Room
from games.races.telling import tell_room
from games.rules import CATALOGUE

SEATS: Final = 16
LIMIT_S: Final = 1200
#: How long others may still come once two are ready.
GATHERING: Final = timedelta(seconds=8)
#: How long a player has to confirm once there is an opponent.
PROMPT: Final = timedelta(seconds=15)
LEAST: Final = 2
#: Seconds for which a player who missed a match can still be told.
_MISSED_FOR: Final = 24 * 3600

_E: Final = Entrant.State
_BEFORE: Final = (_E.JOINED, _E.READY)


def enter(player: Player, wishes: Collection[str], now: datetime | None = None) -> Room:
    """Seat the player in a race of one of the variants wished for, and return its room.

    A player who waits already keeps the seat and has the new wishes. Entering counts as confirming.

    :raises Refusal: for wishes that are none, or while the player is in another race.
    """
    now, wanted = now or timezone.now(), [name for name in CATALOGUE if name in wishes]
    if not wanted or len(wanted) < len(set(wishes)):
        raise Refusal(ErrorCode.BAD_OPTION, "there is no such variant")
    if not _wish_anew(player.pk, wanted, now):
        _sit_down(player, wanted, now)
    room = seats.room_of(player.pk)
    if room is None:
        raise Refusal(ErrorCode.NOT_ENTERED)
    tend_room(room.pk, now)
    return seats.room_of(player.pk) or room


def tend(now: datetime | None = None) -> None:
    """Take every step that is due in any quick match."""
    now = now or timezone.now()
    waited_in = _open_races().filter(taken__gt=0).order_by("pk")
    for room_id in list(waited_in.values_list("room", flat=True)):
        tend_room(room_id, now)


def tend_room(room_id: int, now: datetime | None = None) -> bool:
    """Take the steps that are due in one room; returns whether there was one. When none is, this is two readings.

    For every process in which somebody watches the room, each second.
    """
    now = now or timezone.now()
    race = _open_races().filter(room=room_id).first()
    if race is None:
        return False
    entrants = _entrants(race)
    if race.deal_failed and _move_all_on(race, entrants, now):
        return True
    if len(entrants) == 1 and entrants[0].player_id is not None:
        return _leave_alone(race, entrants[0], now) | _find_company(race, entrants[0], now)
    changed = _is_unsettled(race, entrants, now) and _settle(race, now)
    return _start_if_due(race, now) or changed


def confirm_by(entrants: Sequence[Entrant], one: Entrant) -> datetime | None:
    """Return when `one` loses the seat unless the player confirms; None without an opponent, and once confirmed.

    `entrants` are those of the race, in the order in which they came.
    """
    if one.state != _E.JOINED or len(entrants) < LEAST:
        return None
    return max(entrants[1].joined_at, one.joined_at) + PROMPT  # the first has had company since the second came


def take_missed(player_id: int) -> bool:
    """Return, once, whether the player has lately missed a match by not confirming it."""
    return bool(cache.delete(_missed_key(player_id)))


def _missed_key(player_id: int) -> str:
    return f"quick-match-missed:{player_id}"


def _note_missed(players: Collection[int]) -> None:
    noted = {_missed_key(player): True for player in players}
    transaction.on_commit(lambda: cache.set_many(noted, _MISSED_FOR))


def wait_elsewhere(player_id: int, now: datetime | None = None) -> bool:
    """Have a player keep the seat in a quick match without being ready; returns whether there was one."""
    room = seats.room_of(player_id)
    if room is None or room.kind != Room.Kind.QUICK:
        return False
    try:
        seats.set_ready(room.pk, player_id, ready=False, now=now)
    except Refusal:
        return False
    return True


def _wish_anew(player_id: int, wishes: list[str], now: datetime) -> bool:
    """Have somebody who waits in a quick match wait with these wishes; says whether they do."""
    room = seats.room_of(player_id)
    if room is None or room.kind != Room.Kind.QUICK:
        return False
    mine = Entrant.objects.filter(player=player_id, race__room=room, race__state=Race.State.OPEN, state__in=_BEFORE)
    if not mine.update(wishes=wishes):
        return False
    seats.set_ready(room.pk, player_id, ready=True, now=now)
    return True


def _sit_down(player: Player, wishes: list[str], now: datetime) -> None:
    found = _open_races().filter(variant__in=wishes, taken__lt=F("room__seats"), deal_failed=False)
    for room_id in found.order_by("-taken", "pk").values_list("room", flat=True)[:SEATS]:
        if _take_seat(room_id, player, wishes, now):
            return
    other = seats.room_of(player.pk)
    if other is not None:
        raise Refusal(ErrorCode.ALREADY_RACING, room=other.code)
    _take_seat(_new_room(wishes, now).pk, player, wishes, now)


def _take_seat(room_id: int, player: Player, wishes: list[str], now: datetime) -> bool:
    """Sit down, and be ready if there is an opponent; False when the room was filled, started or closed meanwhile."""
    try:
        with transaction.atomic():
            entrant = seats.sit(room_id, player, wishes=wishes, now=now)
            others = Entrant.objects.filter(race=entrant.race_id).exclude(pk=entrant.pk)
            if others.exists():
                _ask_lone(others)
                seats.set_ready(room_id, player.pk, ready=True, now=now)
    except Refusal as refusal:
        if refusal.code == ErrorCode.ALREADY_RACING:
            raise
        return False
    return True


def _new_room(wishes: Sequence[str], now: datetime) -> Room:
    """A room for one of these variants, if possible one of which there is a deal."""
    stock = sealed.levels()
    there = [name for name in wishes if stock[name].total() > sealed.KEPT_FOR_DAYS]
    variant = secrets.choice(there or wishes)
    return rooms.open_room(None, variant, None, limit_s=LIMIT_S, seats=SEATS, kind=Room.Kind.QUICK, now=now)


def _open_races() -> QuerySet[Any]:
    """The races of quick matches that gather players, with the number of seats taken; none whose room is in use."""
    running = Race.objects.filter(room=OuterRef("room"), state=Race.State.RACING)
    found = Race.objects.filter(state=Race.State.OPEN, room__kind=Room.Kind.QUICK, room__closed_at=None)
    return found.exclude(Exists(running)).annotate(taken=Count("entrants")).select_related("room")


def _entrants(race: Race) -> list[Entrant]:
    return list(race.entrants.order_by("joined_at", "pk"))


def _ask_lone(others: QuerySet[Entrant]) -> None:
    """Have a player who waited alone, and may be anywhere, confirm now that there is an opponent."""
    if others.count() == 1:
        others.update(state=_E.JOINED)


def _late(entrants: Sequence[Entrant], now: datetime) -> list[Entrant]:
    """The entrants who have not confirmed in time, or have no player any more."""
    deadlines = [(one, confirm_by(entrants, one)) for one in entrants]
    return [one for one, at in deadlines if one.player_id is None or (at is not None and now >= at)]


def _gathers_until(race: Race, entrants: Sequence[Entrant], now: datetime) -> datetime | None:
    """When the race starts, if enough are ready."""
    if sum(one.state == _E.READY for one in entrants) < LEAST:
        return None
    return race.gathers_until or now + GATHERING


def _is_unsettled(race: Race, entrants: Sequence[Entrant], now: datetime) -> bool:
    """Whether somebody loses the seat, or it has changed whether enough are ready."""
    return bool(_late(entrants, now)) or _gathers_until(race, entrants, now) != race.gathers_until


def _settle(race: Race, now: datetime) -> bool:
    """Take seats from those who are late, and note when the race starts."""
    with transaction.atomic():
        held = _held(race)
        if race.pk not in held:
            return False
        race.gathers_until = held[race.pk].gathers_until
        late = _late(_entrants(race), now)
        Entrant.objects.filter(pk__in=[one.pk for one in late]).delete()
        missing = [one.player_id for one in late if one.player_id is not None]
        _note_missed(missing)
        transaction.on_commit(partial(conduct.note_spoiled, missing))
        left = race.entrants.all()
        if left.count() < LEAST:
            left.update(state=_E.JOINED)
        race.gathers_until = _gathers_until(race, _entrants(race), now)
        Race.objects.filter(pk=race.pk).update(gathers_until=race.gathers_until)
        tell_room(race.room_id)
    return True


def _leave_alone(race: Race, entrant: Entrant, now: datetime) -> bool:
    """A race with one entrant does not start, and the next opponent is to be confirmed anew."""
    return (race.gathers_until is not None or entrant.state == _E.READY) and _settle(race, now)


def _start_if_due(race: Race, now: datetime) -> bool:
    """Start the countdown when the time has come; who is not ready yet waits on in another room."""
    if race.gathers_until is None or now < race.gathers_until or race.deal_id is None:
        return False
    for waiting in race.entrants.filter(state=_E.JOINED, player__isnull=False):
        _move_on(race, waiting, now)
    return starting.freeze(race.pk, countdown=starting.QUICK_COUNTDOWN, now=now)


def _find_company(race: Race, entrant: Entrant, now: datetime) -> bool:
    """Move somebody who waits alone to others, or somewhere with another who does."""
    wishes = entrant.wishes or [race.variant]
    for other in _others(race, wishes).filter(taken__gt=0):
        if _move(race, other, [entrant.pk], now):
            return True
    lone = Entrant.objects.filter(race__in=_open_races().filter(taken=1).exclude(pk=race.pk), state__in=_BEFORE)
    for other_one in lone.select_related("race__room").order_by("joined_at", "pk"):
        if race.variant in other_one.wishes:
            return _move(other_one.race, race, [other_one.pk], now)
        common = [name for name in wishes if name in other_one.wishes]
        if common:
            return _meet([(race, entrant), (other_one.race, other_one)], common, now)
    return False


def _meet(lone: Sequence[tuple[Race, Entrant]], variants: list[str], now: datetime) -> bool:
    """Move people who wait alone to a new room."""
    (race,) = Race.objects.filter(room=_new_room(variants, now)).select_related("room")
    moved = [_move(source, race, [entrant.pk], now) for source, entrant in lone]
    return all(moved)


def _move_all_on(race: Race, entrants: Sequence[Entrant], now: datetime) -> bool:
    """Have everybody wait elsewhere when no deal was found for this race; says whether there was anybody."""
    moving = [one for one in entrants if one.player_id is not None]
    for one in moving:
        _move_on(race, one, now)
    return bool(moving)


def _move_on(race: Race, entrant: Entrant, now: datetime) -> None:
    """Move a player out of a race that starts without them, or not at all. One who has confirmed need not again."""
    wishes, is_ready = entrant.wishes or [race.variant], entrant.state == _E.READY
    if not any(_move(race, other, [entrant.pk], now, is_ready=is_ready) for other in _others(race, wishes)):
        (new,) = Race.objects.filter(room=_new_room(wishes, now)).select_related("room")
        _move(race, new, [entrant.pk], now, is_ready=is_ready)


def _others(race: Race, wishes: Collection[str]) -> QuerySet[Any]:
    """The other races that gather players, and suit these wishes: the fullest first."""
    fitting = _open_races().filter(variant__in=wishes, taken__lt=F("room__seats"), deal_failed=False)
    return fitting.exclude(pk=race.pk).order_by("-taken", "pk")


def _move(source: Race, target: Race, entrants: Collection[int], now: datetime, *, is_ready: bool = False) -> bool:
    """Move entrants from one open race to another, and close the room that nobody is left in.

    Unless `is_ready`, they and a player who waits there alone must confirm.
    """
    with transaction.atomic():
        if len(_held(source, target)) < 2 or target.entrants.count() + len(entrants) > target.room.seats:
            return False
        moving = Entrant.objects.filter(player__isnull=False, pk__in=entrants, race=source, state__in=_BEFORE)
        if moving.count() < len(entrants):
            return False
        # Their fifteen seconds begin with the new company.
        moving.update(race=target, joined_at=now)
        tell_room(source.room_id)
        tell_room(target.room_id)
        if not is_ready:
            _ask_lone(Entrant.objects.filter(race=target).exclude(pk__in=entrants))
            Entrant.objects.filter(pk__in=entrants).update(state=_E.JOINED)
        if not source.entrants.exists():
            rooms.close(source.room, now)
    return True


def _held(*races: Race) -> dict[int, Race]:
    """Those of the races that are open in an open room, as they are now; held until the end of the transaction."""
    held = Room.objects.select_for_update(no_key=True).filter(pk__in=[race.room_id for race in races], closed_at=None)
    ids = [room.pk for room in held.order_by("pk")]
    open_ones = Race.objects.select_for_update(no_key=True).filter(
        pk__in=[race.pk for race in races], room__in=ids, state=Race.State.OPEN
    )
    return {race.pk: race for race in open_ones.order_by("pk")}
