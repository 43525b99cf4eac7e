"""Quick-match queue: new players are seated with others who accept the same variant.

Waiting players must confirm within fifteen seconds of an opponent's arrival, wherever they are on the site, or they
lose the seat; the others keep theirs. The countdown starts eight seconds after two have confirmed, and ends with the
roll call. A player waiting alone is moved to others as soon as their wishes match.

Each step locks the rooms that it changes and checks again before it acts, so any process may take it at any time.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any, Final

from django.core.cache import cache
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.deals import sealed_stock
from games.manifests import SHORT_VARIANTS
from games.races import network_limits, rooms, seats, starting
from games.races.models import Entrant, Race, Room
from games.races.room_notifications import notify_room, request_ready_checks
from games.rules import CATALOGUE

SEATS: Final = 16
LIMIT_S: Final = 1200
#: Time that others have to join once two players are ready.
GATHERING: Final = timedelta(seconds=8)
#: Time that a player has to confirm once there is an opponent.
CONFIRM_WITHIN: Final = timedelta(seconds=15)
MIN_PLAYERS: Final = 2
#: Seconds for which a note is kept, to be shown to the player.
_NOTED_FOR: Final = 24 * 3600

_E: Final = Entrant.State
_BEFORE: Final = (_E.JOINED, _E.READY)


class Note(StrEnum):
    """A reason why a match didn't start for a player: they didn't confirm or weren't connected, or the others."""

    MISSED = "missed"
    ABSENT = "absent"
    ALONE = "alone"


def enter(player: Player, wishes: Collection[str], now: datetime | None = None) -> Room:
    """Seat the player in a race of one of the `wishes`, and return its room.

    A player already waiting keeps the seat, with the new wishes. Entering counts as confirming.

    :raises Refusal: for empty or unknown wishes, or while the player is in another race.
    """
    now, variants = now or timezone.now(), [name for name in CATALOGUE if name in wishes]
    if not variants or len(variants) < len(set(wishes)):
        raise Refusal(ErrorCode.BAD_OPTION, "there is no such variant")
    if not _update_wishes(player.pk, variants, now):
        _sit_down(player, variants, now)
    room = seats.room_of(player.pk)
    if room is None:
        raise Refusal(ErrorCode.NOT_ENTERED)
    advance_room(room.pk, now)
    return seats.room_of(player.pk) or room


def advance_all(now: datetime | None = None) -> None:
    """Advance all quick matches."""
    now = now or timezone.now()
    waited_in = _open_races().filter(taken__gt=0).order_by("pk")
    for room_id in list(waited_in.values_list("room", flat=True)):
        advance_room(room_id, now)


def advance_room(room_id: int, now: datetime | None = None) -> bool:
    """Advance the quick match of one room; return whether a step was taken. If none is due, this takes two queries.

    Every process with viewers of the room calls it once a second.
    """
    now = now or timezone.now()
    race = _open_races().filter(room=room_id).first()
    if race is None:
        return False
    entrants = _entrants(race)
    players = [entrant for entrant in entrants if entrant.player_id is not None]
    if race.deal_failed and players:
        for entrant in players:
            _move_on(race, entrant, now)
        return True
    if len(entrants) == 1 and players:
        (lone,) = players
        # The race does not start, and the player must confirm again with the next opponent.
        was_reset = (race.gathers_until is not None or lone.state == _E.READY) and _settle(race, now)
        return _find_opponent(race, lone, now) or was_reset
    is_unsettled = _late_entrants(entrants, now) or _gathers_until(race, entrants, now) != race.gathers_until
    changed = bool(is_unsettled) and _settle(race, now)
    return _start_if_due(race, now) or changed


def confirm_by(entrants: Sequence[Entrant], entrant: Entrant) -> datetime | None:
    """Return the deadline for `entrant` to confirm and keep the seat; None without an opponent, and once confirmed.

    `entrants` are the race's entrants in order of arrival.
    """
    if entrant.state != _E.JOINED or len(entrants) < MIN_PLAYERS:
        return None
    return (
        max(entrants[1].joined_at, entrant.joined_at) + CONFIRM_WITHIN
    )  # the first has an opponent since the second came


def unconfirmed_absentees(arrival: Entrant, now: datetime) -> list[Any]:
    """Return the disconnected players who must confirm the match with this new entrant."""
    until = arrival.joined_at + CONFIRM_WITHIN
    if now >= until or not _open_races().filter(pk=arrival.race_id).exists():
        return []
    entrants = list(Entrant.objects.filter(race=arrival.race_id).select_related("player").order_by("joined_at", "pk"))
    asked = [entrant for entrant in entrants if confirm_by(entrants, entrant) == until]
    absent = [entrant for entrant in asked if entrant.here_until is None or entrant.here_until <= now]
    return [entrant.player for entrant in absent if entrant.player is not None]


