"""Races that confirm a strong result at a daily deal, as a race's cards cannot be known in advance.

A dismissible hint suggests one. It never implies doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Self

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from games.db.players import has_account
from games.models import Attempt, Deal
from games.presentation import titles
from games.races.models import Entrant, Race
from games.rules import CATALOGUE

#: Age up to which a race counts.
RECENT: Final = timedelta(days=180)

#: Last place on a deal's board, counted from 1, for which a won game should be confirmed by a race.
TOP: Final = 3

#: Cookie set when a player dismisses the hint.
COOKIE: Final = f"{settings.COOKIE_PREFIX}talon_race_hint"

_RACED: Final = (Entrant.State.WON, Entrant.State.RETIRED, Entrant.State.TIMED_OUT)


def is_top_place(rank: int, of: int) -> bool:
    """Return whether a won game's place is worth confirming by a race: among the first `TOP`, and not the last."""
    return rank <= TOP and rank < of


class Run(NamedTuple):
    """A player's result in a race: the place, and the number of racers."""

    place: int
    racers: int


def has_raced(player_id: int, game: str, now: datetime | None = None) -> bool:
    """Return whether the player has recently raced this game against an opponent."""
    return _entries(player_id, game, now).exists()


def runs(player_id: int, game: str, now: datetime | None = None) -> list[Run]:
    """Return the player's recent races of this game against opponents."""
    counted = _entries(player_id, game, now).annotate(
        racers=Count("race__entrants", filter=Q(race__entrants__state__in=_RACED, race__entrants__place__isnull=False))
    )
    rows = counted.values_list("place", "racers")
    return [Run(place, racers) for place, racers in rows if place is not None]


@dataclass(frozen=True, slots=True)
class RaceHint:
    """Contents of the hint: the game's title, and the variants for a quick match."""

    game: str
    variants: list[str]
    cookie: str = COOKIE

    @classmethod
    def of(cls, deal: Deal) -> Self:
        """Return the hint for a deal's game."""
        variants = [name for name, variant in CATALOGUE.items() if variant.game == deal.game]
        return cls(str(titles.GAME_TITLES[deal.game]), variants)


def may_suggest(request: HttpRequest) -> bool:
    """Return whether the visitor has an account and has not dismissed the hint."""
    return has_account(request) and COOKIE not in request.COOKIES


def hint_at(request: HttpRequest, attempt: Attempt) -> RaceHint | None:
    """Return the hint for a ranked daily game, to show if it ends on a top place."""
    is_candidate = attempt.ranked and attempt.deal.day is not None and may_suggest(request)
    return RaceHint.of(attempt.deal) if is_candidate and not has_raced(attempt.player_id, attempt.deal.game) else None


def _entries(player_id: int, game: str, now: datetime | None) -> QuerySet[Entrant]:
    since = (now or timezone.now()) - RECENT
    # A record without a place is under review and does not count.
    placed = Entrant.objects.filter(state__in=_RACED, place__isnull=False)
    rivals = placed.filter(race=OuterRef("race")).exclude(pk=OuterRef("pk"))
    return placed.filter(
        Exists(rivals),
        player=player_id,
        as_guest=False,
        race__state=Race.State.FINISHED,
        race__game=game,
        race__finished_at__gte=since,
    )
