"""Facts about entrants that ratings and heat points depend on, stored once when a race finishes.

They are the player's standing at the start (`Entrant.Standing`) and the group of entrants linked with each other.
Stored, they keep points and ratings a function of the races, whatever players do and whatever is deleted later.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef

from games.core.ladders import Ladder
from games.models import Attempt
from games.races import race_origins
from games.races.models import Entrant, Race


class EntrantFacts(NamedTuple):
    """Facts of an entrant; a `group` of 0 means not linked."""

    standing: int
    group: int


def missing_facts(race_ids: Collection[int]) -> dict[int, EntrantFacts]:
    """Return the facts of the races' entrants that have none stored, by entrant. Stores nothing."""
    users: Any = get_user_model()
    dailies = Attempt.objects.filter(
        player=OuterRef("player"),
        ranked=True,
        real_play=True,
        state=Attempt.State.VERIFIED,
        verified_at__lt=OuterRef("race__starts_at"),
    )
    rows = Entrant.objects.filter(race__in=race_ids, standing=None, player__isnull=False).annotate(
        has_played=Exists(dailies), is_established=Exists(dailies.filter(ladder=Ladder.ESTABLISHED))
    )
    columns = ("pk", "race", "player", users.objects.guest_at("player"), "as_guest", "has_played", "is_established")
    found = rows.order_by("pk").values_list(*columns)
    players: dict[int, list[int]] = {}
    for _pk, race, player, *_rest in found:
        players.setdefault(race, []).append(player)
    starts = Race.objects.filter(pk__in=players, starts_at__isnull=False).values_list("pk", "starts_at")
    groups = {race: race_origins.linked_groups(players[race], starts_at) for race, starts_at in starts if starts_at}
    return {
        pk: EntrantFacts(
            _standing(guest=guest or as_guest, played=played, established=established),
            groups.get(race, {}).get(player, 0),
        )
        for pk, race, player, guest, as_guest, played, established in found
    }


def store_facts(facts: Mapping[int, EntrantFacts]) -> None:
    """Store the facts of these entrants."""
    rows = [Entrant(pk=pk, standing=standing, link_group=group) for pk, (standing, group) in facts.items()]
    Entrant.objects.bulk_update(rows, ["standing", "link_group"], batch_size=500)


def _standing(*, guest: bool, played: bool, established: bool) -> Entrant.Standing:
    if guest or not played:
        return Entrant.Standing.NEW
    return Entrant.Standing.ESTABLISHED if established else Entrant.Standing.PLAYED
