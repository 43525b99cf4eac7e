"""Strong daily games compared with the player's races, to suggest a race and to inform staff. Never a flag."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Final

from django.db.models import F
from django.utils import timezone

from games.core.ladders import Ladder
from games.db.players import Player
from games.models import Attempt, Deal
from games.races.results import confirming_races
from leaderboards.boards import deal_boards
from leaderboards.boards.listings import deal_listing
from leaderboards.boards.own_result import own_result
from leaderboards.models import ProvisionalRating, Result
from leaderboards.ratings.formula import SkillEstimate, chance

#: Period during which a daily game leads to a race suggestion on the player's profile.
PERIOD: Final = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class RaceComparison:
    """Result on a deal's race board, compared with the player's races.

    `rated_rank` is the rank among rated players on the board, and `expected_rank` the rank that the ratings predict;
    both are None without a rating.
    """

    races: int
    median_place: float | None
    median_beaten: float | None
    """Median share of rivals beaten in a race."""
    rank: int | None
    total: int
    rated: int
    rated_rank: int | None
    expected_rank: float | None


def unconfirmed(player: Player, now: datetime | None = None) -> Deal | None:
    """Return the latest deal won with a top place whose game the player has not raced recently, or None.

    Only the latest result of each game counts.
    """
    now = now or timezone.now()
    results = Result.objects.filter(player=player.pk, listed=True, finished_at__gte=now - PERIOD)
    checked: set[str] = set()
    for result in results.annotate(end=F("attempt__end")).select_related("deal").order_by("-finished_at", "-pk"):
        deal = result.deal
        if deal.game in checked:
            continue
        checked.add(deal.game)
        if result.end != Attempt.End.WON or confirming_races.has_raced(player.pk, deal.game, now):
            continue
        own = own_result(deal, "race", player)
        if own is not None and confirming_races.is_top_place(own.rank, own.of):
            return deal
    return None


def compare(attempt: Attempt, now: datetime | None = None) -> RaceComparison | None:
    """Compare a daily game with its player's races, for staff; None if there are neither races nor a rating."""
    deal = attempt.deal
    runs = confirming_races.runs(attempt.player_id, deal.game, now)
    if not runs and not ProvisionalRating.objects.filter(player=attempt.player_id).exists():
        return None
    rated, rated_rank, expected = _among_rated(attempt)
    return RaceComparison(
        races=len(runs),
        median_place=median(run.place for run in runs) if runs else None,
        median_beaten=median((run.racers - run.place) / (run.racers - 1) for run in runs) if runs else None,
        rank=deal_boards.rank_of(deal, "race", attempt.player),
        total=deal_boards.page(deal, ladder=Ladder(attempt.ladder) if attempt.ladder else None).total,
        rated=rated,
        rated_rank=rated_rank,
        expected_rank=expected,
    )


def _among_rated(attempt: Attempt) -> tuple[int, int | None, float | None]:
    """Return the number of rated players on the attempt's ladder, and its actual and expected rank among them."""
    listing = deal_listing(attempt.deal_id, "race", Ladder(attempt.ladder or Ladder.ESTABLISHED))
    order = list(listing.listed().order_by(*listing.columns).values_list("player", flat=True))
    skills = {
        player: SkillEstimate(mu, sigma)
        for player, mu, sigma in ProvisionalRating.objects.filter(player__results__deal=attempt.deal_id).values_list(
            "player", "mu", "sigma"
        )
    }
    rated = [player for player in order if player in skills]
    if attempt.player_id not in rated:
        return len(rated), None, None
    own = skills[attempt.player_id]
    expected = 1 + sum(chance(skills[player], own) for player in rated if player != attempt.player_id)
    return len(rated), rated.index(attempt.player_id) + 1, round(expected, 1)
