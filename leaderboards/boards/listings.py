"""Listings: one board of one deal or season, described by the tables and columns that hold it.

A deal has a board of each name on each ladder, and so have the nine of a day. Other seasons are of the established
ladder only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from games.core.ladders import Ladder
from leaderboards.boards.rank_keys import BOARDS, DEAL, SEASON, BoardName, BoardScore, Layout
from leaderboards.models import DealBucket, Ranked, Result, SeasonBucket, Standing

Position = tuple[int | datetime | None, ...]
"""Sort position of an entry: its key, then its ties in the order of the layout. Positions sort as the board does."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Listed entries of one scope (a ladder of a deal, or a season) in one order."""

    layout: Layout
    entries: type[Result | Standing]
    buckets: type[DealBucket | SeasonBucket]
    scope_column: str
    scope: int
    ladder: Ladder | None = None

    @property
    def code(self) -> int:
        """Number of the board in the histogram: the layout's code, offset for the newcomers."""
        return self.layout.code + (len(BOARDS) if self.ladder == Ladder.NEWCOMERS else 0)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that order the entries, all ascending."""
        return (self.layout.key, *self.layout.ties)

    @property
    def where(self) -> str:
        """SQL condition of the scope on entries; its parameters are `scopes`."""
        ladder = " AND ladder = %s" if self.ladder else ""
        won = f" AND {self.layout.key} IS NOT NULL" if self.layout.wins_only else ""
        return f"{self.scope_column} = %s{ladder}{won}"

    @property
    def scopes(self) -> list[object]:
        """Parameters of `where`."""
        return [self.scope, int(self.ladder)] if self.ladder else [self.scope]

    def position(self, entry: Ranked) -> Position:
        """Return the position of `entry`."""
        return tuple(getattr(entry, column) for column in self.columns)

    def listed(self) -> QuerySet[Any]:
        """Return the listed entries, unordered."""
        scope: dict[str, Any] = {self.scope_column: self.scope, **({"ladder": self.ladder} if self.ladder else {})}
        return self.entries.objects.filter(**scope, **{f"{self.layout.key}__isnull": False}, listed=True)


def deal_listing(deal_id: int, board: BoardName, ladder: Ladder | None = Ladder.ESTABLISHED) -> Listing:
    """Return the listing of a deal's board on a ladder. None spans both and has no counts: use it for a few players."""
    return Listing(DEAL[board], Result, DealBucket, "deal_id", deal_id, ladder)


def season_listing(season_id: int, board: BoardName) -> Listing:
    """Return the listing of a season's board."""
    return Listing(SEASON[board], Standing, SeasonBucket, "season_id", season_id)


def deal_listings(deal_id: int, *ladders: Ladder) -> list[Listing]:
    """Return every listing of a deal, or those of these ladders."""
    return [deal_listing(deal_id, board, ladder) for ladder in ladders or Ladder for board in BOARDS]


def season_listings(season_id: int) -> list[Listing]:
    """Return every listing of a season."""
    return [season_listing(season_id, board) for board in BOARDS]


def ladder_named(slug: str | None) -> Ladder | None:
    """Return the ladder for a slug in a URL."""
    return next((ladder for ladder in Ladder if ladder.slug == slug), None)


def set_score(entry: Ranked, score: BoardScore, layouts: dict[BoardName, Layout]) -> None:
    """Set the score of `entry`, and its keys in `layouts`.

    :raises KeyRangeError: if a figure does not fit.
    """
    entry.cards_up, entry.elapsed_ms, entry.tokens = score[:3]
    if isinstance(entry, Result):
        entry.progress_ms = score.progress_ms
    entry.race_key = layouts["race"].pack(score)
    entry.fewest_key = layouts["fewest"].key_of(score)
