"""Seasons: weekly, monthly and all-time boards, which add up each player's deals.

A season's board ranks by the sums of cards up, time and tokens; the time of a game that was not won is its progress
time, or its whole time if no card went up. Equal sums rank by the earlier last finish. The board of fewest moves adds
up wins only. There is one board for each variant and one for all of them. Listed results on the established ladder
count, so every change to one marks the player for a recount. The nine of a day work in the same way, with a board for
each ladder and with points (`games.deals.daily_points`) instead of cards. A recount derives a player's standings from
the results alone: it is idempotent, and covers many players at once, so that boards follow within seconds. A player
whose standings cannot be written is set aside and logged; the others are updated.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import DataError, IntegrityError, transaction
from django.db.models import Count, Max, Q, Sum, Value
from django.db.models.functions import Coalesce, NullIf
from django.utils import timezone

from games.core.ladders import Ladder
from games.db.players import Player
from games.deals.daily_points import EACH, points
from games.rules import NO_PROGRESS
from leaderboards.boards import deal_boards, histogram, listing_queries
from leaderboards.boards.listings import Listing, season_listing, season_listings
from leaderboards.boards.rank_keys import SEASON, BoardName, BoardScore
from leaderboards.boards.rows import BoardPage, BoardRow
from leaderboards.models import Recount, Result, Season, Standing

Period = Season.Period
ALL_TIME: Final = date(1970, 1, 1)
ONE_DAY: Final = timedelta(days=1)
LATEST: Final = date(9000, 1, 1)
TRY_AGAIN: Final = timedelta(hours=1)
_BATCH: Final = 200
# Errors that one player can cause: figures too large for a key or column, or the player deleted concurrently.
_UNFIT: Final = (ValueError, ArithmeticError, DataError, IntegrityError)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Span:
    """Days of a season: from `first` up to, but not including, `end` (None for all time)."""

    first: date
    end: date | None


def span(period: str, day: date) -> Span:
    """Return the days of the season that `day` belongs to: weeks start on Mondays, months on the first, all in UTC.

    The nine cover the day alone.

    :raises ValueError: for an unknown period.
    """
    match Period(period):
        case Period.NINE:
            return Span(day, day + ONE_DAY)
        case Period.WEEK:
            first = day - timedelta(days=day.weekday())
            return Span(first, first + timedelta(days=7))
        case Period.MONTH:
            first = day.replace(day=1)
            return Span(first, (first + timedelta(days=32)).replace(day=1))
        case Period.ALL:
            return Span(ALL_TIME, None)


def season(period: str, day: date, variant: str = "", ladder: Ladder = Ladder.ESTABLISHED) -> Season | None:
    """Return the season of a period and variant on a day; None if it has no results.

    :raises ValueError: for an unknown period.
    """
    first = span(period, day).first
    return Season.objects.filter(period=period, starts_on=first, variant=variant, ladder=ladder).first()


def nines_of(day: date) -> dict[Ladder, Season]:
    """Return the nine of a day on each ladder that has, or had, a result."""
    found = Season.objects.filter(period=Period.NINE, starts_on=day, variant="").order_by("ladder")
    return {Ladder(season.ladder): season for season in found}


def has_board(period: str, variant: str, ladder: Ladder | None) -> bool:
    """Return whether the board exists: the nine are of all variants, and only they have one for each ladder."""
    return not variant if period == Period.NINE else ladder is None


def first_ladder(nines: Mapping[Ladder, Season]) -> Ladder:
    """Return the ladder of the nine shown first: established, or newcomers if the established ladder is empty."""
    return next((ladder for ladder, found in nines.items() if page(found, limit=1).total), Ladder.ESTABLISHED)


def page(
    found: Season | None, board: BoardName = "race", cursor: str | None = None, limit: int = deal_boards.PAGE_SIZE
) -> BoardPage:
    """Return a page of a season's board.

    :raises CursorError: if the cursor is not one of this board's.
    """
    if found is None:
        return BoardPage([], 0)
    return replace(deal_boards.page_of(season_listing(found.pk, board), cursor, limit), ladder=Ladder(found.ladder))


def around(found: Season | None, board: BoardName, player: Player, span: int = deal_boards.AROUND) -> list[BoardRow]:
    """Return the player's entry in a season with its neighbours; empty if the player has none."""
    return listing_queries.entries_around(season_listing(found.pk, board), player.pk, span) if found else []


def friends(found: Season | None, board: BoardName, player: Player) -> list[BoardRow]:
    """Return the player and the players they follow in a season, ranked among themselves."""
    return deal_boards.friends_of(season_listing(found.pk, board), player) if found else []


