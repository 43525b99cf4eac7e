"""Facts about entrants that ratings and heat points depend on, stored when a race's countdown starts.

They are whether the player is a guest, the player's standing (`Entrant.Standing`), and the group of entrants linked
with each other. Stored before the cards are seen, they don't depend on what players do next: a guest cannot sign up
after winning to have the race rated, and deleting a guest does not make it an experienced rival.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from games.core.ladders import Ladder
from games.models import Attempt
from games.races import origins
from games.races.models import Entrant, Race

#: Number of days in the quarter before a race on which a regular has really played a verified daily game.
REGULAR_DAYS: Final = 10
LOOKED_BACK: Final = timedelta(days=90)


class EntrantFacts(NamedTuple):
    """Facts of an entrant; a `group` of 0 means not linked."""

    standing: int
    group: int
    as_guest: bool


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
        has_played=Exists(dailies),
        is_established=Exists(dailies.filter(ladder=Ladder.ESTABLISHED)),
        days=_days_played(dailies),
    )
    columns = ("pk", "race", "player", users.objects.guest_at("player"), "as_guest")
    found = rows.order_by("pk").values_list(*columns, "has_played", "is_established", "days")
    players: dict[int, list[int]] = {}
    for _pk, race, player, *_rest in found:
        players.setdefault(race, []).append(player)
    starts = Race.objects.filter(pk__in=players, starts_at__isnull=False).values_list("pk", "starts_at")
    groups = {race: origins.linked_groups(players[race], starts_at) for race, starts_at in starts if starts_at}
    return {
        pk: EntrantFacts(
            _standing(guest=guest or as_guest, played=played, established=established, days=days),
            groups.get(race, {}).get(player, 0),
            guest or as_guest,
        )
        for pk, race, player, guest, as_guest, played, established, days in found
    }


def store_facts(facts: Mapping[int, EntrantFacts]) -> None:
    """Store the facts of these entrants."""
    rows = [
        Entrant(pk=pk, standing=standing, link_group=group, as_guest=as_guest)
        for pk, (standing, group, as_guest) in facts.items()
    ]
    Entrant.objects.bulk_update(rows, ["standing", "link_group", "as_guest"], batch_size=500)


def clear_facts(race_id: int) -> None:
    """Remove the facts of a race whose countdown was cancelled."""
    Entrant.objects.filter(race=race_id).update(standing=None, link_group=None, as_guest=False)


def _days_played(dailies: QuerySet[Attempt]) -> Coalesce:
    """Return an expression for the number of days with a daily game in the quarter before the race."""
    lately = dailies.filter(started_at__gte=OuterRef("race__starts_at") - LOOKED_BACK)
    days = lately.order_by().values("player").annotate(days=Count("deal__day", distinct=True)).values("days")
    return Coalesce(Subquery(days), 0)


def _standing(*, guest: bool, played: bool, established: bool, days: int) -> Entrant.Standing:
    if guest or not played:
        return Entrant.Standing.NEW
    if not established:
        return Entrant.Standing.PLAYED
    # Without ladders, the site trusts all accounts.
    is_regular = days >= REGULAR_DAYS or not settings.LADDERS
    return Entrant.Standing.REGULAR if is_regular else Entrant.Standing.ESTABLISHED
