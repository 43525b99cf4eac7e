"""Records: the fastest verified wins of each variant, of each year and of all time.

A win counts if it was fair to all: a daily result on the established ladder, or a game in a race that anyone could
watch, once its deal is revealed. Only players with a page are listed; others leave no gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, ClassVar, Final, Self
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import Coalesce, ExtractYear, RowNumber, TruncDate
from django.utils import timezone

from games.core.ladders import Ladder
from games.db.shared_cache import SharedCache
from games.models import GRACE, Attempt
from games.races.models import Entrant, Race, Room
from games.rules import CATALOGUE

#: Number of wins in a variant, of a year or of all time, from which the fastest is a record worth protecting.
ENOUGH: Final = 30
#: Kinds of rooms that anyone may watch.
_PUBLIC: Final = (Room.Kind.PUBLIC, Room.Kind.QUICK, Room.Kind.HEAT)
#: The day of a daily deal, or the day on which a race's game was finished.
_DAY: Final = Coalesce("deal__day", TruncDate("finished_at"))


@dataclass(frozen=True, slots=True)
class FastestWin:
    """The fastest win of a variant in a year."""

    variant: str
    day: date
    elapsed_ms: int
    attempt: UUID
    player: UUID
    name: str
    in_race: bool
    #: Only players with a page are listed.
    has_page: ClassVar[bool] = True

    def __str__(self) -> str:
        return self.name

    @classmethod
    def of(cls, attempt: Any) -> Self:  # noqa: ANN401 - an attempt annotated with `on`
        """Return the visible part of a win."""
        deal, player = attempt.deal, attempt.player
        variant, in_race = deal.variant, deal.for_race
        return cls(variant, attempt.on, attempt.elapsed_ms, attempt.public_id, player.public_id, str(player), in_race)


cache: Final = SharedCache("fastest_wins", list[FastestWin], fresh=300.0)


def by_year() -> dict[int | None, list[FastestWin]]:
    """Return the fastest win of each variant, by year: first of all time (None), then the latest year."""
    found = cache.get("", lambda: read(timezone.now()))
    ever: dict[str, FastestWin] = {}
    for win in sorted(found, key=lambda win: (win.elapsed_ms, win.day)):
        ever.setdefault(win.variant, win)
    order = list(CATALOGUE).index
    years: dict[int | None, list[FastestWin]] = {None: sorted(ever.values(), key=lambda win: order(win.variant))}
    for win in sorted(found, key=lambda win: (-win.day.year, order(win.variant))):
        years.setdefault(win.day.year, []).append(win)
    return years


def read(now: datetime) -> list[FastestWin]:
    """Read the fastest win of each variant in each year, in one query: one pass over the wins."""
    place = Window(
        RowNumber(),
        partition_by=[F("deal__variant"), ExtractYear(_DAY)],
        order_by=[F("elapsed_ms"), F("finished_at"), F("pk")],
    )
    fastest = _wins(now).annotate(place=place).filter(place=1).values("pk")
    found: QuerySet[Any] = Attempt.objects.filter(pk__in=fastest).annotate(on=_DAY)
    return [FastestWin.of(attempt) for attempt in found.select_related("deal", "player").defer("record")]


def would_be_record(attempt: Attempt, elapsed_ms: int) -> bool:
    """Return whether a win in a race would be the fastest of its year or of all time, where there are enough."""
    entrant = Entrant.objects.filter(attempt=attempt, race__room__kind__in=_PUBLIC).first()
    if entrant is None or attempt.end != Attempt.End.WON or attempt.finished_at is None:
        return False
    variant, year = attempt.deal.variant, attempt.finished_at.year
    wins = Attempt.objects.filter(state=Attempt.State.VERIFIED, end=Attempt.End.WON, deal__variant=variant)
    wins = wins.filter(Q(ranked=True) | Q(entrant__isnull=False)).exclude(pk=attempt.pk)
    return any(
        wins_of_span[:ENOUGH].count() == ENOUGH and not wins_of_span.filter(elapsed_ms__lte=elapsed_ms).exists()
        for wins_of_span in (wins, wins.filter(finished_at__year=year))
    )


def _wins(now: datetime) -> QuerySet[Attempt]:
    """Return the wins that may be records."""
    users: Any = get_user_model()
    daily = Q(result__listed=True, result__ladder=Ladder.ESTABLISHED)
    raced = Q(entrant__race__state=Race.State.FINISHED, entrant__race__room__kind__in=_PUBLIC)
    is_revealed = Q(deal__revealed_at__lte=now) | Q(deal__revealed_at=None, deal__closes_at__lte=now - GRACE)
    won = Attempt.objects.filter(is_revealed, daily | raced, state=Attempt.State.VERIFIED, end=Attempt.End.WON)
    return won.filter(player__in=users.objects.with_page()).exclude(deal__variant="")
