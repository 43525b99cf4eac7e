"""Board entries: adding, listing and removing results. Every change to a deal's boards goes through here.

A change happens in the caller's transaction, under the lock of the deal's boards. The histogram and the version change
with it, and the board's watchers are notified after the commit.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from django.db import transaction
from django.utils import timezone

from games.core.events import notifier, request_task
from games.core.ladders import Ladder
from games.db.players import Player
from games.db.statements import Statement, run_in_order, stored
from games.models import Attempt
from leaderboards.boards import histogram
from leaderboards.boards.listings import deal_listing, deal_listings, set_score
from leaderboards.boards.rank_keys import DEAL, BoardScore
from leaderboards.models import DealBoard, Recount, Result

ALL_BOARDS: Final = "boards"
"""Channel group for changes that may affect any board."""
GROUPS: Final = 16
"""Number of channel groups that all deals are spread over."""

RECOUNT_EVERY: Final = 1.0  # s between two requests of one process
RECOUNT_DELAY: Final = 2.0  # s until a request is served: later than every commit it covers

_RAISE_VERSION: Final = (
    "INSERT INTO {table} (deal_id, version) VALUES (%s, 1) "
    "ON CONFLICT (deal_id) DO UPDATE SET version = {table}.version + 1"
)
_COLUMNS: Final = (
    "attempt_id",
    "deal_id",
    "player_id",
    "cards_up",
    "elapsed_ms",
    "tokens",
    "progress_ms",
    "finished_at",
    "race_key",
    "fewest_key",
    "listed",
    "ladder",
)
_INSERT: Final = (
    f"INSERT INTO {Result._meta.db_table} ({', '.join(_COLUMNS)}) "  # noqa: S608 - names of our own
    f"VALUES ({', '.join(['%s'] * len(_COLUMNS))}) RETURNING id"
)
_LAST_ID: Final = 2**63 - 1
# An upsert, so that the mark stays locked until this transaction commits and no recount reads it earlier.
_MARK: Final = (
    "INSERT INTO {table} (player_id, day, marked_at) VALUES (%s, %s, %s) "
    "ON CONFLICT (player_id, day) DO UPDATE SET marked_at = EXCLUDED.marked_at, failed_at = NULL"
)


def result_of(attempt: Attempt, player: Player, score: BoardScore) -> Result:
    """Return an unsaved result of a verified attempt."""
    assert attempt.finished_at is not None  # a table constraint
    result = Result(attempt=attempt, deal=attempt.deal, finished_at=attempt.finished_at, player_id=player.pk)
    if attempt.ladder is not None:
        result.ladder = attempt.ladder
    set_score(result, score, DEAL)
    return result


def add(result: Result, *, listed: bool) -> int | None:
    """Save a new `result`, listed or not, and return its race rank if it has one.

    The caller holds the lock on the player's row, so that the player's right to be listed cannot change concurrently.
    """
    return add_all([(result, listed)])[0]


def add_all(results: Sequence[tuple[Result, bool]]) -> list[int | None]:
    """`add` the results in order, in one round trip to the database, and return their race ranks.

    The results are sorted by deal, so that two callers cannot deadlock.
    """
    groups = [_insert_statements(result, listed=listed) for result, listed in results]
    found = iter(run_in_order([statement for group in groups for statement in group]) if groups else ())
    ranks: list[int | None] = []
    for (result, listed), group in zip(results, groups, strict=True):
        rows = [next(found) for _ in group]
        result.pk = int(rows[0][0][0])
        ranks.append(int(rows[-1][0][0]) if listed else None)
        if listed:
            transaction.on_commit(partial(announce, result.deal_id))
    return ranks


def _insert_statements(result: Result, *, listed: bool) -> list[Statement]:
    """Return the statements for `add`. The first returns the new id; the last, of a listed result, its rank."""
    result.listed = listed
    values = [getattr(result, column) for column in _COLUMNS]
    statements: list[Statement] = [(_INSERT, [stored(value) for value in values])]
    if listed:
        statements += [_version_statement(result.deal_id), *_count_statements(result, 1)]
        race = deal_listing(result.deal_id, "race", Ladder(result.ladder))
        # The new id is the largest, so the entry ranks last among ties.
        place = (*race.position(result)[:-1], _LAST_ID)
        sql, params = histogram.ahead_sql(race, place, inclusive=True)
        statements.append((f"SELECT {sql}", params))
    return statements


def set_listed(result: Result, *, listed: bool) -> None:
    """Save the `player` and `listed` fields of a `result`. Scores never change: another score is another result.

    The caller holds the lock on the player's row, so that the player's right to be listed cannot change concurrently.
    """
    shown = Result.objects.filter(pk=result.pk, listed=True).exists()
    result.listed = listed
    result.save(update_fields=["player", "listed"])
    if shown != listed:
        run_in_order([_version_statement(result.deal_id), *_count_statements(result, 1 if listed else -1)])
        transaction.on_commit(partial(announce, result.deal_id))
        transaction.on_commit(partial(request_task, "talon.hold_risen", result.deal_id))


def remove(result: Result) -> None:
    """Remove `result` from its boards and delete it."""
    set_listed(result, listed=False)
    result.delete()


def recount_board(deal_id: int) -> None:
    """Rebuild the counts of a deal's boards."""
    with transaction.atomic():
        run_in_order([_version_statement(deal_id)])
        for listing in deal_listings(deal_id):
            histogram.rebuild(listing)


def _version_statement(deal_id: int) -> Statement:
    """Lock a deal's boards until the end of the transaction, and raise their version."""
    return _RAISE_VERSION.format(table=DealBoard._meta.db_table), [deal_id]


def _count_statements(result: Result, step: int) -> list[Statement]:
    """Count the entry, and mark the player's standings in the seasons and the nine of the day as stale."""
    listings = deal_listings(result.deal_id, Ladder(result.ladder))
    keys = ((listing, getattr(result, listing.layout.key)) for listing in listings)
    statements = histogram.count_statements((listing, key, step) for listing, key in keys if key is not None)
    if result.deal.day is not None:
        day = stored(result.deal.day)
        mark = _MARK.format(table=Recount._meta.db_table)
        statements.append((mark, [result.player_id, day, stored(timezone.now())]))
    return statements


def announce(deal_id: int) -> None:
    """Notify the watchers and request a recount of the seasons; called after the commit."""
    notify_watchers(deal_id)
    _request_recount()


def notify_watchers(deal_id: int) -> None:
    """Notify all watchers of the deal's boards that they have changed."""
    notifier.send(board_group(deal_id), {"type": "board.changed", "deal": deal_id}, about=deal_id)


def notify_all_watchers() -> None:
    """Notify all watchers of any board that it may have changed, for example after a player's name has."""
    notifier.send(ALL_BOARDS, {"type": "board.changed"})


def board_group(deal_id: int) -> str:
    """Return the channel group for changes to a deal's boards; all deals share a few, which processes never leave."""
    return f"boards.{deal_id % GROUPS}"


_recount_requested = -RECOUNT_EVERY


def _request_recount() -> None:
    """Request a recount of the seasons soon; one request covers all changes of the next second."""
    global _recount_requested  # noqa: PLW0603 - a process-wide pace
    now = time.monotonic()
    if now - _recount_requested < RECOUNT_EVERY:
        return
    _recount_requested = now
    request_task("talon.recount", countdown=RECOUNT_DELAY)  # if the task is lost, the sweep recounts
