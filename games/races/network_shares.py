"""Shares of one network in the lobby's lists and in the seats of races.

Guests are free to create, so without these limits one person could fill the lobby or every race. The networks of
players live in the cache; losing it only lifts the limits for a while.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Final

from django.contrib.auth import get_user_model
from django.utils import timezone

from games.core.addresses import is_known, wide
from games.core.player_networks import networks_of
from games.db.players import people
from games.races.models import Race, Room

#: Fraction of each list in the lobby that the players of one network may fill: a third.
SHARE_OF_NETWORK: Final = 3
#: Fraction of the seats in a race that the guests and new accounts of one network may take, except in private rooms:
#: half.
SEATS_OF_NETWORK: Final = 2
#: Age below which an account counts like a guest, because it is as easily made.
NEW_ACCOUNT: Final = timedelta(days=1)


def has_seat_for(player_id: int, race: Race, room: Room) -> bool:
    """Return whether the player may take one of the free seats of the room's open race.

    Except in private rooms, the guests and new accounts of one network have only a share of the seats. Otherwise they
    could fill every race and keep all others from meeting. The network of a room's host is not limited: it may be a
    family or a class.
    """
    taken = race.entrants.count()
    if taken >= room.seats or room.kind == Room.Kind.PRIVATE:
        return taken < room.seats
    share = room.seats // SEATS_OF_NETWORK
    if taken < share:
        return True
    seated = {player for player in race.entrants.values_list("player", flat=True) if player} | {player_id}
    limited = seated - older_accounts(seated)
    host_id = room.host_id or 0
    networks = networks_of({*limited, host_id})
    own = _whole(networks.get(player_id))
    if own is None or own == _whole(networks.get(host_id)):
        return True
    return sum(_whole(network) == own for network in networks.values()) <= share


def older_accounts(player_ids: Collection[int]) -> set[int]:
    """Return the players with accounts that are not new."""
    old = get_user_model().objects.filter(pk__in=player_ids, date_joined__lte=timezone.now() - NEW_ACCOUNT)
    return people().accounts_among(set(old.values_list("pk", flat=True)))


def fair_share(races: Mapping[int, Collection[int]], limit: int) -> list[int]:
    """Return the first `limit` of the races, given with their players, of which one network may fill a third.

    Races with players of several networks count for each of them, and are listed unless all have had their share.
    """
    networks = networks_of(player for players in races.values() for player in players)
    listed: list[int] = []
    listed_by_network: Counter[str | None] = Counter()
    for race, players in races.items():
        race_networks = {_whole(networks.get(player)) for player in players}
        has_had_its_share = race_networks and all(
            network and listed_by_network[network] >= limit // SHARE_OF_NETWORK for network in race_networks
        )
        if len(listed) < limit and not has_had_its_share:
            listed.append(race)
            listed_by_network.update(race_networks)
    return listed


def _whole(network: str | None) -> str | None:
    """Return the widest network that one client may have; None if it is not known."""
    return wide(network) if network is not None and is_known(network) else None