def pop_note(player_id: int) -> Note | None:
    """Return and clear the player's pending note about a match that didn't start for them."""
    key = _note_key(player_id)
    note = cache.get(key)
    if note is None:
        return None
    cache.delete(key)
    return Note(note)


def leave_note(players: Iterable[int | None], note: Note) -> None:
    """Leave each player a note, to be shown once the transaction is committed."""
    notes = {_note_key(player): note.value for player in players}
    transaction.on_commit(lambda: cache.set_many(notes, _NOTED_FOR))


def _note_key(player_id: int | None) -> str:
    return f"quick-match-note:{player_id}"


def _update_wishes(player_id: int, wishes: list[str], now: datetime) -> bool:
    """Replace the wishes of a player waiting in a quick match; return whether they were waiting."""
    room = seats.room_of(player_id)
    if room is None or room.kind != Room.Kind.QUICK:
        return False
    waiting = Entrant.objects.filter(player=player_id, race__room=room, race__state=Race.State.OPEN, state__in=_BEFORE)
    if not waiting.update(wishes=wishes):
        return False
    seats.set_ready(room.pk, player_id, ready=True, now=now)
    return True


def _sit_down(player: Player, wishes: list[str], now: datetime) -> None:
    for room_id in _joinable_races(wishes).values_list("room", flat=True)[:SEATS]:
        if _take_seat(room_id, player, wishes, now):
            return
    other = seats.room_of(player.pk)
    if other is not None:
        raise Refusal(ErrorCode.ALREADY_RACING, room=other.code)
    _take_seat(_new_race(wishes, now).room_id, player, wishes, now)


def _take_seat(room_id: int, player: Player, wishes: list[str], now: datetime) -> bool:
    """Take a seat, ready if there is an opponent; return False if the room has since filled, started or closed."""
    try:
        with transaction.atomic():
            entrant = seats.sit(room_id, player, wishes=wishes, now=now)
            others = Entrant.objects.filter(race=entrant.race_id).exclude(pk=entrant.pk)
            if others.exists():
                _unconfirm_lone(others)
                seats.set_ready(room_id, player.pk, ready=True, now=now)
    except Refusal as refusal:
        if refusal.code == ErrorCode.ALREADY_RACING:
            raise
        return False
    return True


def choose_variant(wishes: Sequence[str]) -> str:
    """Return one of these variants at random: a short game if there is one, and one with a spare deal in stock."""
    wishes = [name for name in SHORT_VARIANTS if name in wishes] or wishes
    stock = sealed_stock.levels()
    in_stock = [name for name in wishes if stock[name].total() > sealed_stock.RESERVED_FOR_DAYS]
    return secrets.choice(in_stock or wishes)


def _new_race(wishes: Sequence[str], now: datetime) -> Race:
    variant = choose_variant(wishes)
    room = rooms.open_room(None, variant, None, limit_s=LIMIT_S, seats=SEATS, kind=Room.Kind.QUICK, now=now)
    return Race.objects.select_related("room").get(room=room)


def _open_races() -> QuerySet[Any]:
    """Return the open races of quick matches, annotated with `taken`, except in rooms where a race is running."""
    running = Race.objects.filter(room=OuterRef("room"), state=Race.State.RACING)
    found = Race.objects.filter(state=Race.State.OPEN, room__kind=Room.Kind.QUICK, room__closed_at=None)
    return found.exclude(Exists(running)).annotate(taken=Count("entrants")).select_related("room")


def _entrants(race: Race) -> list[Entrant]:
    return list(race.entrants.order_by("joined_at", "pk"))


def _unconfirm_lone(others: QuerySet[Entrant]) -> None:
    """Make a player who waited alone confirm again now that there is an opponent; they may be elsewhere by now."""
    if others.count() == 1:
        others.update(state=_E.JOINED)


def _late_entrants(entrants: Sequence[Entrant], now: datetime) -> list[Entrant]:
    """Return the entrants without a confirmation in time, or without a player."""
    deadlines = [(entrant, confirm_by(entrants, entrant)) for entrant in entrants]
    return [entrant for entrant, at in deadlines if entrant.player_id is None or (at is not None and now >= at)]


def _gathers_until(race: Race, entrants: Sequence[Entrant], now: datetime) -> datetime | None:
    """Return the time at which the countdown starts, or None while too few are ready."""
    if sum(entrant.state == _E.READY for entrant in entrants) < MIN_PLAYERS:
        return None
    return race.gathers_until or now + GATHERING


