"""Ratings as shown: the one from races against regulars once it is settled, else the provisional one with a "?".

The changes of a race are in whole points, with those won or lost against each rival.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

from games.races.models import Entrant
from games.races.results.ratings_registry import Duel, EntrantRatingChange, ShownRating
from leaderboards.models import ProvisionalChange, ProvisionalRating
from leaderboards.ratings.fold_input import Key
from leaderboards.ratings.formula import whole_points
from leaderboards.ratings.rules import Raced, Racer, RatingState, is_settled
from leaderboards.ratings.stores import STORES, Store


def shown_ratings(players: Collection[int] | None = None) -> dict[int, ShownRating]:
    """Return the shown ratings by player id: of these players, or of everyone. Unrated players are left out."""
    chosen = Q() if players is None else Q(player__in=players)
    columns = ("player_id", "mu", "player__rating__mu", "player__rating__sigma", "player__rating__races")
    shown = {}
    for player, provisional, mu, sigma, races in ProvisionalRating.objects.filter(chosen).values_list(*columns):
        has_settled = mu is not None and is_settled(sigma, races)
        shown[player] = ShownRating(round(mu if has_settled else provisional), provisional=not has_settled)
    return shown


def provisional_ratings(players: Collection[int]) -> dict[int, float]:
    """Return the provisional ratings by player id. Unrated players are left out."""
    return dict(ProvisionalRating.objects.filter(player__in=players).values_list("player_id", "mu"))


def changes_of(race_id: int) -> dict[int, EntrantRatingChange]:
    """Return the rating changes of a race by entrant, with each rival's points, which add up to the change.

    A settled rating is shown even if the race didn't change it. Empty if the race is not rated, or not yet.
    """
    rows = list(ProvisionalChange.objects.filter(entrant__race=race_id).select_related("entrant").order_by("entrant"))
    if not rows:
        return {}
    raced = Raced(race_id, rows[0].finished_at, [_racer(row) for row in rows])
    found = {}
    for store in STORES:
        fold = store.fold_before(Key(raced.finished_at, race_id), [racer.player for racer in raced.racers])
        before, duels = dict(fold.standings), fold.duels(raced)
        fold.add(raced)
        for racer in raced.racers:
            after = fold.standings[racer.player]
            if store.provisional or is_settled(after.sigma, after.races):
                found[racer.entrant] = _change(before[racer.player], after, duels[racer.entrant], store)
    return found


def _racer(row: ProvisionalChange) -> Racer:
    is_regular = row.entrant.standing == Entrant.Standing.REGULAR
    return Racer(row.entrant_id, row.player_id, row.rank, row.entrant.link_group or 0, is_regular)


def _change(before: RatingState, after: RatingState, duels: list[Duel], store: Store) -> EntrantRatingChange:
    then, now = (ShownRating(round(state.mu), store.provisional) for state in (before, after))
    counted = [duel for duel in duels if duel.limit is None]
    points = whole_points([duel.points for duel in counted], now.value - then.value)
    by_rival = dict(zip((duel.rival for duel in counted), points, strict=True))
    return EntrantRatingChange(then, now, [duel._replace(points=by_rival.get(duel.rival, 0)) for duel in duels])
