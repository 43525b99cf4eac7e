"""Daily overview: the leader of each deal and of the nine, and a player's rank on all of them.

The home page shows it, so it takes a few statements for all nine deals together.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any, Final

from django.contrib.auth import get_user_model

from games.core.ladders import Ladder, LadderSlug
from games.daily.day_places import DayBoards, Leader, OwnPlaces, Place
from games.db.statements import Statement, read_time, run_in_order
from games.models import Attempt
from leaderboards.boards import seasons
from leaderboards.boards.histogram import ahead_sql
from leaderboards.boards.listing_queries import read_uuid
from leaderboards.boards.listings import deal_listing, season_listing
from leaderboards.boards.rows import BoardRow
from leaderboards.models import Result, Standing

#: Number of the nine's leaders that are named.
BEST: Final = 3

_RACE: Final = "race_key, finished_at, id"


def of_day(day: date, deals: Collection[int]) -> DayBoards:
    """Return the leader of each deal and the best of the nine: established, or newcomers if no established player is
    listed.
    """
    nines = seasons.nines_of(day)
    ladder = seasons.first_ladder(nines)
    page = seasons.page(nines.get(ladder), limit=BEST)
    return DayBoards(
        leaders=_leaders(deals),
        best=tuple(_leader(entry) for entry in page.entries),
        players=page.total,
        ladder=ladder.slug,
        nines={key.slug: season.pk for key, season in nines.items()},
    )


def _leader(entry: BoardRow) -> Leader:
    return Leader(entry.player, entry.name, entry.is_former, entry.points or 0, entry.elapsed_ms or 0)


def _leaders(deals: Collection[int]) -> dict[int, Leader]:
    """Return the first entry of each deal's board, in one statement."""
    if not deals:
        return {}
    first = (
        "SELECT * FROM (SELECT deal_id, ladder, player_id, attempt_id, cards_up, elapsed_ms "  # noqa: S608
        f"FROM {Result._meta.db_table} "
        f"WHERE deal_id = %s AND ladder = %s AND listed ORDER BY {_RACE} LIMIT 1) part"
    )
    boards = [(deal, int(ladder)) for deal in deals for ladder in Ladder]
    sql = (
        "SELECT e.deal_id, p.public_id, p.display_name, p.deleted_at IS NOT NULL, a.public_id, "  # noqa: S608
        "e.cards_up, e.elapsed_ms "
        f"FROM ({' UNION ALL '.join([first] * len(boards))}) e "
        f"JOIN {get_user_model()._meta.db_table} p ON p.id = e.player_id "
        f"JOIN {Attempt._meta.db_table} a ON a.id = e.attempt_id ORDER BY e.ladder DESC"
    )
    (rows,) = run_in_order([(sql, [figure for board in boards for figure in board])])
    return {
        deal: Leader(read_uuid(player), name, bool(former), cards_up, elapsed_ms, read_uuid(game))
        for deal, player, name, former, game, cards_up, elapsed_ms in rows
    }


def own(player_id: int, deals: Collection[int], shown: DayBoards) -> OwnPlaces:
    """Return a player's ranks on the boards of these deals, and on those of the nine in `shown`."""
    rows, sums = _own_rows(player_id, deals, list(shown.nines.values()))
    ladders: dict[int, LadderSlug] = {season: slug for slug, season in shown.nines.items()}
    queries: list[tuple[int | None, LadderSlug, Statement]] = []
    for deal, ladder, key, finished_at, pk in rows:
        listing = deal_listing(deal, "race", Ladder(ladder))
        queries.append((deal, Ladder(ladder).slug, ahead_sql(listing, (key, read_time(finished_at), pk))))
    for season, *key, finished_at, pk in sums:
        position = (*key, read_time(finished_at), pk)
        queries.append((None, ladders[season], ahead_sql(season_listing(season, "race"), position)))
    if not queries:
        return OwnPlaces()
    columns = ", ".join(f"({sql})" for _, _, (sql, _) in queries)
    ((ranks,),) = run_in_order([(f"SELECT {columns}", [param for _, _, (_, params) in queries for param in params])])
    places = {deal: Place(int(n) + 1, slug) for (deal, slug, _), n in zip(queries, ranks, strict=True)}
    nine = places.pop(None, None)
    return OwnPlaces({deal: place for deal, place in places.items() if deal is not None}, nine)


def _own_rows(player_id: int, deals: Collection[int], nines: list[int]) -> list[list[tuple[Any, ...]]]:
    """Return the player's results at these deals, and the sums of the nine."""
    results = (
        f"SELECT deal_id, ladder, {_RACE} FROM {Result._meta.db_table} "  # noqa: S608 - names of our own
        f"WHERE player_id = %s AND listed AND deal_id IN ({_marks(deals)})"
    )
    sums = (
        f"SELECT season_id, race_key, elapsed_ms, tokens, finished_at, id FROM {Standing._meta.db_table} "  # noqa: S608
        f"WHERE player_id = %s AND listed AND season_id IN ({_marks(nines)})"
    )
    return run_in_order([(results, [player_id, *deals]), (sums, [player_id, *nines])])


def _marks(values: Collection[int]) -> str:
    return ", ".join(["%s"] * len(values)) or "NULL"
