"""Listing a result on its boards and taking it off: every change to what a deal's boards show goes through here.

A change happens inside the caller's transaction, under the lock of the deal's boards; the histogram and the version
change with it, and after the commit the cache and everybody looking at the board are told.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from celery import current_app
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from django.utils import timezone

from games.events import notifier
from games.statements import Statement, run_in_order, stored
from leaderboards import histogram
from leaderboards.cache import Change, appeared, board_cache, left
from leaderboards.ladders import deal_ladder, deal_ladders
from leaderboards.models import DealBoard, Recount, Result

log = logging.getLogger(__name__)

RECOUNT_EVERY: Final = 1.0  # s between two requests of one process
RECOUNT_DELAY: Final = 2.0  # s until a request is served: later than every commit it stands for

_RAISE_VERSION: Final = (
    "INSERT INTO {table} (deal_id, version) VALUES (%s, 1) "
    "ON CONFLICT (deal_id) DO UPDATE SET version = {table}.version + 1 RETURNING version"
)
_COLUMNS: Final = (
    "attempt_id",
    "deal_id",
    "player_id",
    "cards_up",
    "elapsed_ms",
    "tokens",
    "finished_at",
    "race_key",
    "fewest_key",
    "listed",
)
_INSERT: Final = (
    f"INSERT INTO {Result._meta.db_table} ({', '.join(_COLUMNS)}) "  # noqa: S608 - names of our own
    f"VALUES ({', '.join(['%s'] * len(_COLUMNS))}) RETURNING id"
)
_LAST_ID: Final = 2**63 - 1
# An update, so that the mark stays locked until this transaction commits and no recount takes it before.
_MARK: Final = (
    "INSERT INTO {table} (player_id, day, marked_at) VALUES (%s, %s, %s) "
    "ON CONFLICT (player_id, day) DO UPDATE SET marked_at = EXCLUDED.marked_at"
)


def raise_version(deal_id: int) -> int:
    """Lock a deal's boards until the end of the transaction; the version this transaction makes of them."""
    (((version,),),) = run_in_order([_raising(deal_id)])
    return int(version)


def add(result: Result, *, listed: bool) -> int | None:
    """Save a new `result`, listed or not; its race rank, if it has one.

    The caller holds the player's row, so that who may be listed does not change meanwhile.
    """
    return add_all([(result, listed)])[0]


def add_all(results: Sequence[tuple[Result, bool]]) -> list[int | None]:
    """`add` each of the results in order, with one exchange for all; their race ranks.

    The results of a deal follow each other and the deals ascend, so that two callers never wait for each other.
    """
    groups = [_adding(result, listed=listed) for result, listed in results]
    found = iter(run_in_order([statement for group in groups for statement in group]) if groups else ())
    ranks: list[int | None] = []
    for (result, listed), group in zip(results, groups, strict=True):
        rows = [next(found) for _ in group]
        result.pk, version = int(rows[0][0][0]), int(rows[1][0][0])
        transaction.on_commit(partial(announce, result.deal_id, version, _appeared(result) if listed else None))
        ranks.append(int(rows[-1][0][0]) if listed else None)
    return ranks


def _adding(result: Result, *, listed: bool) -> list[Statement]:
    """Statements that return first the result's new id, then the boards' new version, at last the rank if listed."""
    result.listed = listed
    values = [getattr(result, column) for column in _COLUMNS]
    statements: list[Statement] = [(_INSERT, [stored(value) for value in values]), _raising(result.deal_id)]
    if listed:
        statements += _counting(result, 1)
        race = deal_ladder(result.deal_id, "race")
        # The new id is the largest of all, so among its equals the entry is the last.
        place = (*race.position(result)[:-1], _LAST_ID)
        sql, params = histogram.ahead_sql(race, place, inclusive=True)
        statements.append((f"SELECT {sql}", params))
    return statements


def set_listed(result: Result, *, listed: bool) -> None:
    """Save the player of a `result` and whether it is listed. Its score never changes: another one is another result.

    The caller holds the player's row, so that who may be listed does not change meanwhile.
    """
    shown = Result.objects.filter(pk=result.pk, listed=True).exists()
    result.listed = listed
    result.save(update_fields=["player", "listed"])
    # The version is raised also by a change that no board shows: it counts up without gaps, and the cache follows it.
    statements = [_raising(result.deal_id)]
    change: Change | None = None
    if shown != listed:
        statements += _counting(result, 1 if listed else -1)
        change = _appeared(result) if listed else left(result)
    version = int(run_in_order(statements)[0][0][0])
    transaction.on_commit(partial(announce, result.deal_id, version, change))


def show_again(result: Result) -> None:
    """Have a listed result shown anew, as its player's name is another now."""
    version = raise_version(result.deal_id)
    if Result.objects.filter(pk=result.pk, listed=True).exists():
        transaction.on_commit(partial(announce, result.deal_id, version, _appeared(result)))
    else:
        transaction.on_commit(partial(announce, result.deal_id, version, None))


def _appeared(result: Result) -> Change:
    player = result.player
    return appeared(result, result.attempt.public_id, player.public_id, player.display_name)


def remove(result: Result) -> None:
    """Take `result` off its boards and delete it."""
    set_listed(result, listed=False)
    result.delete()


def recount_board(deal_id: int) -> None:
    """Count the entries of a deal's boards anew."""
    with transaction.atomic():
        version = raise_version(deal_id)
        for ladder in deal_ladders(deal_id):
            histogram.rebuild(ladder)
        transaction.on_commit(partial(announce, deal_id, version, None))


def _raising(deal_id: int) -> Statement:
    return _RAISE_VERSION.format(table=DealBoard._meta.db_table), [deal_id]


def _counting(result: Result, step: int) -> list[Statement]:
    """Count the entry, and note that the player's standings in the seasons of the deal's day are out of date."""
    ladders = deal_ladders(result.deal_id)
    statements = histogram.counting((ladder, getattr(result, ladder.layout.key), step) for ladder in ladders)
    if result.deal.day is not None:
        day = connection.ops.adapt_datefield_value(result.deal.day)
        mark = _MARK.format(table=Recount._meta.db_table)
        statements.append((mark, [result.player_id, day, stored(timezone.now())]))
    return statements


def announce(deal_id: int, version: int, change: Change | None) -> None:
    """After the commit: bring the cache up to `version` and wake the watchers."""
    cached = board_cache()
    if cached is not None:
        cached.apply(deal_id, version, change)
    if change is not None:
        tell_watchers(deal_id)
        _request_recount()


def tell_watchers(deal_id: int) -> None:
    """Say to everybody looking at the deal's boards that they have changed."""
    notifier.send(f"board.{deal_id}", {"type": "board.changed", "deal": deal_id})


_recount_requested = -RECOUNT_EVERY


def _request_recount() -> None:
    """Have the seasons follow in a moment; one request covers every change of the next second."""
    global _recount_requested  # noqa: PLW0603 - a process-wide pace
    now = time.monotonic()
    if now - _recount_requested < RECOUNT_EVERY:
        return
    _recount_requested = now
    try:
        current_app.send_task("talon.recount", countdown=RECOUNT_DELAY, retry=False)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the broker's transport raises; the sweep recounts too
        log.warning("a recount could not be requested: %s", error)
