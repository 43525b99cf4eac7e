"""Queries for a player's profile page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone

from accounts.models import User
from accounts.profile.finished_games import PRACTICE, finished_games
from accounts.profile.play_statistics import Statistics, VerifiedPlay, statistics
from games.models import Attempt
from games.presentation.view_models import DealTile
from games.races.models import Entrant, Race
from games.races.results.confirming_races import RaceHint
from games.rules import CATALOGUE
from leaderboards.boards.eligibility import missing
from leaderboards.boards.own_result import missing_in_words
from leaderboards.ratings import rated_players
from leaderboards.summary import daily_vs_races

RESULTS_A_PAGE: Final = 25

#: Time span of the charts.
HISTORY: Final = timedelta(days=400)

#: Maximum number of rated races on a profile.
RUNS_SHOWN: Final = 10

_State = Attempt.State


def visible_player(public_id: UUID, viewer: User | None) -> User:
    """Return the player whose page ``viewer`` requests: one with a page, or the viewer.

    :raises Http404: for any other player.
    """
    player = User.objects.filter(public_id=public_id).first()
    if player is None or not (player.has_page or player == viewer):
        raise Http404
    return player


def plays_of(player: User, *, since: date | None = None) -> list[VerifiedPlay]:
    """Return the player's verified ranked attempts, oldest deal first."""
    attempts = Attempt.objects.filter(player=player, ranked=True, state=_State.VERIFIED, deal__day__isnull=False)
    if since:
        attempts = attempts.filter(deal__day__gte=since)
    columns = ("deal__variant", "deal__day", "end", "cards_up", "elapsed_ms", "tokens", "deal__par", "progress_ms")
    return [
        VerifiedPlay(variant, day, end == Attempt.End.WON, *figures)
        for variant, day, end, *figures in attempts.order_by("deal__day", "id").values_list(*columns)
    ]


def race_plays_of(player: User) -> list[VerifiedPlay]:
    """Return the player's verified games in finished races, except those with options of their own."""
    entries = Entrant.objects.filter(player=player, race__state=Race.State.FINISHED, attempt__state=_State.VERIFIED)
    columns = ("race__variant", "attempt__started_at", "attempt__end", "cards_up", "elapsed_ms", "tokens")
    return _plays(entries.exclude(race__variant="").order_by("pk").values_list(*columns))


def _plays(rows: Iterable[tuple[Any, ...]]) -> list[VerifiedPlay]:
    return [
        VerifiedPlay(variant, begun.date(), end == Attempt.End.WON, cards_up, ms, n)
        for variant, begun, end, cards_up, ms, n in rows
    ]


def practice_statistics_of(player: User) -> Statistics:
    """Return the statistics of the player's practice."""
    games = finished_games(player.pk).filter(PRACTICE, state=_State.VERIFIED)
    plays = _plays(games.values_list("deal__variant", "started_at", "end", "cards_up", "elapsed_ms", "tokens"))
    return statistics(plays, timezone.now().date(), list(CATALOGUE))


def statistics_of(player: User, plays: Sequence[VerifiedPlay]) -> Statistics:
    """Return the statistics of the player's ranked plays and of races, as of today (UTC)."""
    return statistics(plays, timezone.now().date(), list(CATALOGUE), race_plays_of(player))


def history_of(player: User, variant: str = "") -> list[VerifiedPlay]:
    """Return the plays shown in the charts, of one variant or of all."""
    plays = plays_of(player, since=timezone.now().date() - HISTORY)
    return [play for play in plays if variant in {"", play.variant}]


@dataclass(frozen=True, slots=True)
class RatingPanel:
    """Rating panel of a profile."""

    own: rated_players.OwnRating
    runs: list[rated_players.RatedRun]


def rating_of(player: User) -> RatingPanel | None:
    """Return the player's rating with the latest rated races, or None if there are no rated races."""
    own = rated_players.own(player)
    return None if own is None else RatingPanel(own, rated_players.runs(player, RUNS_SHOWN))


def to_be_established(player: User) -> str:
    """Describe the requirements the player lacks to be ranked as established; empty for a guest."""
    lacks = None if player.is_guest else missing(player)
    return missing_in_words(lacks) if lacks else ""


def race_hint_of(player: User) -> RaceHint | None:
    """Return the hint that asks the player to confirm a top place in a race, if one is unconfirmed."""
    deal = daily_vs_races.unconfirmed(player)
    return None if deal is None else RaceHint.of(deal)


def results_page(player: User, *, own: bool, before: UUID | None = None) -> tuple[list[DealTile], UUID | None]:
    """Return a page of ranked attempts, latest first, and the cursor of the next page if there is one.

    Other players see verified attempts only; ``own`` adds pending and rejected ones.

    :raises Http404: if ``before`` is not one of the player's attempts.
    """
    attempts = Attempt.objects.filter(player=player, ranked=True).exclude(state=_State.PLAYING)
    if not own:
        attempts = attempts.filter(state=_State.VERIFIED)
    if before:
        attempts = _earlier(attempts, player, before)
    latest = attempts.select_related("deal").defer("record", "deal__solution").order_by("-started_at", "-id")
    rows = list(latest[: RESULTS_A_PAGE + 1])
    page = [DealTile.of(attempt.deal, attempt) for attempt in rows[:RESULTS_A_PAGE]]
    return page, rows[-2].public_id if len(rows) > RESULTS_A_PAGE else None


def _earlier(attempts: QuerySet[Attempt], player: User, before: UUID) -> QuerySet[Attempt]:
    cursor = Attempt.objects.filter(player=player, public_id=before).values_list("started_at", "id").first()
    if cursor is None:
        raise Http404
    started, key = cursor
    return attempts.filter(Q(started_at__lt=started) | Q(started_at=started, id__lt=key))
