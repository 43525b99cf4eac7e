"""Limits on lobby entries, race seats and spoiled starts, per player and per network.

Guests and accounts are free, so a network has limits too. Networks and counters live in the cache; losing it only
lifts the limits for a while.

A player spoils a start by leaving a countdown, or by breaking up a quick match or missing it. After a few spoiled
starts, the player cannot take a seat for a while.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Final

from django.contrib.auth import get_user_model
from django.utils import timezone

from games.core import limits
from games.core.addresses import is_known, wide
from games.core.player_networks import networks_of
from games.db.players import player_services
from games.races.models import Race, Room

#: Fraction of each list in the lobby that one player or network may fill: a third.
SHARE_OF_LIST: Final = 3
#: Fraction of the seats in a public room or a heat that the guests and new accounts of one network may take: half.
SHARE_OF_SEATS: Final = 2
#: Age below which an account counts like a guest.
NEW_ACCOUNT: Final = timedelta(days=1)


def has_seat_for(player_id: int, race: Race, room: Room) -> bool:
    """Return whether the player may take one of the free seats of the room's open race.

    In public rooms and heats, the guests and new accounts of one network have only a share of the seats. Otherwise they
    could fill every race and keep all others from meeting. The network of a room's host is not limited: it may be a
    family or a class.
    """
    taken = race.entrants.count()
    share = room.seats // SHARE_OF_SEATS
    if taken < share or taken >= room.seats or room.kind in (Room.Kind.PRIVATE, Room.Kind.QUICK):
        return taken < room.seats
    seated = {player for player in race.entrants.values_list("player", flat=True) if player}
    sources = _sources({*seated, player_id})
    own, host_id = sources[player_id], room.host_id or 0
    if own in (None, player_id, _whole(networks_of([host_id]).get(host_id))):
        return True
    return list(sources.values()).count(own) <= share


def fair_share(races: Mapping[int, Collection[int]], limit: int) -> list[int]:
    """Return the first `limit` of the races, given with their players, of which one network may fill a third.

    Races with players of several networks count for each of them, and are listed unless all have had their share.
    """
    sources = _sources({player for players in races.values() for player in players})
    listed: list[int] = []
    listed_by_source: Counter[str | int | None] = Counter()
    for race, players in races.items():
        race_sources = {sources[player] for player in players}
        has_had_its_share = race_sources and all(
            source is not None and listed_by_source[source] >= limit // SHARE_OF_LIST for source in race_sources
        )
        if len(listed) < limit and not has_had_its_share:
            listed.append(race)
            listed_by_source.update(race_sources)
    return listed


def check_may_sit(player_id: int | None, network: str, *, has_account: bool) -> None:
    """Check that a player may take a seat; a visitor about to become a guest has no id yet.

    :raises RateLimitedError: after spoiling too many starts.
    """
    if player_id is not None:
        limits.check_of(player_id, "spoil")
    is_new = not has_account or (player_id is not None and not _older_accounts([player_id]))
    if is_new and is_known(network):
        limits.check_of(network, "spoil_network")


def note_spoiled(player_ids: Iterable[int | None]) -> None:
    """Count a spoiled start against each of these players."""
    players = {player for player in player_ids if player is not None}
    for player_id in players:
        limits.note_of(player_id, "spoil")
    for network in networks_of(players - _older_accounts(players)).values():
        limits.note_of(network, "spoil_network")


def _sources(player_ids: Collection[int]) -> dict[int, str | int | None]:
    """Return what limits count for each player: an older account alone, others by network, None if it is not known."""
    older = _older_accounts(player_ids)
    networks = networks_of(player for player in player_ids if player not in older)
    return {player: player if player in older else _whole(networks.get(player)) for player in player_ids}


def _older_accounts(player_ids: Collection[int]) -> set[int]:
    old = get_user_model().objects.filter(pk__in=player_ids, date_joined__lte=timezone.now() - NEW_ACCOUNT)
    return player_services().accounts_among(set(old.values_list("pk", flat=True)))


def _whole(network: str | None) -> str | None:
    """Return the widest network that one client may have; None if it is not known."""
    return wide(network) if network is not None and is_known(network) else None
