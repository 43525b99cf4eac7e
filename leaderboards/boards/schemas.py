"""JSON schemas of boards, for HTTP and WebSockets alike."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Schema

from games.core.ladders import LadderSlug
from games.db.players import player_services
from leaderboards.boards.rank_keys import BoardName
from leaderboards.boards.rows import BoardPage, BoardRow, Status


class EntryOut(Schema):
    """Line of a board. An entry without a rank waits for its verdict, and its figures are not known yet.

    A former player's account is deleted. `avatar` is the address of the player's picture. `ladder` is the ladder of the
    deal that the rank refers to. Only the nine of a day have `points`. `progress_ms` is the time at which the last card
    went up, 4294967295 if none did; on a deal's board, it ranks the games that were not won. The `elapsed_ms` of a
    season adds it up for them.
    """

    rank: int | None
    player: UUID
    name: str
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    progress_ms: int | None
    finished_at: datetime
    status: Status
    attempt: UUID | None = None
    deals: int | None = None
    points: int | None = None
    is_former: bool = False
    avatar: str
    ladder: LadderSlug | None = None

    @staticmethod
    def resolve_avatar(entry: BoardRow) -> str:
        """Return the address of the player's picture."""
        return player_services().avatar_of("" if entry.is_former else entry.name)

    @staticmethod
    def resolve_ladder(entry: BoardRow) -> LadderSlug | None:
        """Return the ladder's name in addresses."""
        return entry.ladder.slug if entry.ladder else None


class PageOut(Schema):
    """Page of a board; `before` and `after` are the cursors of its neighbours."""

    board: BoardName
    ladder: LadderSlug
    total: int
    entries: list[EntryOut]
    waiting: list[EntryOut] = []
    before: str | None
    after: str | None


def page_fields(board: BoardName, page: BoardPage, waiting: Sequence[BoardRow] = ()) -> dict[str, Any]:
    """Return the fields of `PageOut`: a page, and the pending attempts."""
    return {
        "board": board,
        "ladder": page.ladder.slug,
        "total": page.total,
        "entries": page.entries,
        "waiting": waiting,
        "before": page.before,
        "after": page.after,
    }


class BoardFrame(PageOut):
    """Frame of the live board: its current first page."""

    type: str = "board"
    deal: int


class RatedOut(Schema):
    """Line of the rating board."""

    rank: int
    player: UUID
    name: str
    value: int
    races: int
    last_raced_at: datetime


class RatingsOut(Schema):
    """Top of the rating board, and the number of players it lists."""

    total: int
    entries: list[RatedOut]


class RunOut(Schema):
    """Rated race of a player, identified by room and number; the place is null if the player was disqualified."""

    room: str
    number: int
    variant: str
    finished_at: datetime
    place: int | None
    before: int
    after: int


class RatingOut(Schema):
    """Rating of a player. A provisional rating is not on the board, and only players on the board have a rank."""

    player: UUID
    name: str
    value: int
    provisional: bool
    races: int
    last_raced_at: datetime
    rank: int | None
    changes: list[RunOut]
