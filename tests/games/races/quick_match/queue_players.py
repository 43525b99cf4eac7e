"""Simulated players in the queue for quick matches."""

from __future__ import annotations

from datetime import timedelta

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.races import rooms, seats
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.rules import CATALOGUE
from tests.games.races.runs import at

ALL = list(CATALOGUE)


def enter(second: float = 0, *wishes: str, stays: bool = True) -> User:
    """Enter a new player for these variants, by default all; unless the player `stays`, the page is closed at once."""
    player = create_guest()
    matchmaking.enter(player, wishes or ALL, at(second))
    if stays:
        stay(player)
    return player


def stay(player: User) -> None:
    """Keep a page of the player open for the rest of the test."""
    Entrant.objects.filter(player=player).update(here_until=at(0) + timedelta(days=1))


def quick_room(*players: User) -> Room:
    """Open a room beside the queue, as another process may do at the same moment, and seat these players in it."""
    room = rooms.open_room(None, "plot", None, limit_s=1200, seats=2, kind=Room.Kind.QUICK, now=at(0))
    for player in players:
        seats.sit(room.pk, player, wishes=["plot"], now=at(0))
        stay(player)
    return room


def answer(player: User, second: float = 0) -> None:
    matchmaking.answer(room_of(player).pk, player.pk, at(second))
    stay(player)


def pair(*wishes: str) -> tuple[User, User]:
    """Enter two players, for one variant by default, who are an opponent for each other."""
    first, other = (enter(0, *(wishes or ("plot",))) for _ in range(2))
    return first, other


def counting() -> tuple[User, User]:
    """Enter two players who both answer at second 0, so that the race starts at second 5."""
    first, other = pair()
    answer(first)
    answer(other)
    return first, other


def room_of(player: User) -> Room:
    room = seats.room_of(player.pk)
    assert room is not None
    return room


def race_of(player: User) -> Race:
    return Race.objects.select_related("room").get(entrants__player=player, entrants__state="seated")


def is_seated(player: User) -> bool:
    return seats.room_of(player.pk) is not None
