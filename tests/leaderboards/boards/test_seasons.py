from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from games.rules import NO_PROGRESS
from leaderboards.boards import deal_boards, entries, histogram, seasons
from leaderboards.boards.listings import season_listing
from leaderboards.boards.rank_keys import BOARDS, BoardScore
from leaderboards.boards.rows import CursorError
from leaderboards.models import Recount, Result, Season, Standing
from tests import factories
from tests.factories import make_account, make_deal

pytestmark = pytest.mark.django_db
DAY = factories.DAY  # a Friday


def whole() -> None:
    for season in Season.objects.all():
        for board in BOARDS:
            assert histogram.faults(season_listing(season.pk, board)) == []


def shown(period: str, variant: str = "", day: date = DAY, board: Any = "race") -> list[tuple[Any, ...]]:
    page = seasons.page(seasons.season(period, day, variant), board)
    return [(e.rank, e.player, e.deals, e.cards_up, e.elapsed_ms, e.tokens) for e in page.entries]


def test_weeks_begin_on_monday_and_months_on_the_first() -> None:
    assert seasons.span("week", DAY) == seasons.Span(date(2026, 11, 16), date(2026, 11, 23))
    assert seasons.span("month", DAY) == seasons.Span(date(2026, 11, 1), date(2026, 12, 1))
    assert seasons.span("month", date(2026, 12, 31)).end == date(2027, 1, 1)
    assert seasons.span("all", DAY) == seasons.Span(date(1970, 1, 1), None)
    with pytest.raises(ValueError, match="year"):
        seasons.span("year", DAY)


def test_a_players_deals_are_summed_by_period_and_variant() -> None:
    who = make_account()
    factories.listed(make_deal("braid", factories.DAY), BoardScore(50, 1_000, 100), who=who)
    factories.listed(make_deal("tarot", factories.DAY), BoardScore(30, 3_000, 200), who=who)
    factories.listed(make_deal("braid", DAY - timedelta(days=5)), BoardScore(8, 10, 5), who=who)
    factories.listed(make_deal("braid", DAY - timedelta(days=40)), BoardScore(4, 1, 1), who=who)
    assert seasons.recount_marked() > 0
    me = who.public_id
    assert shown("week") == [(1, me, 2, 80, 4_000, 300)]
    assert shown("week", "braid") == [(1, me, 1, 50, 1_000, 100)]
    assert shown("month") == [(1, me, 3, 88, 4_010, 305)]
    assert shown("all") == [(1, me, 4, 92, 4_011, 306)]
    assert shown("all", "tarot") == [(1, me, 1, 30, 3_000, 200)]
    assert shown("all", "plot") == []
    assert shown("week", day=DAY - timedelta(days=40)) == [(1, me, 1, 4, 1, 1)]
    whole()


@pytest.mark.parametrize("period", ["week", "nine"])
def test_the_board_of_fewest_moves_adds_up_wins_only(period: str) -> None:
    who, loser = make_account(), make_account()
    braid, tarot = make_deal("braid", factories.DAY), make_deal("tarot", factories.DAY)
    won = factories.listed(braid, BoardScore(104, 1_000, 100), who=who)
    for player in (who, loser):
        factories.listed(tarot, BoardScore(30, 3_000, 5, 2_000, won=False), who=player)
    seasons.recount_marked()
    assert shown(period, board="fewest") == [(1, who.public_id, 1, 104, 1_000, 100)]
    assert shown(period) == [(1, who.public_id, 2, 134, 3_000, 105), (2, loser.public_id, 1, 30, 2_000, 5)]
    season = seasons.season(period, DAY)
    assert seasons.around(season, "fewest", loser) == []
    points = [entry.points for entry in seasons.page(season, "fewest").entries]
    assert points == ([100] if period == "nine" else [None])
    whole()
    entries.set_listed(won, listed=False)
    seasons.recount_marked()
    assert (shown(period, board="fewest"), len(shown(period))) == ([], 2)
    whole()


def test_a_recount_follows_removals_and_is_idempotent() -> None:
    who, other = make_account(), make_account()
    first = factories.listed(make_deal("braid", factories.DAY), BoardScore(50, 1_000, 100), who=who)
    factories.listed(first.deal, BoardScore(51, 1_000, 100), who=other)
    seasons.recount_marked()
    assert [row[:2] for row in shown("week")] == [(1, other.public_id), (2, who.public_id)]
    assert seasons.recount_marked() == 0
    entries.set_listed(first, listed=False)
    assert seasons.recount_marked() == 1
    assert [row[:2] for row in shown("week")] == [(1, other.public_id)]
    assert Standing.objects.filter(player=who).count() == 0
    entries.set_listed(first, listed=True)
    seasons.recount_marked()
    before = sorted(Standing.objects.values_list("pk", "race_key"))
    Recount.objects.create(player=who, day=DAY)
    seasons.recount_marked()
    assert sorted(Standing.objects.values_list("pk", "race_key")) == before
    whole()