# --- Keeping the standings ------------------------------------------------------------------------------------------


def recount_marked(now: datetime | None = None) -> int:
    """Update the standings of every marked player; return the number of marks processed."""
    now = now or timezone.now()
    done = 0
    while found := _recount_batch(now):
        done += found
    return done


def _recount_batch(now: datetime) -> int:
    """Recount the players of a batch of marks together, or one by one if that fails."""
    # Newest first: a backlog of old marks, for example from a migration, must not delay today's.
    due = Recount.objects.filter(Q(failed_at=None) | Q(failed_at__lte=now - TRY_AGAIN)).order_by("-id")
    marks = list(due.values_list("pk", "marked_at")[:_BATCH])
    try:
        return _recount_marks([pk for pk, _marked_at in marks])
    except _UNFIT:
        return sum(_recount_alone(pk, marked_at, now) for pk, marked_at in marks)


def _recount_alone(mark: int, marked_at: datetime, now: datetime) -> int:
    try:
        return _recount_marks([mark])
    except _UNFIT:
        log.exception("seasons of a player not recounted", extra={"mark": mark})
        # A mark that was renewed concurrently covers a new change, which has not been tried.
        return Recount.objects.filter(pk=mark, marked_at=marked_at).update(failed_at=now)


def _recount_marks(ids: Sequence[int]) -> int:
    with transaction.atomic():
        marks = list(Recount.objects.select_for_update(skip_locked=True).filter(pk__in=ids).order_by("id"))
        players: dict[tuple[Period, Span], set[int]] = {}
        for mark in marks:
            for period in Period:
                players.setdefault((period, span(period, mark.day)), set()).add(mark.player_id)
        Recount.objects.filter(pk__in=[mark.pk for mark in marks]).delete()
        # In a fixed order, so that two recounts cannot deadlock over the seasons they share.
        for (period, days), player_ids in sorted(players.items(), key=lambda item: (item[0][0], item[0][1].first)):
            _recount(period, days, player_ids)
    return len(marks)


def _recount(period: Period, days: Span, player_ids: set[int]) -> None:
    # Lock before adding up: a sum made before another recount's commit must not be written after it.
    _lock(period, days.first)
    sums = _nines(days.first, player_ids) if period == Period.NINE else _sums(days, player_ids)
    seasons = _seasons(period, days.first, {key for key, _player in sums})
    fresh = {
        (seasons[key], player_id): _standing(seasons[key], player_id, found) for (key, player_id), found in sums.items()
    }
    changes: list[tuple[Listing, int, int]] = []
    removed: list[int] = []
    changed: list[Standing] = []
    for old in Standing.objects.filter(player__in=player_ids, season__in=seasons.values()):
        new = fresh.pop((old.season_id, old.player_id), None)
        if new is None:
            removed.append(old.pk)
        elif _figures(new) != _figures(old):
            new.pk = old.pk
            changed.append(new)
        else:
            continue
        changes += _steps(old, -1)
    for new in (*changed, *fresh.values()):
        changes += _steps(new, 1)
    Standing.objects.filter(pk__in=removed).delete()
    Standing.objects.bulk_update(changed, _COLUMNS)
    Standing.objects.bulk_create(fresh.values())
    histogram.count(changes)


_WON: Final = ("wins", "won_cards_up", "won_ms", "won_tokens")
_SUMMED: Final = ("deals", "cards_up", "elapsed_ms", "tokens", *_WON)
_COLUMNS: Final = (*_SUMMED, "points", "finished_at", "race_key", "fewest_key")


def _figures(standing: Standing) -> tuple[Any, ...]:
    return tuple(getattr(standing, column) for column in _COLUMNS)


def _steps(standing: Standing, step: int) -> Iterable[tuple[Listing, int, int]]:
    for listing in season_listings(standing.season_id):
        if (key := getattr(standing, listing.layout.key)) is not None:
            yield listing, key, step


class _SeasonKey(NamedTuple):
    """Key of a season within a span; the variant "" stands for all variants."""

    variant: str = ""
    ladder: Ladder = Ladder.ESTABLISHED


@dataclass(slots=True)
class _Sum:
    """Sum of a player's listed results over some days, and of the wins among them; only the nine have points."""

    deals: int
    cards_up: int
    elapsed_ms: int
    tokens: int
    wins: int
    won_cards_up: int
    won_ms: int
    won_tokens: int
    finished_at: datetime
    points: int | None = None

    def __add__(self, other: _Sum) -> _Sum:
        return _Sum(
            **{name: getattr(self, name) + getattr(other, name) for name in _SUMMED},
            finished_at=max(self.finished_at, other.finished_at),
            points=None if self.points is None or other.points is None else self.points + other.points,
        )


