"""The networks that players recently used, for limits that apply after the request.

They live in the cache; losing it only lifts these limits for a while.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.core.cache import cache

#: Seconds for which a network is remembered: a day, because rooms stay open and games unfinished for many hours.
REMEMBERED: Final = 24 * 3600


def remember_network(player_id: int, network: str) -> None:
    """Remember the network that a player takes a seat or answers a challenge from."""
    cache.set(_key(player_id), network, REMEMBERED)


def networks_of(player_ids: Iterable[int]) -> dict[int, str]:
    """Return the remembered networks by player, without the players whose network is not known."""
    keys = {_key(player_id): player_id for player_id in player_ids}
    return {keys[key]: network for key, network in cache.get_many(keys).items()}


def _key(player_id: int) -> str:
    return f"talon.player_network.{player_id}"
