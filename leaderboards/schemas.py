"""The JSON of boards, for HTTP and WebSockets alike."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from ninja import Schema

from leaderboards.keys import BoardName
from leaderboards.pages import Entry, Page, Status


class EntryOut(Schema):
    """One line of a board. Without a rank it waits for its verdict, and its figures are not known yet.

    A former player's account is deleted.
    """

    rank: int | None
    player: UUID
    name: str
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    finished_at: datetime
    status: Status
    attempt: UUID | None = None
    deals: int | None = None
    is_former: bool = False

    @classmethod
    def of(cls, entry: Entry) -> EntryOut:
        """The JSON of an entry."""
        return cls(
            rank=entry.rank,
            player=entry.player,
            name=entry.name,
            cards_up=entry.cards_up,
            elapsed_ms=entry.elapsed_ms,
            tokens=entry.tokens,
            finished_at=entry.finished_at,
            status=entry.status,
            attempt=entry.attempt,
            deals=entry.deals,
            is_former=entry.is_former,
        )


class PageOut(Schema):
    """A page of a board; `before` and `after` are the cursors of its neighbours."""

    board: BoardName
    total: int
    entries: list[EntryOut]
    waiting: list[EntryOut] = []
    before: str | None
    after: str | None

    @classmethod
    def of(cls, board: BoardName, page: Page, waiting: list[Entry] | None = None) -> PageOut:
        """The JSON of a page, with those that wait."""
        return cls(
            board=board,
            total=page.total,
            entries=[EntryOut.of(entry) for entry in page.entries],
            waiting=[EntryOut.of(entry) for entry in waiting or []],
            before=page.before,
            after=page.after,
        )


class BoardFrame(PageOut):
    """What the live board sends: its first page as it is now."""

    type: str = "board"
    deal: int
