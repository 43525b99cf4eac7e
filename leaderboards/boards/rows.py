"""Board pages: entries, pages, and signed cursors between pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from django.core import signing

from games.core.errors import ErrorCode, Refusal
from games.core.ladders import Ladder
from leaderboards.boards.listings import Listing, Position

Status = Literal["verified", "pending", "review"]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SALT: Final = "board-cursor"


class CursorError(Refusal):
    """Raised for a cursor that does not belong to this board."""

    def __init__(self, message: str) -> None:
        super().__init__(ErrorCode.BAD_CURSOR, message)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """Line of a board; `leaderboards.boards.listing_queries` has the SQL of each field.

    A pending entry has no rank, and its figures are not known yet. A former player's account is deleted; the displayed
    name is the site's own and can be translated. Only ranked entries of a deal have a ladder and a progress time, and
    only entries of the nine of a day have points.
    """

    player: UUID
    name: str
    is_former: bool
    finished_at: datetime
    rank: int | None = None
    cards_up: int | None = None
    elapsed_ms: int | None = None
    tokens: int | None = None
    progress_ms: int | None = None
    status: Status = "verified"
    attempt: UUID | None = None
    deals: int | None = None
    points: int | None = None
    ladder: Ladder | None = None
    position: Position = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class BoardPage:
    """Page of a board. `before` and `after` are the cursors of the neighbouring pages, None at the ends.

    `ladder` is the ladder of the entries; except for the nine of a day, seasons are of the established one.
    """

    entries: list[BoardRow]
    total: int
    before: str | None = None
    after: str | None = None
    ladder: Ladder = Ladder.ESTABLISHED


@dataclass(frozen=True, slots=True)
class Cursor:
    """Place between two entries, and the direction to read in."""

    position: Position
    backwards: bool

    def text(self, listing: Listing) -> str:
        """Serialise the cursor for clients: opaque, signed, valid for this listing only."""
        values = [micros(value) if isinstance(value, datetime) else value for value in self.position]
        return signing.Signer(salt=_SALT).sign_object([*_names(listing), int(self.backwards), *values])


def read_cursor(text: str, listing: Listing) -> Cursor:
    """Parse a cursor that `Cursor.text` serialised for `listing`.

    :raises CursorError: for any other text.
    """
    try:
        scope_column, scope, board, backwards, *values = signing.Signer(salt=_SALT).unsign_object(text)
    except (signing.BadSignature, ValueError, TypeError):
        raise CursorError("This is not a page of a board.") from None
    if [scope_column, scope, board] != _names(listing):
        raise CursorError("This is a page of another board.")
    position = tuple(
        moment(value) if column == "finished_at" else value
        for column, value in zip(listing.columns, values, strict=True)
    )
    return Cursor(position, bool(backwards))


def _names(listing: Listing) -> list[Any]:
    return [listing.scope_column, listing.scope, listing.code]


def micros(when: datetime) -> int:
    """Convert a datetime to microseconds since 1970, an exact integer."""
    return (when - _EPOCH) // timedelta(microseconds=1)


def moment(when: int) -> datetime:
    """Convert the result of `micros` back to a datetime."""
    return _EPOCH + timedelta(microseconds=when)


def with_cursors(page: BoardPage, listing: Listing) -> BoardPage:
    """Return the page with the cursors of its neighbours, if it has any."""
    if not page.entries:
        return page
    first, last = page.entries[0], page.entries[-1]
    more = (last.rank or 0) < page.total
    return replace(
        page,
        before=Cursor(first.position, backwards=True).text(listing) if (first.rank or 0) > 1 else None,
        after=Cursor(last.position, backwards=False).text(listing) if more else None,
    )
