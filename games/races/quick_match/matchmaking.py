"""Quick matches: duels on a deal that no one else sees.

A seek is a seat in a room. It lasts as long as the player has a page open (`games.races.attendance`), and is moved to
the room of the first waiting player who accepts one of the variants. Both then have fifteen seconds to bring the room's
page to the front, and the race starts five seconds later. A player who doesn't loses the seat, and the other is first
in line again.

Each step locks the rooms that it changes and checks again before it acts, so any process may take it at any time.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.deals import publishing, sealed_stock
from games.manifests import SHORT_VARIANTS
from games.races import network_limits, rooms, seats, starting
from games.races.attendance import roll_call
from games.races.attendance.roll_call import Note, leave_note
from games.races.models import Entrant, Race, Room
from games.races.room_notifications import notify_room
from games.rules import CATALOGUE

SEATS: Final = 2
LIMIT_S: Final = 1200
#: Time that players have to come to the room once there is an opponent.
ANSWER_WITHIN: Final = timedelta(seconds=15)
#: Time after the last sign of a waiting player until the seek is removed: a restart of the server takes a few seconds.
LAPSED_AFTER: Final = timedelta(seconds=10)


def enter(player: Player, wishes: Collection[str], now: datetime | None = None) -> Room:
    """Seat the player in a race of one of the `wishes`, and return its room.

    A player already waiting keeps the seat, with the new wishes.

    :raises Refusal: for empty or unknown wishes, or while the player is in another race.
    """
    now, variants = now or timezone.now(), [name for name in CATALOGUE if name in wishes]
    if not variants or len(variants) < len(set(wishes)):
        raise Refusal(ErrorCode.BAD_OPTION, "there is no such variant")
    seek = Entrant.objects.filter(player=player.pk, race__in=_open_races()).select_related("race__room").first()
    if seek is None:
        with transaction.atomic():
            variant = choose_variant(variants)
            room = rooms.open_room(None, variant, limit_s=LIMIT_S, seats=SEATS, kind=Room.Kind.QUICK, now=now)
            seek = seats.sit(room.pk, player, wishes=variants, now=now)
    else:
        Entrant.objects.filter(pk=seek.pk).update(wishes=variants, here_until=now + roll_call.PRESENT_FOR)
    advance_room(seek.race.room_id, now)
    return seats.room_of(player.pk) or seek.race.room


def answer(room_id: int, player_id: int, now: datetime | None = None) -> None:
    """Record that a player has the room in front, and so meets the opponent. The race starts once both do.

    :raises Refusal: not_entered unless an opponent was found for the player.
    """
    now = now or timezone.now()
    with transaction.atomic():
        room = rooms.lock_room(room_id)
        met = Race.objects.filter(room=room, state=Race.State.OPEN, gathers_until__gt=now)
        own = Entrant.objects.filter(race__in=met, player=player_id)
        if room.kind != Room.Kind.QUICK or not own.update(answered_at=now, here_until=now + roll_call.PRESENT_FOR):
            raise Refusal(ErrorCode.NOT_ENTERED)
        notify_room(room_id)
    advance_room(room_id, now)


def advance_all(now: datetime | None = None) -> None:
    """Advance all quick matches, and remove the seeks of players who are gone."""
    now = now or timezone.now()
    for race in _open_races().filter(taken__gt=0):
        race.entrants.filter(here_until__lte=now - LAPSED_AFTER, race__gathers_until=None).delete()
        if not race.entrants.exists():
            rooms.close(race.room, now)
        advance_room(race.room_id, now)


def advance_room(room_id: int, now: datetime | None = None) -> None:
    """Advance the quick match of one room. If no step is due, this takes a few queries.

    Every process with viewers of the room calls it once a second.
    """
    now = now or timezone.now()
    race = _open_races().filter(room=room_id).first()
    if race is None:
        return
    entrants = list(race.entrants.filter(player__isnull=False).select_related("race__room"))
    if race.deal_failed and entrants:
        _replace_game(race, entrants)
    elif race.gathers_until is None and len(entrants) == SEATS:
        _gather(race, now)  # both want a rematch
    elif race.gathers_until is None and entrants:
        _find_opponent(entrants[0], now)
    elif race.gathers_until is not None:
        if all(entrant.answered_at for entrant in entrants):
            with suppress(Refusal):
                starting.start(room_id, countdown=starting.SHORT_COUNTDOWN, now=now)
        if race.gathers_until <= now or len(entrants) < SEATS:
            _part(race, now)


def answer_by(race: Race, entrant: Entrant) -> datetime | None:
    """Return the deadline for `entrant` to answer and keep the seat; None without an opponent, and once answered."""
    return race.gathers_until if race.state == Race.State.OPEN and entrant.answered_at is None else None


def choose_variant(wishes: Sequence[str]) -> str:
    """Return one of these variants at random: a short game if there is one, and one with a spare deal in stock."""
    wishes = [name for name in SHORT_VARIANTS if name in wishes] or wishes
    stock = sealed_stock.levels()
    in_stock = [name for name in wishes if stock[name].total() > sealed_stock.RESERVED_FOR_DAYS]
    return secrets.choice(in_stock or wishes)


def _open_races() -> QuerySet[Any]:
    """Return the open races of quick matches, annotated with `taken`, except in rooms where a race is running."""
    running = Race.objects.filter(room=OuterRef("room"), state=Race.State.RACING)
    found = Race.objects.filter(state=Race.State.OPEN, room__kind=Room.Kind.QUICK, room__closed_at=None)
    return found.exclude(Exists(running)).annotate(taken=Count("entrants")).select_related("room")


def waiting(now: datetime) -> QuerySet[Entrant]:
    """Return the players who are present and wait without an opponent, in order of arrival."""
    alone = _open_races().filter(taken=1, deal_failed=False, gathers_until=None)
    seeks = Entrant.objects.filter(race__in=alone, player__isnull=False, here_until__gt=now)
    return seeks.select_related("race__room").order_by("joined_at", "pk")


def wishes_of(entrant: Entrant) -> list[str]:
    """Return the variants that a player would race."""
    return entrant.wishes or [entrant.race.variant]


def _find_opponent(entrant: Entrant, now: datetime) -> None:
    """Move a waiting player to another waiting player's room, and close the empty one."""
    if not roll_call.is_present(entrant, now):
        return
    for opponent in waiting(now).exclude(pk=entrant.pk):
        common = [name for name in wishes_of(opponent) if name in wishes_of(entrant)]
        if common and _meet(entrant, opponent, common, now):
            rooms.close(entrant.race.room, now)
            return


