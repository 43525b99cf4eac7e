"""Relaxed games of a player: the result at each day's deals, the streak, and a text to share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.daily.day_summary import EMPTY, SQUARES, streak_line
from games.db.players import player_services
from games.models import Attempt
from games.rules import CATALOGUE

#: Marks of a deal, as in `DaySummary.marks`, from the least to the best of several games at it.
_ORDER: Final = ("open", "lost", "playing", "won")


@dataclass(frozen=True, slots=True)
class RelaxedDay:
    """A player's relaxed games of a day: `marks` has `open`, `playing`, `lost` or `won` for each variant."""

    day: date
    marks: Mapping[str, str]
    streak: int

    @property
    def played(self) -> int:
        """Number of deals played to the end."""
        return sum(mark in {"won", "lost"} for mark in self.marks.values())

    @property
    def won(self) -> int:
        """Number of deals won."""
        return list(self.marks.values()).count("won")

    @property
    def share_text(self) -> str:
        """The day as a few lines to share, without spoilers; empty until a game is finished."""
        if not self.played:
            return ""
        day = _("relaxed, %(day)s") % {"day": date_format(self.day, "DATE_FORMAT")}
        done = _("%(played)s of %(of)s played, %(won)s won") % {
            "played": self.played,
            "of": len(self.marks),
            "won": self.won,
        }
        squares = "".join(SQUARES.get(mark, EMPTY) for mark in self.marks.values())
        address = settings.PUBLIC_URL + reverse("games:relaxed_day", args=[self.day])
        return "\n".join([f"Talon, {day}", squares, " · ".join([done, *streak_line(self.streak)]), address])


def relaxed_day(player: int | None, day: date) -> RelaxedDay | None:
    """Return a player's relaxed games of today; None for a visitor."""
    if player is None:
        return None
    marks = relaxed_marks(player, day, day + timedelta(days=1)).get(day, {})
    shown = {variant: marks.get(variant, "open") for variant in CATALOGUE}
    return RelaxedDay(day, shown, player_services().relaxed_streak_of(player, day))


def relaxed_marks(player: int | None, first: date, end: date) -> dict[date, dict[str, str]]:
    """Return a player's best result at each relaxed deal of the days from `first` until before `end`."""
    rows = relaxed_attempts(player).filter(deal__relaxed_day__gte=first, deal__relaxed_day__lt=end)
    marks: dict[date, dict[str, str]] = {}
    for day, variant, state, how in rows.values_list("deal__relaxed_day", "deal__variant", "state", "end"):
        assert day is not None
        mark = "playing" if state == Attempt.State.PLAYING else "won" if how == Attempt.End.WON else "lost"
        of_day = marks.setdefault(day, {})
        of_day[variant] = max(of_day.get(variant, "open"), mark, key=_ORDER.index)
    return marks


def relaxed_attempts(player: int | None) -> QuerySet[Attempt]:
    """Return a player's games at relaxed deals, but none that continue from a replay; none for a visitor."""
    if player is None:
        return Attempt.objects.none()
    games = Attempt.objects.filter(player=player, deal__relaxed_day__isnull=False, continuation=None)
    return games.exclude(state=Attempt.State.REJECTED)
