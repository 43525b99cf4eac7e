"""Ratings as shown: whole points, a "?" while provisional, and the points won or lost against each rival of a race."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from games.races.models import Entrant
from games.races.results.ratings_registry import EntrantRatingChange as ShownChange
from games.races.results.ratings_registry import Limit, ShownRating
from games.races.results.ratings_registry import RatedDuel as ShownDuel
from leaderboards.models import Rating, RatingChange
from leaderboards.ratings.fold_input import Key
from leaderboards.ratings.folding import fold_before
from leaderboards.ratings.formula import whole_points
from leaderboards.ratings.rules import RACES, Duel, Raced, Racer

#: Maximum sigma of a rating without a "?".
SIGMA: Final = 250.0


def shown(mu: float, sigma: float, races: int) -> ShownRating:
    """Return the display form of a rating."""
    return ShownRating(round(mu), races < RACES or sigma > SIGMA)


def shown_ratings(players: Collection[int]) -> dict[int, ShownRating]:
    """Return the ratings of the players who have one, by player id."""
    rows = Rating.objects.filter(player__in=players).values_list("player_id", "mu", "sigma", "races")
    return {player: shown(mu, sigma, races) for player, mu, sigma, races in rows}


def changes_of(race_id: int) -> dict[int, ShownChange]:
    """Return the rating changes of a race by entrant, with each rival's points, which add up to the change.

    Empty if the race is not rated, or not yet.
    """
    rows = list(RatingChange.objects.filter(entrant__race=race_id).select_related("entrant").order_by("entrant_id"))
    if not rows:
        return {}
    key = Key(rows[0].finished_at, race_id)
    raced = Raced(race_id, key.finished_at, [_racer(row) for row in rows])
    duels = fold_before(key, [row.player_id for row in rows]).duels(raced)
    return {row.entrant_id: _shown_change(row, duels[row.entrant_id]) for row in rows}


def _racer(row: RatingChange) -> Racer:
    is_regular = row.entrant.standing == Entrant.Standing.REGULAR
    return Racer(row.entrant_id, row.player_id, row.rank, row.entrant.link_group or 0, is_regular)


def _shown_change(row: RatingChange, duels: list[Duel]) -> ShownChange:
    then, now = before_and_after(row)
    counted = [duel for duel in duels if duel.limit in (None, Limit.CAPPED)]
    points = whole_points([duel.points for duel in counted], now.value - then.value)
    by_rival = dict(zip((duel.rival for duel in counted), points, strict=True))
    return ShownChange(then, now, [ShownDuel(duel.rival, by_rival.get(duel.rival, 0), duel.limit) for duel in duels])


def before_and_after(row: RatingChange) -> tuple[ShownRating, ShownRating]:
    """Return the rating before a race and after it."""
    return shown(row.mu_before, row.sigma_before, row.races - 1), shown(row.mu_after, row.sigma_after, row.races)


def history_points(player_id: int, since: datetime) -> list[tuple[datetime, int]]:
    """Return the times and values of the player's rating changes since then, oldest first."""
    rows = RatingChange.objects.filter(player=player_id, finished_at__gte=since).order_by("finished_at", "race_id")
    return [(when, round(mu)) for when, mu in rows.values_list("finished_at", "mu_after")]
