"""Reads the boards of a deal: pages, the entries around a player, a player's rank, friends, and pending attempts.

Everything is read from the database, except that the first page and the pending attempts, which everybody looks at, are
shared for about a second.
"""

from __future__ import annotations

import zlib
from dataclasses import fields, replace
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from games.models import Attempt, Deal
from games.players import Player
from games.readings import SharedCopies
from leaderboards import histogram, reading
from leaderboards.keys import BoardName
from leaderboards.ladders import Ladder, deal_ladder
from leaderboards.pages import Cursor, Entry, Page, read_cursor, with_cursors

PAGE_SIZE: Final = 50
MAX_PAGE_SIZE: Final = 100
AROUND: Final = 5
FRIENDS_SHOWN: Final = 200
WAITING_SHOWN: Final = 50

#: For about a second all see the same first page, and the same who wait.
copies: Final = SharedCopies(fresh=1.0)

# Part of the cache key, so that two releases with different fields do not read each other's copies.
_SHAPE: Final = zlib.crc32(repr([field.name for field in fields(Entry)]).encode())
_WAITING_STATES: Final = (Attempt.State.PENDING, Attempt.State.REVIEW)


def page(deal: Deal, board: BoardName = "race", cursor: str | None = None, limit: int = PAGE_SIZE) -> Page:
    """A page of a deal's board: the first, or the one that a cursor leads to.

    :raises CursorError: for a cursor that is not one of this board's.
    """
    return page_of(deal_ladder(deal.pk, board), cursor, limit)


def page_of(ladder: Ladder, cursor: str | None, limit: int) -> Page:
    """A page of any ladder.

    :raises CursorError: for a cursor that is not one of this ladder's.
    """
    limit = max(1, min(limit, MAX_PAGE_SIZE))
    if cursor:
        found = sql_page(ladder, read_cursor(cursor, ladder), limit)
    elif limit > PAGE_SIZE:
        found = sql_page(ladder, None, limit)
    else:
        first = copies.get(_page_key(ladder), lambda: sql_page(ladder, None, PAGE_SIZE))
        found = replace(first, entries=first.entries[:limit])
    return with_cursors(found, ladder)


def sql_page(ladder: Ladder, place: Cursor | None, limit: int) -> Page:
    """A page read from the database, without cursors."""
    if place is None:
        found = reading.first_entries(ladder, limit)
    else:
        found = reading.entries_beside(ladder, place.position, limit, backwards=place.backwards)
    return Page(found.entries, found.total if found.entries else histogram.total(ladder))


def opening(deal: Deal, board: BoardName) -> tuple[Page, list[Entry]]:
    """The first page and the pending attempts, read now; others share this reading for the next second."""
    ladder = deal_ladder(deal.pk, board)
    first = copies.renew(_page_key(ladder), lambda: sql_page(ladder, None, PAGE_SIZE))
    return with_cursors(first, ladder), copies.renew(_waiting_key(deal), lambda: sql_waiting(deal))


def around(deal: Deal, board: BoardName, player: Player, span: int = AROUND) -> list[Entry]:
    """The player's entry with up to `span` entries before and after it; empty when the player is not listed."""
    return reading.entries_around(deal_ladder(deal.pk, board), player.pk, span)


def rank_of(deal: Deal, board: BoardName, player: Player) -> int | None:
    """The player's rank from 1, or None when the player is not listed."""
    return reading.rank_of(deal_ladder(deal.pk, board), player.pk)


def friends(deal: Deal, board: BoardName, player: Player) -> list[Entry]:
    """The player and the players they follow, ranked among themselves."""
    return friends_of(deal_ladder(deal.pk, board), player)


def friends_of(ladder: Ladder, player: Player) -> list[Entry]:
    """The player and the players they follow on any ladder, ranked among themselves."""
    followed = get_user_model().objects.filter(followers__follower=player.pk).values_list("pk", flat=True)
    return reading.entries_of(ladder, [player.pk, *followed], FRIENDS_SHOWN)


def waiting(deal: Deal) -> list[Entry]:
    """The pending attempts at a deal, earliest finish first; they have no rank yet."""
    return copies.get(_waiting_key(deal), lambda: sql_waiting(deal))


def sql_waiting(deal: Deal) -> list[Entry]:
    """The pending attempts, read from the database."""
    return [_waiting_entry(row) for row in _waiting_rows(deal).order_by("finished_at", "id")[:WAITING_SHOWN]]


def standing_of(deal: Deal, board: BoardName, player: Player) -> Entry | None:
    """The entry of the player's ranked attempt, ranked or pending; None when there is none."""
    for entry in reading.entries_around(deal_ladder(deal.pk, board), player.pk, 0):
        return entry
    for row in _waiting_rows(deal).filter(player=player.pk):
        return _waiting_entry(row)
    return None


def _page_key(ladder: Ladder) -> str:
    return f"page.{_SHAPE}.{ladder.scope_column}.{ladder.scope}.{ladder.layout.name}"


def _waiting_key(deal: Deal) -> str:
    return f"waiting.{_SHAPE}.{deal.pk}"


def _waiting_rows(deal: Deal) -> QuerySet[Attempt, tuple[Any, ...]]:
    listed = get_user_model().objects.listed_at("player")
    return Attempt.objects.filter(listed, deal=deal, ranked=True, state__in=_WAITING_STATES).values_list(
        "player__public_id", "player__display_name", "player__deleted_at", "finished_at", "state", "public_id"
    )


def _waiting_entry(row: tuple[Any, ...]) -> Entry:
    player, name, deleted_at, finished_at, state, attempt = row
    return Entry(None, player, name, None, None, None, finished_at, state, attempt, is_former=deleted_at is not None)
