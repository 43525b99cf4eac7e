"""Reading the boards of a deal: pages, the entries around a player, a player's rank, friends, and who is still waiting.

Pages, ranks and neighbourhoods come from the cache where there is one and from SQL otherwise, with the same outcome.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from games.models import Attempt, Deal
from leaderboards import histogram, reading
from leaderboards.cache import board_cache
from leaderboards.keys import BoardName
from leaderboards.ladders import Ladder, deal_ladder
from leaderboards.pages import Cursor, Entry, Page, Status, read_cursor, with_cursors
from leaderboards.players import Player

PAGE_SIZE: Final = 50
MAX_PAGE_SIZE: Final = 100
AROUND: Final = 5
FRIENDS_SHOWN: Final = 200
MOST_FOLLOWED: Final = 2_000
WAITING_SHOWN: Final = 50

_WAITING_STATES: Final = (Attempt.State.PENDING, Attempt.State.REVIEW)


def page(deal: Deal, board: BoardName = "race", cursor: str | None = None, limit: int = PAGE_SIZE) -> Page:
    """A page of a deal's board: the first one, or the one a cursor leads to.

    :raises CursorError: for a cursor that is none of this board's.
    """
    ladder = deal_ladder(deal.pk, board)
    place = read_cursor(cursor, ladder) if cursor else None
    limit = max(1, min(limit, MAX_PAGE_SIZE))
    cached = board_cache()
    found: Page | None = None
    if cached is not None and place is None:
        found = cached.page(deal.pk, board, 0, limit)
    elif cached is not None and place is not None:
        found = cached.beside(deal.pk, board, place.position, limit, backwards=place.backwards)
    return with_cursors(found or sql_page(ladder, place, limit), ladder)


def sql_page(ladder: Ladder, place: Cursor | None, limit: int) -> Page:
    """A page as the database has it."""
    if place is None:
        found = reading.first_entries(ladder, limit)
    else:
        found = reading.entries_beside(ladder, place.position, limit, backwards=place.backwards)
    return Page(found.entries, found.total if found.entries else histogram.total(ladder))


def around(deal: Deal, board: BoardName, player: Player, span: int = AROUND) -> list[Entry]:
    """The player's entry with up to `span` entries before and after it; empty when the player is not listed."""
    cached = board_cache()
    found = cached.around(deal.pk, board, player.pk, span) if cached is not None else None
    return found.entries if found is not None else reading.entries_around(deal_ladder(deal.pk, board), player.pk, span)


def rank_of(deal: Deal, board: BoardName, player: Player) -> int | None:
    """The player's rank, from 1; None when the player is not listed."""
    cached = board_cache()
    found = cached.rank(deal.pk, board, player.pk) if cached is not None else None
    if found is not None:
        return found or None
    return sql_rank(deal_ladder(deal.pk, board), player)


def sql_rank(ladder: Ladder, player: Player) -> int | None:
    """The player's rank as the database has it."""
    found = reading.position_and_rank(ladder, player.pk)
    return None if found is None else found[1]


def friends(deal: Deal, board: BoardName, player: Player) -> list[Entry]:
    """The player and whom the player follows, ranked among themselves."""
    return friends_of(deal_ladder(deal.pk, board), player)


def friends_of(ladder: Ladder, player: Player) -> list[Entry]:
    """The player and whom the player follows on any ladder, ranked among themselves."""
    followed = get_user_model().objects.filter(followers__follower=player.pk).values_list("pk", flat=True)
    return reading.entries_of(ladder, [player.pk, *followed[:MOST_FOLLOWED]], FRIENDS_SHOWN)


def waiting(deal: Deal, limit: int = WAITING_SHOWN) -> list[Entry]:
    """The attempts at a deal that wait for their verdict, earliest finish first; they have no rank yet."""
    return [_waiting_entry(*row) for row in _waiting_rows(deal).order_by("finished_at", "id")[:limit]]


def standing_of(deal: Deal, board: BoardName, player: Player) -> Entry | None:
    """Where the player's own ranked attempt stands: ranked, or still waiting; None when there is none."""
    for entry in reading.entries_around(deal_ladder(deal.pk, board), player.pk, 0):
        return entry
    for row in _waiting_rows(deal).filter(player=player.pk):
        return _waiting_entry(*row)
    return None


def _waiting_rows(deal: Deal) -> QuerySet[Attempt, tuple[Any, ...]]:
    return Attempt.objects.filter(
        deal=deal, ranked=True, state__in=_WAITING_STATES, player__is_guest=False, player__banned_at=None
    ).values_list("player__public_id", "player__display_name", "finished_at", "state", "public_id")


def _waiting_entry(player: UUID, name: str, finished_at: datetime, state: Status, attempt: UUID) -> Entry:
    return Entry(None, player, name, None, None, None, finished_at, state, attempt)
