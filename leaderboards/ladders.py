"""A ladder: one board of one deal or season, as the tables and columns that hold it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from leaderboards.keys import BOARDS, DEAL, SEASON, BoardName, Layout, Score
from leaderboards.models import DealBucket, Ranked, Result, SeasonBucket, Standing

Position = tuple[Any, ...]
"""Where an entry stands: its key, then its ties as the layout names them. Positions sort as the board does."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The listed entries of one scope (a deal or a season) in one order."""

    layout: Layout
    entries: type[Result | Standing]
    buckets: type[DealBucket | SeasonBucket]
    scope_column: str
    scope: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that order the entries, all ascending."""
        return (self.layout.key, *self.layout.ties)

    def position(self, entry: Ranked) -> Position:
        """The position of `entry`."""
        return tuple(getattr(entry, column) for column in self.columns)

    def listed(self) -> QuerySet[Any]:
        """The listed entries, unordered."""
        return self.entries.objects.filter(**{self.scope_column: self.scope}, listed=True)


def deal_ladder(deal_id: int, board: BoardName) -> Ladder:
    """The ladder of a deal's board."""
    return Ladder(DEAL[board], Result, DealBucket, "deal_id", deal_id)


def season_ladder(season_id: int, board: BoardName) -> Ladder:
    """The ladder of a season's board."""
    return Ladder(SEASON[board], Standing, SeasonBucket, "season_id", season_id)


def deal_ladders(deal_id: int) -> list[Ladder]:
    """Every ladder of a deal."""
    return [deal_ladder(deal_id, board) for board in BOARDS]


def season_ladders(season_id: int) -> list[Ladder]:
    """Every ladder of a season."""
    return [season_ladder(season_id, board) for board in BOARDS]


def set_score(entry: Ranked, score: Score, layouts: dict[BoardName, Layout]) -> None:
    """Set the score of `entry`, and its keys in `layouts`.

    :raises KeyRangeError: when a figure does not fit.
    """
    entry.cards_up, entry.elapsed_ms, entry.tokens = score
    entry.race_key = layouts["race"].pack(score)
    entry.fewest_key = layouts["fewest"].pack(score)
