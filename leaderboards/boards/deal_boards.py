"""Queries for the boards of a deal: pages, neighbours, ranks, friends, and pending attempts.

Everything is read from the database, except that the first page and the pending attempts, which all visitors see, are
cached for about a second.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from games.core.ladders import Ladder
from games.db.players import Player
from games.db.shared_cache import SharedCache
from games.models import Attempt, Deal
from leaderboards.boards import histogram, listing_queries
from leaderboards.boards.listings import Listing, deal_listing
from leaderboards.boards.rank_keys import BoardName
from leaderboards.boards.rows import BoardPage, BoardRow, Cursor, Status, read_cursor, with_cursors

PAGE_SIZE: Final = 50
MAX_PAGE_SIZE: Final = 100
AROUND: Final = 5
FRIENDS_SHOWN: Final = 200
WAITING_SHOWN: Final = 50

#: Caches of first pages and pending attempts, shared by all visitors for about a second.
first_pages: Final = SharedCache("first_pages", BoardPage, fresh=1.0)
pending: Final = SharedCache("pending", list[BoardRow], fresh=1.0)

_WAITING_STATES: Final = (Attempt.State.PENDING, Attempt.State.REVIEW)


def page(
    deal: Deal,
    board: BoardName = "race",
    cursor: str | None = None,
    limit: int = PAGE_SIZE,
    ladder: Ladder | None = None,
) -> BoardPage:
    """Return a page of a deal's board: the first, or the one at a cursor; by default of the ladder shown first.

    :raises CursorError: if the cursor is not one of this board's.
    """
    return page_of(deal_listing(deal.pk, board, ladder or first_ladder(deal, board)), cursor, limit)


def first_ladder(deal: Deal, board: BoardName = "race") -> Ladder:
    """Return the ladder a deal's page shows first: established, or newcomers if the established ladder is empty."""
    return next((ladder for ladder in Ladder if _has_entries(deal, board, ladder)), Ladder.ESTABLISHED)


def has_ladders(deal: Deal) -> bool:
    """Return whether a deal's page shows ladders: the rule is in force, or was when results were ranked."""
    return settings.LADDERS or _has_entries(deal, "race", Ladder.NEWCOMERS)


def _has_entries(deal: Deal, board: BoardName, ladder: Ladder) -> bool:
    return _first_page(deal_listing(deal.pk, board, ladder)).total > 0


def page_of(listing: Listing, cursor: str | None, limit: int) -> BoardPage:
    """Return a page of any listing.

    :raises CursorError: if the cursor is not one of this listing's.
    """
    limit = max(1, min(limit, MAX_PAGE_SIZE))
    if cursor:
        found = sql_page(listing, read_cursor(cursor, listing), limit)
    elif limit > PAGE_SIZE:
        found = sql_page(listing, None, limit)
    else:
        first = _first_page(listing)
        found = replace(first, entries=first.entries[:limit])
    return with_cursors(found, listing)


def _first_page(listing: Listing) -> BoardPage:
    return first_pages.get(_page_key(listing), lambda: sql_page(listing, None, PAGE_SIZE))


def sql_page(listing: Listing, place: Cursor | None, limit: int) -> BoardPage:
    """Read a page from the database, without cursors."""
    if place is None:
        found = listing_queries.first_entries(listing, limit)
    else:
        found = listing_queries.entries_beside(listing, place.position, limit, backwards=place.backwards)
    total = found.total if found.entries else histogram.total(listing)
    return BoardPage(found.entries, total, ladder=listing.ladder or Ladder.ESTABLISHED)


def opening(deal: Deal, board: BoardName, ladder: Ladder | None = None) -> tuple[BoardPage, list[BoardRow]]:
    """Read the first page and the pending attempts now, and refresh the caches with them.

    Without a ladder, the page is of the established one, or of the newcomers' if the established one is empty.
    """
    listings = [deal_listing(deal.pk, board, option) for option in ([ladder] if ladder else Ladder)]
    read = {
        listing: first_pages.renew(_page_key(listing), partial(sql_page, listing, None, PAGE_SIZE))
        for listing in listings
    }
    listing = next((candidate for candidate, first in read.items() if first.total), listings[0])
    return with_cursors(read[listing], listing), pending.renew(str(deal.pk), lambda: sql_waiting(deal))


def around(deal: Deal, board: BoardName, player: Player, span: int = AROUND) -> list[BoardRow]:
    """Return the player's entry on its ladder with up to `span` on each side; empty if the player is not listed."""
    return listing_queries.entries_around(deal_listing(deal.pk, board, None), player.pk, span)


def rank_of(deal: Deal, board: BoardName, player: Player) -> int | None:
    """Return the player's rank from 1 on its ladder, or None if the player is not listed."""
    return listing_queries.rank_of(deal_listing(deal.pk, board, None), player.pk)


def friends(deal: Deal, board: BoardName, player: Player) -> list[BoardRow]:
    """Return the player and the players they follow, ranked among themselves across ladders."""
    return friends_of(deal_listing(deal.pk, board, None), player)


def friends_of(listing: Listing, player: Player) -> list[BoardRow]:
    """Return the player and the players they follow on any listing, ranked among themselves."""
    return listing_queries.entries_of(listing, [player.pk, *followed(player.pk)], FRIENDS_SHOWN)


def followed(player_id: int) -> set[int]:
    """Return the ids of the players that a player follows."""
    return set(get_user_model().objects.filter(followers__follower=player_id).values_list("pk", flat=True))


def waiting(deal: Deal) -> list[BoardRow]:
    """Return the pending attempts at a deal, earliest finish first; they have no rank yet."""
    return pending.get(str(deal.pk), lambda: sql_waiting(deal))


def sql_waiting(deal: Deal) -> list[BoardRow]:
    """Read the pending attempts from the database."""
    return [
        _waiting_entry(attempt) for attempt in _waiting_attempts(deal).order_by("finished_at", "id")[:WAITING_SHOWN]
    ]


def standing_of(deal: Deal, board: BoardName, player: Player) -> BoardRow | None:
    """Return the entry of the player's ranked attempt, ranked or pending; None if there is none."""
    for entry in around(deal, board, player, 0):
        return entry
    for attempt in _waiting_attempts(deal).filter(player=player.pk):
        return _waiting_entry(attempt)
    return None


def _page_key(listing: Listing) -> str:
    return f"{listing.scope_column}.{listing.scope}.{listing.code}"


def _waiting_attempts(deal: Deal) -> QuerySet[Attempt]:
    listed = get_user_model().objects.listed_at("player")
    waiting = Attempt.objects.filter(listed, deal=deal, ranked=True, state__in=_WAITING_STATES)
    return waiting.select_related("player").defer("record", "decisions_digest").order_by("finished_at", "id")


def _waiting_entry(attempt: Attempt) -> BoardRow:
    player: Any = attempt.player
    assert attempt.finished_at is not None  # a table constraint
    return BoardRow(
        player=player.public_id,
        name=player.display_name,
        is_former=player.is_former,
        finished_at=attempt.finished_at,
        status=cast("Status", attempt.state),
        attempt=attempt.public_id,
    )
