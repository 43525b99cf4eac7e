"""Records: the fastest win of each variant, of all time and by year, and the doubts that hold one."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from games.core.ladders import Ladder
from games.deals.difficulty import goal_of
from games.models import Attempt, Deal
from games.races.models import Entrant, Race, Room
from leaderboards.boards import fastest_wins
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import Result
from leaderboards.verdicts.settlement import settle
from tests.factories import DAY, NOON, ONE_DAY, listed, make_account, make_deal, verified_win
from tests.games.races.finished_races import race_of
from tests.games.races.runs import Run, at

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOON + 3 * ONE_DAY
GOAL = goal_of("plot")


def win(day: date, seconds: int, who: Any = None, **fields: Any) -> Result:
    """Create a verified win at the daily deal of The Plot."""
    deal = Deal.objects.filter(variant="plot", day=day).first() or make_deal("plot", day)
    return listed(deal, BoardScore(GOAL, seconds * 1000, 90), who=who, **fields)


def raced_win(start: datetime, seconds: int, who: Any = None, kind: Room.Kind = Room.Kind.QUICK) -> Race:
    race = race_of(start, kind=kind)
    Deal.objects.filter(races=race).update(for_race=True, revealed_at=race.finished_at)
    who = who or make_account()
    assert race.deal is not None
    game = verified_win(who, race.deal, finished_at=start, elapsed_ms=seconds * 1000)
    Attempt.objects.filter(pk=game.pk).update(ranked=False, deadline=start + ONE_DAY)
    Entrant.objects.create(
        race=race, player=who, attempt=game, joined_at=start, state="won", place=1, elapsed_ms=seconds * 1000
    )
    return race


def seconds(now: datetime = LATER) -> dict[int, list[int]]:
    """Return the records of each year in seconds."""
    found: dict[int, list[int]] = {}
    for fastest in fastest_wins.read(now):
        found.setdefault(fastest.day.year, []).append(fastest.elapsed_ms // 1000)
    return found


def test_the_fastest_win_of_each_year_is_a_record_whether_daily_or_raced() -> None:
    for day, time in ((DAY, 90), (DAY, 80), (DAY + ONE_DAY, 85), (date(2025, 12, 31), 70), (date(2025, 3, 1), 75)):
        win(day, time)
    assert seconds() == {2026: [80], 2025: [70]}
    raced_win(NOON, 60)
    assert seconds() == {2026: [60], 2025: [70]}
    (latest,) = [fastest for fastest in fastest_wins.read(LATER) if fastest.day.year == 2026]
    assert (latest.variant, latest.in_race, latest.day) == ("plot", True, DAY)
    lost = win(DAY + ONE_DAY, 10)
    Result.objects.filter(pk=lost.pk).delete()
    listed(lost.deal, BoardScore(GOAL - 1, 5000, 90, 5000, won=False))
    assert seconds()[2026] == [60], "a loss is no record"


def test_players_who_are_not_listed_leave_no_gap() -> None:
    win(DAY, 90)
    win(DAY, 50, show=False)
    win(DAY, 40, ladder=Ladder.NEWCOMERS)
    banned, former = make_account(), make_account()
    win(DAY, 30, who=former)
    race = raced_win(NOON, 20, who=banned)
    type(former).objects.filter(pk=former.pk).update(deleted_at=NOON)
    assert seconds() == {2026: [20]}
    ban_player(banned)
    assert seconds() == {2026: [90]}
    raced_win(NOON, 10, kind=Room.Kind.PRIVATE)
    assert seconds() == {2026: [90]}, "only those with the link may know of the race"
    assert race.state == Race.State.FINISHED


def test_open_deals_and_held_games_are_no_records() -> None:
    result = win(DAY, 80)
    opened = datetime.combine(DAY, datetime.min.time(), NOON.tzinfo)
    assert seconds(opened + ONE_DAY) == {}, "the last games may still be running"
    assert seconds(opened + timedelta(hours=25)) == {2026: [80]}
    Entrant.objects.filter(race=raced_win(NOON, 60)).get()
    Attempt.objects.filter(entrant__isnull=False).update(state=Attempt.State.REVIEW)
    assert seconds() == {2026: [80]}
    assert result.listed


def test_one_query_reads_all_records(django_assert_num_queries: Any) -> None:
    for days in range(3):
        win(DAY - 400 * days * ONE_DAY, 80)
    with django_assert_num_queries(1):
        assert len(fastest_wins.read(LATER)) == 3


def test_the_page_lists_records_and_links_to_their_replays(client: Client) -> None:
    assert "No one yet" in client.get("/boards/records/").content.decode()
    fastest_wins.cache.renew("", list)
    ada = make_account("Ada")
    daily = win(DAY, 80, who=ada)
    race = raced_win(NOON - 400 * ONE_DAY, 60, who=ada)
    fastest_wins.cache.renew("", lambda: fastest_wins.read(LATER))
    page = client.get("/boards/records/")
    assert list(page.context["years"]) == [None, 2026, 2025]
    (ever,) = page.context["years"][None]
    assert (ever.elapsed_ms, str(ever)) == (60_000, "Ada")
    text = page.content.decode()
    raced = Attempt.objects.get(entrant__race=race)
    for shown in ("1:20.00", *(f"/replay/{game.public_id}/" for game in (daily.attempt, raced))):
        assert shown in text
    assert 'aria-current="page">Records' in text
    assert "/boards/records/" in client.get("/boards/").content.decode()


def doubtful_race(*, public: bool) -> Run:
    """Return an unrated race that its first player, whose clock differs from the server's, wins."""
    run = Run.racing(2, players=[make_account(), make_account()], public=public)
    run.play(0)
    run.resign(1, 30)
    Attempt.objects.filter(pk=run.attempt(0).pk).update(started_at=at(-600))
    return run


def other_wins(count: int, ms: int, variant: str = "stonewall") -> None:
    for days in range(count):
        day = DAY - (days + 1) * ONE_DAY
        deal = Deal.objects.filter(variant=variant, day=day).first() or make_deal(variant, day)
        verified_win(make_account(), deal, elapsed_ms=ms)


@pytest.mark.parametrize(
    ("others", "ms", "public", "held"),
    [
        (fastest_wins.ENOUGH, 10**7, True, True),
        (fastest_wins.ENOUGH - 1, 10**7, True, False),
        (fastest_wins.ENOUGH, 1, True, False),
        (fastest_wins.ENOUGH, 10**7, False, False),
    ],
    ids=["record", "few wins", "slower", "private"],
)
def test_a_doubt_holds_a_record_in_a_race(others: int, ms: int, public: bool, held: bool) -> None:
    other_wins(others, ms)
    run = doubtful_race(public=public)
    settle(run.attempt(0).pk)
    assert [reason["code"] for reason in run.attempt(0).reasons] == ["clock_differs"]
    assert (run.attempt(0).state == Attempt.State.REVIEW) == held
    settle(run.attempt(1).pk)
    assert (run.entrant(0).place is None) == held


def test_wins_of_this_year_are_counted_for_its_record() -> None:
    other_wins(fastest_wins.ENOUGH, 10**7)
    Attempt.objects.update(finished_at=timezone.now() - 400 * ONE_DAY, elapsed_ms=1)
    run = doubtful_race(public=True)
    assert not fastest_wins.would_be_record(run.attempt(0), 10_000)
    other_wins(fastest_wins.ENOUGH, 10**7)
    assert fastest_wins.would_be_record(run.attempt(0), 10_000)