def test_giving_up_sooner_after_the_last_card_gains_nothing() -> None:
    deal = make_deal("braid", factories.DAY)
    quitter, player, idle = make_account(), make_account(), make_account()
    factories.listed(deal, BoardScore(50, 31_000, 9, 30_000, won=False), who=quitter)
    factories.listed(deal, BoardScore(50, 900_000, 90, 29_000, won=False), who=player)
    factories.listed(deal, BoardScore(50, 5_000, 0, NO_PROGRESS, won=False), who=idle)
    seasons.recount_marked()
    for period in Season.Period:
        season = seasons.season(period, DAY)
        times = dict(Standing.objects.filter(season=season).values_list("player", "elapsed_ms"))
        assert times == {quitter.pk: 30_000, player.pk: 29_000, idle.pk: 5_000}


def test_season_pages_and_ranks_agree_with_a_naive_sort() -> None:
    choose = random.Random(5)
    sums: dict[Any, BoardScore] = {}
    players = [make_account() for _ in range(12)]
    for variant in ("braid", "tarot"):
        deal = make_deal(variant, factories.DAY)
        for who in players:
            score = BoardScore(choose.choice([10, 20]), choose.choice([1_000, 2_000]), choose.choice([50, 60]))
            factories.listed(deal, score, who=who)
            before = sums.get(who, BoardScore(0, 0, 0))
            sums[who] = BoardScore(
                score.cards_up + before.cards_up, score.elapsed_ms + before.elapsed_ms, score.tokens + before.tokens
            )
    seasons.recount_marked()
    season = seasons.season("week", DAY)
    for board in BOARDS:
        expected = sorted(
            players,
            key=lambda p: (
                -sums[p].cards_up,
                *((sums[p].elapsed_ms, sums[p].tokens) if board == "race" else (sums[p].tokens, sums[p].elapsed_ms)),
                Standing.objects.get(player=p, season=season).pk,
            ),
        )
        pages = [seasons.page(season, board, limit=5)]
        while pages[-1].after:
            pages.append(seasons.page(season, board, pages[-1].after, limit=5))
        found = [entry for page in pages for entry in page.entries]
        assert [entry.player for entry in found] == [p.public_id for p in expected]
        assert [entry.rank for entry in found] == list(range(1, 13))
        for rank, who in enumerate(expected, 1):
            assert [entry.rank for entry in seasons.around(season, board, who, 0)] == [rank]
        middle = seasons.around(season, board, expected[5], 1)
        assert [entry.rank for entry in middle] == [5, 6, 7]
    whole()


def test_a_player_whose_figures_overflow_is_retried_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    deal, bad, good = (
        make_deal("stonewall", factories.DAY),
        make_account(),
        make_account(),
    )
    result = factories.listed(deal, BoardScore(20, 100, 40), who=bad)
    factories.listed(deal, BoardScore(20, 200, 40), who=good)
    Result.objects.filter(pk=result.pk).update(elapsed_ms=2**60)
    now = timezone.now()
    assert seasons.recount_marked(now) == 2
    assert [row[1] for row in shown("week")] == [good.public_id]
    assert list(Recount.objects.values_list("player_id", "failed_at")) == [(bad.pk, now)]
    assert [record.levelname for record in caplog.records].count("ERROR") == 1
    assert seasons.recount_marked(now) == 0
    Result.objects.filter(pk=result.pk).update(elapsed_ms=100)
    assert seasons.recount_marked(now + seasons.TRY_AGAIN) == 1
    assert [row[1] for row in shown("week")] == [bad.public_id, good.public_id]
    assert Recount.objects.count() == 0
    whole()


def test_the_next_result_retries_a_failed_recount_at_once() -> None:
    result = factories.listed(make_deal("stonewall", factories.DAY), BoardScore(20, 100, 40))
    Recount.objects.update(failed_at=timezone.now())
    assert seasons.recount_marked() == 0
    factories.listed(make_deal("braid", factories.DAY), BoardScore(20, 100, 40), who=result.player)
    assert seasons.recount_marked() == 1
    assert shown("week")[0][2] == 2


def test_a_general_failure_is_not_blamed_on_one_player(monkeypatch: pytest.MonkeyPatch) -> None:
    factories.listed(make_deal("stonewall", factories.DAY), BoardScore(20, 100, 40))

    def limit(*_args: Any) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(seasons, "_sums", limit)
    with pytest.raises(SoftTimeLimitExceeded):
        seasons.recount_marked()
    assert list(Recount.objects.values_list("failed_at", flat=True)) == [None]


def test_an_empty_season() -> None:
    assert seasons.page(None).entries == []
    assert seasons.around(None, "race", make_account()) == []
    assert seasons.friends(None, "race", make_account()) == []


def test_a_deals_cursor_is_no_seasons() -> None:
    deal = make_deal("stonewall", factories.DAY)
    for ms in (1, 2):
        factories.listed(deal, BoardScore(20, ms, 40))
    seasons.recount_marked()
    with pytest.raises(CursorError):
        seasons.page(seasons.season("week", DAY), "race", deal_boards.page(deal, limit=1).after)
