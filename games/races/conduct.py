"""Rate limits on spoiling the start of races, and on filling the lobby with rooms.

A player spoils a start by leaving a countdown so that it is cancelled, by breaking up a quick match about to start, or
by not showing up. A player who does so repeatedly cannot take a seat for a while. Guest accounts are free to create, so
all guests of a network share a limit. The counters live in the cache; losing it only resets them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.core.cache import cache

from games import limits
from games.errors import ErrorCode, Refusal
from games.races.models import Room

#: Maximum public rooms that a player, and a network, may have open at a time. The lobby lists 24.
MOST_OF_PLAYER: Final = 3
MOST_OF_NETWORK: Final = 8
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR


def check_may_sit(player_id: int | None, network: str, *, has_account: bool) -> None:
    """Check that a player may take a seat; a visitor about to become a guest has no id yet.

    :raises RateLimitedError: after spoiling too many starts.
    """
    if player_id is not None:
        limits.check(_player(player_id), "spoil")
    if not has_account:
        limits.check(network, "spoil_network")


def remember_network(player_id: int, network: str, *, has_account: bool) -> None:
    """Remember the network that a guest takes a seat from, in case they spoil the start."""
    if not has_account:
        cache.set(_guest_key(player_id), network, _HOUR)


def note_spoiled(player_ids: Iterable[int | None]) -> None:
    """Count a spoiled start against each of these players."""
    for player_id in player_ids:
        if player_id is None:
            continue
        limits.note(_player(player_id), "spoil")
        if network := cache.get(_guest_key(player_id)):
            limits.note(network, "spoil_network")


def check_may_list(host_id: int, network: str, room_id: int = 0) -> None:
    """Check that a player may open a public room, or make `room_id` public, and count it.

    :raises Refusal: if the player or the network has too many public rooms open.
    :raises RateLimitedError: if the network has opened too many within the hour.
    """
    listed = Room.objects.filter(kind=Room.Kind.PUBLIC, closed_at=None).exclude(pk=room_id)
    rooms = dict(listed.values_list("pk", "host"))
    networks = cache.get_many([_room_key(key) for key in rooms])
    of_player = list(rooms.values()).count(host_id)
    if of_player >= MOST_OF_PLAYER or list(networks.values()).count(network) >= MOST_OF_NETWORK:
        raise Refusal(ErrorCode.TOO_MANY_ROOMS)
    limits.spend_of_network(network, "public_room")


def note_listed(room_id: int, network: str) -> None:
    """Remember the network that a public room was opened from."""
    cache.set(_room_key(room_id), network, _DAY)


def _player(player_id: int) -> str:
    return f"player:{player_id}"


def _guest_key(player_id: int) -> str:
    return f"talon.guest_network.{player_id}"


def _room_key(room_id: int) -> str:
    return f"talon.room_network.{room_id}"
