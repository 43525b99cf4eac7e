"""Display form of ratings: whole numbers, a "?" while provisional, and the points won or lost per rival."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from games.races.results.ratings_registry import EntrantRatingChange as ShownChange
from games.races.results.ratings_registry import ShownRating
from leaderboards.models import Rating, RatingChange
from leaderboards.ratings.formula import SkillEstimate, shares, whole_points

#: Minimum number of races and maximum sigma of a rating without a "?".
RACES: Final = 10
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
    rows = list(RatingChange.objects.filter(entrant__race=race_id).order_by("entrant_id"))
    before = [SkillEstimate(row.mu_before, row.sigma_before) for row in rows]
    ranks = [row.rank for row in rows]
    return {row.entrant_id: _shown_change(row, rows, shares(before, ranks, k)) for k, row in enumerate(rows)}


def _shown_change(row: RatingChange, rows: list[RatingChange], parts: list[float]) -> ShownChange:
    then, now = before_and_after(row)
    rivals = [(other.entrant_id, part) for other, part in zip(rows, parts, strict=True) if other != row]
    points = whole_points([part for _, part in rivals], now.value - then.value)
    return ShownChange(then, now, [(rival, value) for (rival, _), value in zip(rivals, points, strict=True)])


def before_and_after(row: RatingChange) -> tuple[ShownRating, ShownRating]:
    """Return the rating before a race and after it."""
    return shown(row.mu_before, row.sigma_before, row.races - 1), shown(row.mu_after, row.sigma_after, row.races)


def history_points(player_id: int, since: datetime) -> list[tuple[datetime, int]]:
    """Return the times and values of the player's rating changes since then, oldest first."""
    rows = RatingChange.objects.filter(player=player_id, finished_at__gte=since).order_by("finished_at", "race_id")
    return [(when, round(mu)) for when, mu in rows.values_list("finished_at", "mu_after")]
