"""Comparison of two players: their figures, the deals both have finished and the rated races both were in.

It shows only facts that are on their profiles too: verified ranked games and rated races.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, TypeVar

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from accounts.profile.contents import plays_of
from accounts.profile.play_statistics import PlayerFigures, VerifiedPlay, figures, statistics
from games.races.results.ratings_registry import ShownRating
from games.rules import CATALOGUE
from leaderboards.ratings.rated_players import RaceMet, races_met, ranks_in_common
from leaderboards.ratings.shown_points import shown_ratings

_Rank = TypeVar("_Rank", int, tuple[int, ...])

#: Maximum number of deals and races listed; all are counted.
LATEST: Final = 10

#: Side that is ahead.
Ahead = Literal["first", "second", "neither"]


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """Figure of both players; `kind` selects its format."""

    title: Promise
    values: tuple[int | None, int | None]
    ahead: Ahead
    kind: Literal["count", "time"] = "count"


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Number of times each player was ahead, and number of draws."""

    ahead: tuple[int, int]
    neither: int

    @property
    def total(self) -> int:
        """Number of times the two have met."""
        return sum(self.ahead) + self.neither


@dataclass(frozen=True, slots=True)
class DealMet:
    """Daily deal that both have finished."""

    variant: str
    day: date
    games: tuple[VerifiedPlay, VerifiedPlay]
    ahead: Ahead

    @property
    def is_by_moves(self) -> bool:
        """True if cards and times are equal, so that the number of moves decides."""
        one, two = (game.score.key[:-1] for game in self.games)
        return one == two


@dataclass(frozen=True, slots=True)
class PlayerComparison:
    """Two players side by side, with the variants that at least one of them has played."""

    ratings: tuple[ShownRating | None, ShownRating | None]
    overall: tuple[PlayerFigures, PlayerFigures]
    by_variant: dict[str, tuple[PlayerFigures, PlayerFigures]]
    deals: HeadToHead
    latest_deals: list[DealMet]
    races: HeadToHead
    latest_races: list[tuple[RaceMet, Ahead]]


def compare(first: User, second: User) -> PlayerComparison:
    """Compare two players, as of today (UTC)."""
    today = timezone.now().date()
    plays = plays_of(first), plays_of(second)
    ratings = shown_ratings((first.pk, second.pk))
    one, two = (statistics(own, today) for own in plays)
    none = figures([], today)
    met = _deals_met(*plays)
    ranks = ranks_in_common(first.pk, second.pk)
    return PlayerComparison(
        ratings=(ratings.get(first.pk), ratings.get(second.pk)),
        overall=(one.overall, two.overall),
        by_variant={
            variant: (one.by_variant.get(variant, none), two.by_variant.get(variant, none))
            for variant in CATALOGUE
            if variant in {*one.by_variant, *two.by_variant}
        },
        deals=_tally(deal.ahead for deal in met),
        latest_deals=met[:LATEST],
        races=_tally(_less(*places) for places in ranks.values()),
        latest_races=[(race, _less(*ranks[key])) for key, race in races_met(ranks, LATEST)],
    )


def figures_of(both: tuple[PlayerFigures, PlayerFigures]) -> list[ComparedFigure]:
    """Return the figures of both in page order, each with the side that is ahead."""
    one, two = both
    return [
        ComparedFigure(_("Games"), (one.played, two.played), "neither"),
        ComparedFigure(pgettext_lazy("how many", "Won"), (one.won, two.won), _more(one.won, two.won)),
        ComparedFigure(_("Best time"), (one.best_ms, two.best_ms), _less(one.best_ms, two.best_ms), "time"),
        ComparedFigure(
            _("Fewest moves"), (one.fewest_moves, two.fewest_moves), _less(one.fewest_moves, two.fewest_moves)
        ),
        ComparedFigure(_("Streak"), (one.streak, two.streak), _more(one.streak, two.streak)),
        ComparedFigure(
            _("Longest streak"),
            (one.longest_streak, two.longest_streak),
            _more(one.longest_streak, two.longest_streak),
        ),
    ]


def rating_of(ratings: tuple[ShownRating | None, ShownRating | None]) -> list[ComparedFigure]:
    """Return the ratings of both as a figure, if either has one. If a rating is provisional, neither side is ahead."""
    one, two = ratings
    if one is None and two is None:
        return []
    values = (one.value if one else None, two.value if two else None)
    sure = one is not None and two is not None and not (one.provisional or two.provisional)
    return [ComparedFigure(_("Rating"), values, _more(values[0] or 0, values[1] or 0) if sure else "neither")]


def _deals_met(first: Iterable[VerifiedPlay], second: Iterable[VerifiedPlay]) -> list[DealMet]:
    """Return the deals in both lists of plays, latest day first."""
    theirs = {(play.day, play.variant): play for play in second}
    met = [(play, theirs[play.day, play.variant]) for play in first if (play.day, play.variant) in theirs]
    met.sort(key=lambda both: both[0].day, reverse=True)
    return [DealMet(one.variant, one.day, (one, two), _less(one.score.key, two.score.key)) for one, two in met]


def _tally(outcomes: Iterable[Ahead]) -> HeadToHead:
    counts = list(outcomes)
    return HeadToHead((counts.count("first"), counts.count("second")), counts.count("neither"))


def _more(one: int, two: int) -> Ahead:
    return "first" if one > two else "second" if two > one else "neither"


def _less(one: _Rank | None, two: _Rank | None) -> Ahead:
    """Compare where less is better; a missing value is behind."""
    if one == two:
        return "neither"
    if one is None or two is None:
        return "second" if one is None else "first"
    return "first" if one < two else "second"
