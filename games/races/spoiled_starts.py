"""Limits on spoiling the start of races.

Leaving a countdown, breaking up a quick match and not showing up spoil the start for the others. After doing so
repeatedly, a player cannot take a seat, or get ready in a quick match, for a while. Anyone can create guests and
accounts, so the new ones of a network share a limit. The counters live in the cache; losing it only resets them.
"""

from __future__ import annotations

from collections.abc import Iterable

from games.core import limits
from games.core.addresses import is_known
from games.core.player_networks import networks_of
from games.races.network_shares import older_accounts


def check_may_sit(player_id: int | None, network: str, *, has_account: bool) -> None:
    """Check that a player may take a seat; a visitor about to become a guest has no id yet.

    :raises RateLimitedError: after spoiling too many starts.
    """
    if player_id is not None:
        limits.check_of(player_id, "spoil")
    is_new = not has_account or (player_id is not None and not older_accounts([player_id]))
    if is_new and is_known(network):
        limits.check_of(network, "spoil_network")


def note_spoiled(player_ids: Iterable[int | None]) -> None:
    """Count a spoiled start against each of these players."""
    players = {player for player in player_ids if player is not None}
    networks = networks_of(players - older_accounts(players))
    for player_id in players:
        limits.note_of(player_id, "spoil")
    for network in networks.values():
        limits.note_of(network, "spoil_network")