_TIME: Final = Coalesce(NullIf("progress_ms", Value(NO_PROGRESS)), "elapsed_ms")


def _nines(day: date, player_ids: set[int]) -> dict[tuple[_SeasonKey, int], _Sum]:
    """Return the sums of the nine of a day, by ladder and player."""
    listed = Result.objects.filter(player__in=player_ids, listed=True, deal__day=day).annotate(ms=_TIME)
    figures = ("deal__variant", "ladder", "player_id", "cards_up", "ms", "tokens", "fewest_key", "finished_at")
    sums: dict[tuple[_SeasonKey, int], _Sum] = {}
    for variant, ladder, player_id, cards_up, time_ms, tokens, fewest_key, finished_at in listed.values_list(*figures):
        earned = points(variant, cards_up)
        # A game without points counts as played, but its time and moves do not.
        ms, moves = (time_ms, tokens) if earned else (0, 0)
        won = int(fewest_key is not None)
        of_wins = (won, won * cards_up, won * ms, won * moves)
        found = _Sum(1, cards_up, ms, moves, *of_wins, finished_at, earned)
        key = _SeasonKey(ladder=Ladder(ladder)), player_id
        sums[key] = sums[key] + found if key in sums else found
    return sums


def _sums(days: Span, player_ids: set[int]) -> dict[tuple[_SeasonKey, int], _Sum]:
    """Return the sums by variant and player, on the established ladder."""
    listed = Result.objects.filter(
        player__in=player_ids, listed=True, ladder=Ladder.ESTABLISHED, deal__day__gte=days.first
    )
    if days.end is not None:
        listed = listed.filter(deal__day__lt=days.end)
    rows = (
        listed.order_by()
        .values_list("deal__variant", "player_id")
        .annotate(of=Count("pk"), up=Sum("cards_up"), ms=Sum(_TIME), moves=Sum("tokens"))
        .annotate(wins=Count("fewest_key"), **{name: _sum_of_wins(column) for name, column in _WON_COLUMNS.items()})
        .annotate(last=Max("finished_at"))
    )
    sums: dict[tuple[_SeasonKey, int], _Sum] = {}
    for variant, player_id, *figures in rows:
        found, every = _Sum(*figures), (_SeasonKey(), player_id)
        sums[_SeasonKey(variant), player_id] = found
        sums[every] = sums[every] + found if every in sums else found
    return sums


#: Columns of results that are added up for the wins among them.
_WON_COLUMNS: Final = {"won_cards_up": "cards_up", "won_ms": "elapsed_ms", "won_tokens": "tokens"}


def _sum_of_wins(column: str) -> Sum:
    return Sum(column, filter=Q(fewest_key__isnull=False), default=0)


def _standing(season_id: int, player_id: int, found: _Sum) -> Standing:
    """Return the standing with its keys: the nine rank by points, other seasons by cards up."""
    standing = Standing(season_id=season_id, player_id=player_id, listed=True, **asdict(found))
    up, won_up = (found.cards_up, found.won_cards_up) if found.points is None else (found.points, EACH * found.wins)
    standing.race_key = SEASON["race"].pack(BoardScore(up, found.elapsed_ms, found.tokens))
    won = BoardScore(won_up, found.won_ms, found.won_tokens, won=found.wins > 0)
    standing.fewest_key = SEASON["fewest"].key_of(won)
    return standing


def _lock(period: Period, first: date) -> None:
    """Serialise recounts of a span until the transaction ends, by locking the row of its all-variants season."""
    _create_seasons(period, first, {_SeasonKey()})
    whole = Season.objects.filter(period=period, starts_on=first, variant="", ladder=Ladder.ESTABLISHED)
    list(whole.select_for_update(no_key=True))


def _seasons(period: Period, first: date, needed: set[_SeasonKey]) -> dict[_SeasonKey, int]:
    """Return the primary keys of a span's seasons, creating those in `needed` that are missing."""
    _create_seasons(period, first, needed)
    found = Season.objects.filter(period=period, starts_on=first).values_list("variant", "ladder", "pk")
    return {_SeasonKey(variant, Ladder(ladder)): pk for variant, ladder, pk in found}


def _create_seasons(period: Period, first: date, needed: set[_SeasonKey]) -> None:
    of_span = Season.objects.filter(period=period, starts_on=first).values_list("variant", "ladder")
    if missing := needed - {_SeasonKey(variant, Ladder(ladder)) for variant, ladder in of_span}:
        fresh = [Season(period=period, starts_on=first, **key._asdict()) for key in sorted(missing)]
        Season.objects.bulk_create(fresh, ignore_conflicts=True)