def _settle(race: Race, now: datetime) -> bool:
    with transaction.atomic():
        locked = _lock_open_races(race)
        if race.pk not in locked:
            return False
        race.gathers_until = locked[race.pk].gathers_until
        late = _late_entrants(_entrants(race), now)
        Entrant.objects.filter(pk__in=[entrant.pk for entrant in late]).delete()
        missing = [entrant.player_id for entrant in late if entrant.player_id is not None]
        leave_note(missing, Note.MISSED)
        transaction.on_commit(partial(network_limits.note_spoiled, missing))
        remaining = race.entrants.all()
        if remaining.count() < MIN_PLAYERS:
            remaining.update(state=_E.JOINED)
        race.gathers_until = _gathers_until(race, _entrants(race), now)
        Race.objects.filter(pk=race.pk).update(gathers_until=race.gathers_until)
        notify_room(race.room_id)
    return True


def _start_if_due(race: Race, now: datetime) -> bool:
    """Start the countdown if it is due; players who are not ready move to another room and keep waiting."""
    if race.gathers_until is None or now < race.gathers_until or race.deal_id is None:
        return False
    for waiting in race.entrants.filter(state=_E.JOINED, player__isnull=False):
        _move_on(race, waiting, now)
    return starting.start(race.room_id, countdown=starting.QUICK_COUNTDOWN, now=now)


def _find_opponent(race: Race, entrant: Entrant, now: datetime) -> bool:
    """Move a lone player to a race with others, or pair them with another lone player."""
    wishes = entrant.wishes or [race.variant]
    for other in _joinable_races(wishes).filter(taken__gt=0).exclude(pk=race.pk):
        if _move(race, entrant, other, now):
            return True
    lone = Entrant.objects.filter(race__in=_open_races().filter(taken=1).exclude(pk=race.pk), state__in=_BEFORE)
    for other_entrant in lone.select_related("race__room").order_by("joined_at", "pk"):
        if race.variant in other_entrant.wishes:
            return _move(other_entrant.race, other_entrant, race, now)
        common = [name for name in wishes if name in other_entrant.wishes]
        if common:
            new = _new_race(common, now)
            moved = [_move(moving.race, moving, new, now) for moving in (entrant, other_entrant)]
            return all(moved)
    return False


def _move_on(race: Race, entrant: Entrant, now: datetime) -> None:
    """Move a player out of a race that starts without them, or never; a confirmation remains valid."""
    wishes, is_ready = entrant.wishes or [race.variant], entrant.state == _E.READY
    others = _joinable_races(wishes).exclude(pk=race.pk)
    if not any(_move(race, entrant, other, now, is_ready=is_ready) for other in others):
        _move(race, entrant, _new_race(wishes, now), now, is_ready=is_ready)


def _joinable_races(wishes: Collection[str]) -> QuerySet[Any]:
    """Return the gathering races that match the wishes and have a free seat, fullest first."""
    fitting = _open_races().filter(variant__in=wishes, taken__lt=F("room__seats"), deal_failed=False)
    return fitting.order_by("-taken", "opened_at", "pk")


def _move(source: Race, entrant: Entrant, target: Race, now: datetime, *, is_ready: bool = False) -> bool:
    """Move an entrant from one open race to another, and close the room they leave if it is empty.

    Unless `is_ready`, they must confirm, and so must a player waiting there alone.
    """
    with transaction.atomic():
        if len(_lock_open_races(source, target)) < 2 or entrant.player_id is None:
            return False
        if not network_limits.has_seat_for(entrant.player_id, target, target.room):
            return False
        moving = Entrant.objects.filter(player__isnull=False, pk=entrant.pk, race=source, state__in=_BEFORE)
        # Their fifteen seconds start when they meet the new opponents.
        if not moving.update(race=target, joined_at=now):
            return False
        notify_room(source.room_id)
        notify_room(target.room_id)
        request_ready_checks(entrant.pk)
        if not is_ready:
            _unconfirm_lone(Entrant.objects.filter(race=target).exclude(pk=entrant.pk))
            Entrant.objects.filter(pk=entrant.pk).update(state=_E.JOINED)
        if not source.entrants.exists():
            rooms.close(source.room, now)
    return True


def _lock_open_races(*races: Race) -> dict[int, Race]:
    """Lock and re-read the races until the transaction ends; return by id those still open in an open room."""
    room_ids = [race.room_id for race in races]
    open_rooms = Room.objects.select_for_update(no_key=True).filter(pk__in=room_ids, closed_at=None)
    ids = [room.pk for room in open_rooms.order_by("pk")]
    open_races = Race.objects.select_for_update(no_key=True).filter(
        pk__in=[race.pk for race in races], room__in=ids, state=Race.State.OPEN
    )
    return {race.pk: race for race in open_races.order_by("pk")}
