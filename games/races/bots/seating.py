"""Seats of bots: added to a room by its host, or raced at once by a player without an opponent.

Bots only take part in hosted rooms, whose races are unrated.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from games.bots.roster import BOTS, Bot
from games.core.errors import ErrorCode, Refusal
from games.db.players import Player, player_services
from games.manifests import SHORT_VARIANTS
from games.races import rooms, seats, starting
from games.races.finishing import ACTIVE
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.races.room_notifications import notify_room

#: Seats and time limit of the room in which a player races a bot.
SEATS: Final = 8
LIMIT_S: Final = 1200


def add_bot(room_id: int, host_id: int, slug: str, now: datetime | None = None) -> None:
    """Give a bot a seat in the next race, at the host's command.

    :raises Refusal: unless the player is the host; for an unknown bot or a full race; for a puzzle race; or once the
        race has started.
    """
    now, bot = now or timezone.now(), bot_of(slug)
    with transaction.atomic():
        room = rooms.lock_room(room_id)
        rooms.check_host(room, host_id)
        race = rooms.next_race(room, now)
        if race.state != Race.State.OPEN:
            raise Refusal(ErrorCode.RACE_NOT_OPEN)
        if race.is_puzzle_race:
            raise Refusal(ErrorCode.BAD_OPTION, "bots solve no puzzles")
        if not race.entrants.filter(bot=slug).exists():
            _seat(race, bot, room, now)
        notify_room(room.pk)


def race_now(player: Player, bot: Bot, now: datetime | None = None) -> Room:
    """Open a room, seat the player and a bot, and start the race as soon as it has a deal; return the room.

    This gives up the player's seat in a quick match, and plays that match's variant; otherwise a short one.

    :raises Refusal: while the player is in another race.
    """
    now = now or timezone.now()
    variant = _leave_quick_match(player, now) or matchmaking.choose_variant(SHORT_VARIANTS)
    rooms.close_unused(player.pk)
    with transaction.atomic():
        room = rooms.open_room(player, variant, limit_s=LIMIT_S, seats=SEATS, now=now)
        seat = seats.sit(room.pk, player, now=now)
        _seat(seat.race, bot, room, now)
        # Without a deal, the race starts once one has been found.
        Race.objects.filter(pk=seat.race_id).update(gathers_until=now)
        starting.start_due(room.pk, now)
    return room


def bot_of(slug: str) -> Bot:
    """Return the bot with this slug.

    :raises Refusal: if there is none.
    """
    if slug not in BOTS:
        raise Refusal(ErrorCode.BAD_OPTION, "there is no such bot")
    return BOTS[slug]


def _leave_quick_match(player: Player, now: datetime) -> str:
    """Give up the player's seat in a quick match before it starts, and return its variant; empty without a seat.

    If no one else waits there, the room is closed, and the next race of the variant takes over its unseen deal.
    """
    waiting = Entrant.objects.filter(
        player=player.pk, race__room__kind=Room.Kind.QUICK, race__state=Race.State.OPEN, state__in=ACTIVE
    )
    entrant = waiting.select_related("race__room").first()
    if entrant is None:
        return ""
    seats.leave(entrant.race.room_id, player.pk, now)
    if not entrant.race.entrants.exists():
        rooms.close(entrant.race.room, now)
    return entrant.race.variant


def _seat(race: Race, bot: Bot, room: Room, now: datetime) -> None:
    if race.entrants.count() >= room.seats:
        raise Refusal(ErrorCode.ROOM_FULL)
    player = player_services().bot_player(bot.slug, bot.name)
    Entrant.objects.create(race=race, player_id=player.pk, bot=bot.slug, joined_at=now)