def _meet(entrant: Entrant, opponent: Entrant, common: Sequence[str], now: datetime) -> bool:
    """Move a player to the opponent's room, for a game of a `common` variant; return False if either is gone."""
    with suppress(Refusal), transaction.atomic():
        race, room_ids = opponent.race, sorted((entrant.race.room_id, opponent.race.room_id))
        locked = {room_id: rooms.lock_room(room_id) for room_id in room_ids}
        # Checked with the locks held: they may have left, or met other players.
        if waiting(now).filter(pk__in=(entrant.pk, opponent.pk), race__room__in=room_ids).count() < SEATS:
            return False
        race.refresh_from_db()
        if race.variant not in common:
            rooms.set_game(locked[race.room_id], race, publishing.variant_of(choose_variant(common), None))
        Entrant.objects.filter(pk=entrant.pk).update(race=race)
        notify_room(entrant.race.room_id)
        _gather(race, now)
        return True
    return False


def _gather(race: Race, now: datetime) -> None:
    """Give both players of a match time to come to the room."""
    Race.objects.filter(pk=race.pk, state=Race.State.OPEN, gathers_until=None).update(gathers_until=now + ANSWER_WITHIN)
    notify_room(race.room_id)


def _part(race: Race, now: datetime) -> None:
    """Remove players who left or didn't answer in time, and let the other one go on waiting."""
    with transaction.atomic():
        rooms.lock_room(race.room_id)
        open_race = Race.objects.filter(pk=race.pk, state=Race.State.OPEN, gathers_until=race.gathers_until).first()
        if open_race is None:
            return
        entrants = list(open_race.entrants.all())
        missing = [entrant for entrant in entrants if not _keeps_seat(open_race, entrant, now)]
        if len(entrants) - len(missing) == SEATS:
            return  # the deal is still being prepared
        players = [entrant.player_id for entrant in missing]
        Entrant.objects.filter(pk__in=[entrant.pk for entrant in missing]).delete()
        leave_note(players, Note.MISSED)
        transaction.on_commit(partial(network_limits.note_spoiled, players))
        open_race.entrants.update(answered_at=None)
        Race.objects.filter(pk=race.pk).update(gathers_until=None)
        notify_room(race.room_id)


def _keeps_seat(race: Race, entrant: Entrant, now: datetime) -> bool:
    """Return whether an entrant has time left to answer, or has done so and is still present."""
    has_time = race.gathers_until is not None and race.gathers_until > now
    has_answered = entrant.answered_at is not None and roll_call.is_present(entrant, now)
    return entrant.player_id is not None and (has_time or has_answered)


def _replace_game(race: Race, entrants: Sequence[Entrant]) -> None:
    """Choose another game that both players accept, if there is one, because no deal was found for this one."""
    common = [name for name in wishes_of(entrants[0]) if all(name in wishes_of(entrant) for entrant in entrants)]
    others = [name for name in common if name != race.variant] or [race.variant]
    with transaction.atomic():
        room = rooms.lock_room(race.room_id)
        failed = Race.objects.filter(pk=race.pk, state=Race.State.OPEN, deal_failed=True).first()
        if failed is not None:
            rooms.set_game(room, failed, publishing.variant_of(choose_variant(others), None))
            notify_room(room.pk)
