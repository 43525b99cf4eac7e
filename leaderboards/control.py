"""A strong game of the day beside its player's races: what asks for a race, and what staff compare. Never a flag."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Final

from django.db.models import F
from django.utils import timezone

from games.ladders import Ladder
from games.models import Attempt, Deal
from games.players import Player
from games.races import control
from games.races.control import Run
from games.races.ratings import ShownRating
from leaderboards import boards
from leaderboards.listings import deal_listing
from leaderboards.models import Rating, Result
from leaderboards.own import own_result
from leaderboards.ratings.formula import Skill, chance
from leaderboards.ratings.shown import shown_ratings

#: For how long a game of the day asks for one on the player's profile.
ASKING: Final = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class RaceControl:
    """A result on a deal's race board beside its player's races.

    `rated_rank` is the place among those on the board who have ratings, and `expected_rank` the one that the ratings
    would give there; both are None without a rating.
    """

    game: str
    races: int
    median_place: float | None
    median_beaten: float | None
    """The share of rivals who came behind, in the middle race."""
    rating: ShownRating | None
    rank: int | None
    total: int
    rated: int
    rated_rank: int | None
    expected_rank: float | None


def unconfirmed(player: Player, now: datetime | None = None) -> Deal | None:
    """The latest deal that the player has won, with a top place, in a game that the player has not raced lately.

    Of each game the latest result counts.
    """
    now = now or timezone.now()
    results = Result.objects.filter(player=player.pk, listed=True, finished_at__gte=now - ASKING)
    asked: set[str] = set()
    for result in results.annotate(end=F("attempt__end")).select_related("deal").order_by("-finished_at", "-pk"):
        deal = result.deal
        if deal.game in asked:
            continue
        asked.add(deal.game)
        if result.end != Attempt.End.WON or control.has_raced(player.pk, deal.game, now):
            continue
        own = own_result(deal, "race", player)
        if own is not None and control.is_top_place(own.rank, own.of):
            return deal
    return None


def beside_races(attempt: Attempt, now: datetime | None = None) -> RaceControl | None:
    """For staff: a game of the day beside its player's races; None where there are neither races nor a rating."""
    deal = attempt.deal
    runs = control.runs(attempt.player_id, deal.game, now)
    rating = shown_ratings([attempt.player_id]).get(attempt.player_id)
    if not runs and rating is None:
        return None
    rated, rated_rank, expected = _among_rated(attempt)
    return RaceControl(
        game=deal.game,
        races=len(runs),
        median_place=median(run.place for run in runs) if runs else None,
        median_beaten=median(_beaten(run) for run in runs) if runs else None,
        rating=rating,
        rank=boards.rank_of(deal, "race", attempt.player),
        total=boards.page(deal, ladder=Ladder(attempt.ladder) if attempt.ladder else None).total,
        rated=rated,
        rated_rank=rated_rank,
        expected_rank=expected,
    )


def _beaten(run: Run) -> float:
    return (run.racers - run.place) / (run.racers - 1)


def _among_rated(attempt: Attempt) -> tuple[int, int | None, float | None]:
    """How many on the attempt's ladder have ratings, and its rank among them: as it is, and as it would be expected."""
    listing = deal_listing(attempt.deal_id, "race", Ladder(attempt.ladder or Ladder.ESTABLISHED))
    order = list(listing.listed().order_by(*listing.columns).values_list("player", flat=True))
    skills = {
        player: Skill(mu, sigma)
        for player, mu, sigma in Rating.objects.filter(player__results__deal=attempt.deal_id).values_list(
            "player", "mu", "sigma"
        )
    }
    rated = [player for player in order if player in skills]
    if attempt.player_id not in rated:
        return len(rated), None, None
    own = skills[attempt.player_id]
    expected = 1 + sum(chance(skills[player], own) for player in rated if player != attempt.player_id)
    return len(rated), rated.index(attempt.player_id) + 1, round(expected, 1)
