"""Year of a player: every day's nine games as coloured squares, of all games and results or of one, to be shared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import Final, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.profile.contents import plays_of
from games.rules import CATALOGUE

#: SVG paths of a game's square, by mark: marks differ in size as well as in colour.
_SHAPES: Final[Mapping[str, str]] = {"won": "h6v6h-6z", "lost": "m1 1h4v4h-4z", "open": "m2 2h2v2h-2z"}
#: Distances between the squares of a day, and between days of nine squares.
_SQUARE, _NINE = 7, 26


class YearMonth(NamedTuple):
    """A month in squares: an SVG path for each mark, and the numbers of games played and won."""

    first: date
    paths: Mapping[str, str]
    played: int
    won: int


@dataclass(frozen=True)
class Year:
    """A player's year, of these variants, with the marks of the daily games played, `won` or `lost`.

    `result` is the only mark in the pictures, `open` included; empty for all.
    """

    number: int
    address: str
    years: Sequence[int]
    variants: Sequence[str]
    result: str
    days: Sequence[date]
    marks: Mapping[tuple[date, str], str]

    @classmethod
    def of(cls, player: User, number: int, variant: str, today: date, result: str = "") -> Year | None:
        """Return a year, of one variant and result or of all; None for years without play."""
        plays = plays_of(player)
        begun = min((play.day for play in plays), default=today).replace(day=1)
        if not begun.year <= number <= today.year:
            return None
        first, last = max(date(number, 1, 1), begun), min(date(number, 12, 31), today)
        days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
        variants = [variant] if variant in CATALOGUE else list(CATALOGUE)
        marks = {(play.day, play.variant): "won" if play.won else "lost" for play in plays}
        shown = {key: mark for key, mark in marks.items() if first <= key[0] <= last and key[1] in variants}
        address = settings.PUBLIC_URL + reverse("players:year", args=[player.public_id, number])
        result = result if result in _SHAPES else ""
        return cls(number, address, range(begun.year, today.year + 1), variants, result, days, shown)

    @property
    def figures(self) -> str:
        """The numbers of days and games played, and of wins, in words."""
        return _("Days: %(days)s · Games: %(games)s · Won: %(won)s") % {
            "days": len({day for day, _variant in self.marks}),
            "games": len(self.marks),
            "won": sum(mark == "won" for mark in self.marks.values()),
        }

    @property
    def day_size(self) -> int:
        """Distance between days in a month's picture, which is 7 by 6 of them."""
        return _SQUARE if len(self.variants) == 1 else _NINE

    def months(self) -> Iterator[YearMonth]:
        """Yield the months, with a week in each row and a day's games in three."""
        for month, days in groupby(self.days, key=lambda day: day.replace(day=1)):
            paths, played, won = defaultdict[str, str](str), 0, 0
            for day in days:
                row, column = divmod(month.weekday() + day.day - 1, 7)
                for n, variant in enumerate(self.variants):
                    mark = self.marks.get((day, variant), "open")
                    x, y = self.day_size * column + _SQUARE * (n % 3), self.day_size * row + _SQUARE * (n // 3)
                    if self.result in ("", mark):
                        paths[mark] += f"M{x} {y}{_SHAPES[mark]}"
                    played += mark != "open"
                    won += mark == "won"
            yield YearMonth(month, dict(paths), played, won)

    def share_text(self) -> str:
        """Return the year as a few lines to share."""
        return f"Talon, {self.number}\n{self.figures}\n{self.address}"
