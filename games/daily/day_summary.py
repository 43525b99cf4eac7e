"""A player's daily summary: deals played and won of nine, points, streak and a text to share.

The home page and the end of a game show the same figures from this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final

from django.conf import settings
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.daily.day_places import DayBoards, OwnPlaces, Place, boards
from games.db.players import WinStreaks, player_services
from games.deals.daily_points import MOST, points
from games.models import Attempt
from games.presentation.durations import duration
from games.presentation.view_models import ShownAttempt, ShownDeal
from games.rules import CATALOGUE

State = Attempt.State

#: Squares of a shared day, by mark.
SQUARES: Final[Mapping[str, str]] = {"won": "🟩", "lost": "🟨", "review": "⬛", "void": "⬛"}
EMPTY: Final = "⬜"
#: Marks of finished games that count for everyone.
_COUNTED: Final = ("won", "lost")
#: Mark of a finished game that counts for its own player only, until staff decide.
_IN_REVIEW: Final = "review"


@dataclass(frozen=True, slots=True)
class DaySummary:
    """A player's results at the deals of a day.

    `marks` has `won`, `lost` (played, not won), `review` (played and under review), `playing`, `open`, `coming` (still
    being prepared) or `void` (played, but not ranked or rejected) for each variant. Only verified games earn points.
    """

    day: date
    marks: Mapping[str, str]
    points: int
    streaks: WinStreaks
    place: Place | None = None
    players: int = 0
    max_points: int = MOST

    @property
    def played(self) -> int:
        """Number of finished deals, including games under review."""
        return sum(map(is_played, self.marks.values()))

    @property
    def counted(self) -> int:
        """Number of finished deals that others may be told about: games under review don't count yet."""
        return sum(mark in _COUNTED for mark in self.marks.values())

    @property
    def of(self) -> int:
        """Number of deals."""
        return len(self.marks)

    @property
    def tally(self) -> Counter[str]:
        """Number of deals by mark."""
        return Counter(self.marks.values())


@dataclass(frozen=True, slots=True)
class PlayerDay:
    """A player's day: attempts by deal id, places, and the summary."""

    attempts: Mapping[int, ShownAttempt] = field(default_factory=dict)
    places: OwnPlaces = field(default_factory=OwnPlaces)
    summary: DaySummary | None = None


def is_played(mark: str) -> bool:
    """Return whether a mark, as in `DaySummary.marks`, counts as played for the player."""
    return mark in _COUNTED or mark == _IN_REVIEW


def standing_of(
    player: int | None,
    now: datetime,
    attempts: Mapping[int, Attempt],
    deals: Sequence[ShownDeal],
    day_boards: DayBoards,
) -> PlayerDay:
    """Return a player's standing on the day of `now`, given their attempts and its deals and boards; an empty one for
    a visitor.
    """
    if player is None:
        return PlayerDay()
    ranked = {deal_id for deal_id, attempt in attempts.items() if attempt.ranked and attempt.state == State.VERIFIED}
    # The boards may lag by seconds: no place on one that shows no result yet.
    placed = ranked & day_boards.leaders.keys()
    places = boards().own(player, placed, day_boards) if placed else OwnPlaces()
    summary = DaySummary(
        day=now.date(),
        marks=dict.fromkeys(CATALOGUE, "coming") | {deal.variant: mark_of(attempts.get(deal.id)) for deal in deals},
        points=sum(points(deal.variant, attempts[deal.id].cards_up or 0) for deal in deals if deal.id in ranked),
        streaks=player_services().streaks_of(player, now.date()),
        place=places.nine,
        players=day_boards.players,
    )
    return PlayerDay({deal_id: ShownAttempt.of(attempt) for deal_id, attempt in attempts.items()}, places, summary)


def mark_of(attempt: Attempt | None) -> str:
    """Return an attempt's mark, as in `DaySummary.marks`.

    Practice games that began as a guest, and rejected games, don't count.
    """
    if attempt is None:
        return "open"
    if not attempt.ranked or attempt.state == State.REJECTED:
        return "void"
    if attempt.state == State.REVIEW:
        return _IN_REVIEW
    if not attempt.is_over:
        return "playing"
    return "won" if attempt.end == Attempt.End.WON else "lost"


def share_text(summary: DaySummary, address: str) -> str:
    """Return the day as a few lines to share: a square for each deal and the figures, without spoilers."""
    squares = [SQUARES.get(mark, EMPTY) for mark in summary.marks.values()]
    day = date_format(summary.day, "DATE_FORMAT")
    done = _("%(played)s of %(of)s played, %(won)s won") % {
        "played": summary.counted,
        "of": summary.of,
        "won": summary.tally["won"],
    }
    figures = [done, _("%(points)s points") % {"points": summary.points}] if summary.points else [done]
    figures += streak_line(summary.streaks.any_game)
    return "\n".join([f"Talon, {day}", "".join(squares), " · ".join(figures), address])


def todays_game_text(summary: DaySummary, deal: ShownDeal, attempt: ShownAttempt | None) -> str:
    """Return a player's result at today's game as text to share, without spoilers; empty until it counts."""
    mark = summary.marks[deal.variant]
    if attempt is None or mark not in _COUNTED:
        return ""
    known = {"cards": attempt.cards_up, "time": duration(attempt.elapsed_ms)}
    result = _("Won in %(time)s") if mark == "won" else _("%(cards)s cards up in %(time)s")
    figures = [f"{SQUARES[mark]} {result % known}", *streak_line(summary.streaks.todays_game)]
    day = date_format(summary.day, "DATE_FORMAT")
    return "\n".join([f"Talon, {deal.title}, {day}", " · ".join(figures), address_of(summary.day)])


def streak_line(streak: int) -> list[str]:
    """Return the streak in words for a text to share, if there is one."""
    if streak < 2:
        return []
    return ["🔥 " + ngettext("%(n)s day", "%(n)s days in a row", streak) % {"n": streak}]


def address_of(day: date) -> str:
    """Return the public URL of a day's deals."""
    return settings.PUBLIC_URL + reverse("games:archive_day", args=[day])
