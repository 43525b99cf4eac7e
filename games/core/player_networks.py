"""The networks that players recently used, for limits that apply after the request.

They live in the cache; losing it only lifts these limits for a while.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.core.cache import cache

from games.core.addresses import UNKNOWN, is_known, wide

#: Seconds for which a network is remembered: a day, because rooms stay open and games unfinished for many hours.
REMEMBERED: Final = 24 * 3600


def remember_network(player_id: int | None, network: str) -> None:
    """Remember the network that a player takes a seat, answers a challenge or requests a search from."""
    cache.set(_key(player_id), network, REMEMBERED)


def networks_of(player_ids: Iterable[int]) -> dict[int, str]:
    """Return the remembered networks by player, without the players whose network is not known."""
    keys = {_key(player_id): player_id for player_id in player_ids}
    return {keys[key]: network for key, network in cache.get_many(keys).items()}


def sources_of(player_ids: Iterable[int | None]) -> dict[int | None, str]:
    """Return the sources of players' work in a fair queue: the network or, if it is not known, the player."""
    players = set(player_ids)
    networks = networks_of(player for player in players if player is not None)
    known = {player: networks.get(player or 0, UNKNOWN) for player in players}
    return {player: wide(net) if is_known(net) else f"player {player}" for player, net in known.items()}


def _key(player_id: int | None) -> str:
    return f"talon.player_network.{player_id}"
