"""Finished races for the rating tests, created without being played."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from games.races.models import Entrant, Race, Room
from leaderboards.models import ProvisionalRating
from leaderboards.ratings.rules import RatingState
from leaderboards.ratings.stores import STORES
from tests.factories import DAY, NOON, make_deal

State = Entrant.State
MINUTE = timedelta(minutes=1)


def race(
    who: Sequence[Any],
    places: Sequence[int | str] | None = None,
    *,
    at: datetime = NOON,
    regulars: Sequence[Any] = (),
    **fields: Any,
) -> Race:
    """Create a finished rated race of these players in order; None stands for a deleted guest.

    A place of "absent" or "disqualified" sets that state; without places, the order is the result. Facts are stored for
    the regulars only.
    """
    room = Room.objects.create(
        kind=Room.Kind.QUICK, variant="plot", game="plot", limit_s=600, seats=16, made_at=at, used_at=at
    )
    deal = make_deal("plot", DAY, practice=True)
    fields = {"state": Race.State.FINISHED, "rated": True, "finished_at": at, **fields}
    created = Race.objects.create(
        room=room, number=1, variant="plot", game="plot", limit_s=600, deal=deal, opened_at=at,
        starts_at=at, ends_at=at, **fields,
    )  # fmt: skip
    for player, place in zip(who, places or range(1, len(who) + 1), strict=True):
        entered = entrant(created, player, place)
        if player in regulars:
            Entrant.objects.filter(pk=entered.pk).update(standing=Entrant.Standing.REGULAR, link_group=0)
    return created


def entrant(in_race: Race, player: Any, place: int | str) -> Entrant:
    state = place if isinstance(place, str) else State.WON
    shown = place if isinstance(place, int) else 16 if place == State.DISQUALIFIED else None
    return Entrant.objects.create(race=in_race, player=player, state=state, place=shown, joined_at=in_race.opened_at)


def disqualify(in_race: Race, player: Any) -> None:
    """Reject the player's record of a finished race: it comes last, and later players move up."""
    rejected = in_race.entrants.get(player=player)
    for other in in_race.entrants.filter(place__gt=rejected.place).exclude(state=State.DISQUALIFIED):
        Entrant.objects.filter(pk=other.pk).update(place=other.place - 1 if other.place else None)
    Entrant.objects.filter(pk=rejected.pk).update(state=State.DISQUALIFIED, place=in_race.entrants.count())


def history(players: Sequence[Any], races: int, seed: int, *, start: datetime = NOON) -> list[Race]:
    """Create a random history with ties, absences, disqualifications and simultaneous races.

    The first half of the players are regulars.
    """
    choose, at, created = random.Random(seed), start, []
    for _ in range(races):
        at += timedelta(minutes=choose.choice([0, 1, 7, 90]))
        who = choose.sample(list(players), choose.randint(2, min(6, len(players))))
        places: list[int | str] = [choose.randint(1, len(who)) for _ in who]
        for k in range(len(who)):
            if choose.random() < 0.15:
                places[k] = choose.choice(["absent", "disqualified"])
        created.append(race(who, places, at=at, regulars=players[: len(players) // 2]))
    return created


def ratings() -> list[tuple[Any, ...]]:
    """Return the provisional ratings."""
    columns = ("player", "mu", "sigma", "races", "last_raced_at")
    return list(ProvisionalRating.objects.order_by("player").values_list(*columns))


def stored() -> list[tuple[Any, ...]]:
    """Return all changes and ratings of both kinds."""
    found: list[tuple[Any, ...]] = []
    for store in STORES:
        columns = [field.attname for field in store.changes._meta.concrete_fields if field.name != "id"]
        found += store.changes.objects.order_by("finished_at", "race", "entrant").values_list(*columns)
        found += store.ratings.objects.order_by("player").values_list(*RatingState._fields)
    return found
