"""Players who enter, confirm and leave the quick-match queue."""

from __future__ import annotations

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.races import rooms, seats
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.rules import CATALOGUE
from tests.games.races.runs import at

ALL = list(CATALOGUE)


def enter(second: float = 0, *wishes: str) -> User:
    """Enter a new player for these variants, by default all."""
    player = create_guest()
    matchmaking.enter(player, wishes or ALL, at(second))
    return player


def quick_room(*players: User, size: int = 16) -> Room:
    """Open a room beside the queue, as another process may do at the same moment, and seat these players in it."""
    room = rooms.open_room(None, "plot", None, limit_s=1200, seats=size, kind=Room.Kind.QUICK, now=at(0))
    for player in players:
        seats.sit(room.pk, player, wishes=["plot"], now=at(0))
    return room


def confirm(player: User, second: float = 0) -> None:
    seats.set_ready(room_of(player).pk, player.pk, ready=True, now=at(second))
    matchmaking.advance_room(room_of(player).pk, at(second))


def turn_away(player: User, second: float) -> None:
    """The player is no longer ready, as when the room's page is left."""
    seats.set_ready(room_of(player).pk, player.pk, ready=False, now=at(second))


def pair(*wishes: str) -> tuple[User, User]:
    """Enter two players, for one variant by default, and confirm for both."""
    first, other = enter(0, *(wishes or ("plot",))), enter(0, *(wishes or ("plot",)))
    confirm(first)
    return first, other


def counting() -> tuple[User, User]:
    """Enter two players whose countdown begins at second 8."""
    players = pair()
    matchmaking.advance_all(at(8))
    return players


def room_of(player: User) -> Room:
    room = seats.room_of(player.pk)
    assert room is not None
    return room


def race_of(player: User) -> Race:
    return Race.objects.select_related("room").get(entrants__player=player, entrants__state__in=["joined", "ready"])


def state_of(player: User) -> str:
    return Entrant.objects.get(player=player).state
