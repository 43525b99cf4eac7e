"""The nine: boards of a day's games together, by points."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from games.core.ladders import Ladder
from games.deals.daily_points import points
from games.deals.difficulty import goal_of
from games.models import Attempt, Deal
from games.rules import CATALOGUE
from leaderboards.boards import histogram, seasons
from leaderboards.boards.listings import season_listing
from leaderboards.boards.rank_keys import BOARDS, BoardScore
from leaderboards.models import Season, Standing
from leaderboards.verdicts.settlement import AttemptVerdict, do_settle
from tests import factories
from tests.factories import NOON, make_account, make_deal

pytestmark = pytest.mark.django_db
DAY = factories.DAY


def _dealt(variant: str) -> Deal:
    """Return the day's deal of a variant, which several results of a test may share."""
    return Deal.objects.filter(day=DAY, variant=variant).first() or make_deal(variant, DAY)


def shown(board: Any = "race", ladder: Ladder = Ladder.ESTABLISHED) -> list[tuple[Any, ...]]:
    seasons.recount_marked()
    page = seasons.page(seasons.season("nine", DAY, ladder=ladder), board)
    return [(e.rank, e.player, e.points, e.deals, e.elapsed_ms, e.tokens) for e in page.entries]


def whole() -> None:
    for season in Season.objects.all():
        for board in BOARDS:
            assert histogram.faults(season_listing(season.pk, board)) == []


@pytest.mark.parametrize("variant", CATALOGUE)
def test_only_a_win_earns_all_points(variant: str) -> None:
    goal = goal_of(variant)
    assert [points(variant, cards) for cards in (0, goal - 1, goal)] == [0, 100 * (goal - 1) // goal, 100]
    assert points(variant, goal - 1) < 100


def test_ties_in_points_are_broken_by_time_or_moves() -> None:
    braid, wall, plot = (_dealt(name) for name in ("braid", "stonewall", "plot"))
    ada, bea, cid = (make_account() for _ in range(3))
    factories.listed(braid, BoardScore(104, 900, 300), who=ada)
    factories.listed(wall, BoardScore(52, 800, 100), who=bea)
    factories.listed(wall, BoardScore(26, 100, 90, won=False), who=cid)
    factories.listed(plot, BoardScore(52, 100, 400), who=cid)
    assert shown() == [
        (1, cid.public_id, 100, 2, 200, 490),
        (2, bea.public_id, 100, 1, 800, 100),
        (3, ada.public_id, 100, 1, 900, 300),
    ]
    assert [row[1] for row in shown("fewest")] == [bea.public_id, ada.public_id, cid.public_id]
    whole()


def test_another_game_never_costs_a_place() -> None:
    me, other = make_account(), make_account()
    for who in (me, other):
        factories.listed(_dealt("stonewall"), BoardScore(52, 800 + who.pk, 100), who=who)
    before = shown()
    factories.listed(_dealt("braid"), BoardScore(1, 10**7, 900), who=me)  # less than one per cent
    assert shown() == [(1, me.public_id, 100, 2, 800 + me.pk, 100), before[1]]


def test_equal_sums_rank_by_the_earlier_last_finish() -> None:
    deal, late, early = _dealt("stonewall"), make_account(), make_account()
    factories.listed(deal, BoardScore(52, 800, 100), who=late, finished_at=NOON + timedelta(hours=1))
    factories.listed(deal, BoardScore(52, 800, 100), who=early)
    assert [row[1] for row in shown()] == [early.public_id, late.public_id]


def test_each_ladder_has_a_board_and_seasons_the_established() -> None:
    old, new = make_account(), make_account()
    factories.listed(_dealt("stonewall"), BoardScore(52, 800, 100), who=old)
    factories.listed(_dealt("stonewall"), BoardScore(52, 700, 100), who=new, ladder=Ladder.NEWCOMERS)
    assert [row[1] for row in shown()] == [old.public_id]
    assert [row[1] for row in shown(ladder=Ladder.NEWCOMERS)] == [new.public_id]
    assert {s.season.period for s in Standing.objects.filter(player=new)} == {"nine"}
    whole()


def test_it_follows_a_rejection_and_a_restored_verdict() -> None:
    result = factories.listed(_dealt("stonewall"), BoardScore(52, 800, 100))
    assert len(shown()) == 1
    attempt = Attempt.objects.select_related("deal").get(pk=result.attempt_id)
    score, verified = BoardScore(52, 800, 100), Attempt.State.VERIFIED
    assert do_settle(attempt, AttemptVerdict(Attempt.State.REJECTED, [], score), expected=verified)
    assert shown() == []
    attempt.refresh_from_db()
    assert do_settle(attempt, AttemptVerdict(verified, [], score), expected=Attempt.State.REJECTED)
    assert [row[2] for row in shown()] == [100]
    whole()


def test_the_page_and_the_api_show_points(client: Client) -> None:
    factories.listed(_dealt("stonewall"), BoardScore(52, 800, 100))
    new = factories.listed(_dealt("stonewall"), BoardScore(26, 700, 100), ladder=Ladder.NEWCOMERS)
    seasons.recount_marked()
    page = client.get(f"/boards/nine/?day={DAY}")
    assert [entry.points for entry in page.context["page"].entries] == [100]
    text = page.content.decode()
    assert "Points" in text
    assert f'href="?board=race&amp;day={DAY}&amp;ladder=newcomers"' in text
    page = client.get(f"/boards/nine/?day={DAY}&ladder=newcomers")
    assert [entry.player for entry in page.context["page"].entries] == [new.player.public_id]
    found = client.get(f"/api/v1/seasons/nine?day={DAY}").json()
    assert [(entry["points"], entry["deals"]) for entry in found["entries"]] == [(100, 1)]
    assert client.get(f"/api/v1/seasons/nine?day={DAY}&ladder=newcomers").json()["entries"][0]["points"] == 50
    assert client.get("/boards/nine/?ladder=giants").status_code == 404
    assert client.get("/boards/nine/?variant=braid").status_code == 404


def test_newcomers_are_shown_while_they_are_alone(client: Client) -> None:
    new = factories.listed(_dealt("stonewall"), BoardScore(26, 700, 100), ladder=Ladder.NEWCOMERS).player.public_id
    seasons.recount_marked()
    page, found = client.get(f"/boards/nine/?day={DAY}"), client.get(f"/api/v1/seasons/nine?day={DAY}").json()
    assert [entry.player for entry in page.context["page"].entries] == [new]
    assert [entry["player"] for entry in found["entries"]] == [str(new)]
    assert len(client.get(f"/api/v1/seasons/nine/around/{new}?day={DAY}").json()) == 1


@pytest.mark.parametrize(
    ("which", "there_is"),
    [
        ("nine?", True),
        ("nine?ladder=newcomers", True),
        ("nine?variant=braid", False),
        ("week?variant=braid", True),
        ("week?ladder=newcomers", False),
        ("all?ladder=established", False),
        ("month?day=2026-01-01", True),
    ],
)
def test_the_page_and_the_api_have_the_same_boards(client: Client, which: str, there_is: bool) -> None:
    period, _, query = which.partition("?")
    wanted = 200 if there_is else 404
    assert client.get(f"/boards/{period}/?{query}").status_code == wanted
    assert client.get(f"/api/v1/seasons/{period}?{query}").status_code == wanted
