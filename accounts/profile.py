"""What a player's page shows."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone

from accounts.models import User
from accounts.statistics import Play, Statistics, statistics
from games.models import Attempt
from games.pages.shown import Tile
from games.rules import CATALOGUE

RESULTS_A_PAGE: Final = 25

#: The charts go back this far.
HISTORY: Final = timedelta(days=400)

_State = Attempt.State


def visible_player(public_id: UUID, viewer: User | None) -> User:
    """Give the player whose page ``viewer`` asks for: one who has a page, or the viewer.

    :raises Http404: for anybody else.
    """
    player = User.objects.filter(public_id=public_id).first()
    if player is None or not (player.has_page or player == viewer):
        raise Http404
    return player


def plays_of(player: User, *, since: date | None = None) -> list[Play]:
    """The player's verified ranked attempts, oldest deal first."""
    attempts = Attempt.objects.filter(player=player, ranked=True, state=_State.VERIFIED, deal__day__isnull=False)
    if since:
        attempts = attempts.filter(deal__day__gte=since)
    columns = ("deal__variant", "deal__day", "end", "cards_up", "elapsed_ms", "tokens")
    return [
        Play(variant=variant, day=day, won=end == Attempt.End.WON, cards_up=cards_up, elapsed_ms=ms, tokens=tokens)
        for variant, day, end, cards_up, ms, tokens in attempts.order_by("deal__day", "id").values_list(*columns)
    ]


def statistics_of(player: User) -> Statistics:
    """The player's statistics as of today (UTC)."""
    return statistics(plays_of(player), timezone.now().date(), list(CATALOGUE))


def history_of(player: User, variant: str = "") -> list[Play]:
    """The plays shown in the charts, of one variant or of all."""
    plays = plays_of(player, since=timezone.now().date() - HISTORY)
    return [play for play in plays if variant in {"", play.variant}]


def results_page(player: User, *, own: bool, before: UUID | None = None) -> tuple[list[Tile], UUID | None]:
    """A page of ranked attempts, latest first, and the cursor of the next page if there is one.

    Others see verified attempts only; with ``own`` those that wait for a verdict or were rejected are there too.

    :raises Http404: when ``before`` is not one of the player's attempts.
    """
    attempts = Attempt.objects.filter(player=player, ranked=True).exclude(state=_State.PLAYING)
    if not own:
        attempts = attempts.filter(state=_State.VERIFIED)
    if before:
        attempts = _earlier(attempts, player, before)
    latest = attempts.select_related("deal").defer("record", "deal__solution").order_by("-started_at", "-id")
    rows = list(latest[: RESULTS_A_PAGE + 1])
    page = [Tile.of(attempt.deal, attempt) for attempt in rows[:RESULTS_A_PAGE]]
    return page, rows[-2].public_id if len(rows) > RESULTS_A_PAGE else None


def _earlier(attempts: QuerySet[Attempt], player: User, before: UUID) -> QuerySet[Attempt]:
    cursor = Attempt.objects.filter(player=player, public_id=before).values_list("started_at", "id").first()
    if cursor is None:
        raise Http404
    started, key = cursor
    return attempts.filter(Q(started_at__lt=started) | Q(started_at=started, id__lt=key))
