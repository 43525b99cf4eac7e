"""Control races: suggestions to players, and the comparison for staff."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from games.models import Attempt, Deal
from games.races.models import Race
from games.races.results.confirming_races import COOKIE, RECENT, TOP, Run, has_raced, runs
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.ratings import folding
from leaderboards.summary import daily_vs_races
from leaderboards.summary.panel import GameSummary
from tests import factories
from tests.factories import make_account, make_deal, signed_in
from tests.leaderboards import raced

pytestmark = pytest.mark.django_db
NOW = timezone.now()
AT = NOW - timedelta(days=1)


@pytest.fixture
def ada() -> Any:
    return make_account(display_name="Ada")


def on_the_board(player: Any, deal: Deal, place: int = 1, *, behind: int = 1, end: str = "won") -> Any:
    for cards in range(51, 51 - place + 1, -1):
        factories.listed(deal, BoardScore(cards, 60_000, 100), finished_at=AT)
    for _ in range(behind):
        factories.listed(deal, BoardScore(10, 60_000, 100), finished_at=AT)
    result = factories.listed(deal, BoardScore(40, 60_000, 100), who=player, finished_at=AT)
    Attempt.objects.filter(pk=result.attempt_id).update(end=end)
    return result


def test_a_race_of_the_game_against_others_counts_for_a_while(ada: Any) -> None:
    rival = make_account()
    assert not has_raced(ada.pk, "plot", NOW)
    raced.race([ada, rival], at=NOW - RECENT - timedelta(hours=1))
    raced.race([ada], at=AT)
    raced.race([ada, rival], [1, "absent"], at=AT)
    raced.race([ada, rival], ["disqualified", 1], at=AT)
    raced.race([ada, rival], at=AT, state=Race.State.VOID)
    assert not has_raced(ada.pk, "plot", NOW)
    raced.race([rival, ada, make_account()], at=AT)
    assert has_raced(ada.pk, "plot", NOW)
    assert not has_raced(ada.pk, "braid", NOW)
    assert runs(ada.pk, "plot", NOW) == [Run(2, 3)]


def test_a_race_as_a_guest_does_not_count(ada: Any) -> None:
    race = raced.race([ada, make_account()], at=AT)
    race.entrants.update(as_guest=True)
    assert not has_raced(ada.pk, "plot", NOW)


@pytest.mark.parametrize(("place", "asks"), [(1, True), (TOP, True), (TOP + 1, False)])
def test_a_top_place_without_a_race_suggests_one(ada: Any, place: int, *, asks: bool) -> None:
    deal = make_deal("plot")
    on_the_board(ada, deal, place)
    assert daily_vs_races.unconfirmed(ada, NOW) == (deal if asks else None)


@pytest.mark.parametrize(("behind", "end"), [(1, "resigned"), (0, "won"), (0, "resigned")])
def test_a_loss_or_the_last_place_is_no_top_place(ada: Any, behind: int, end: str) -> None:
    result = on_the_board(ada, make_deal("plot"), behind=behind, end=end)
    assert daily_vs_races.unconfirmed(ada, NOW) is None
    result.attempt.refresh_from_db()
    assert not GameSummary.of(result.attempt, ada, NOW).is_top_place


def test_a_won_first_place_among_others_is_a_top_place(ada: Any) -> None:
    result = on_the_board(ada, make_deal("plot"))
    result.attempt.refresh_from_db()
    assert GameSummary.of(result.attempt, ada, NOW).is_top_place
    page = signed_in(ada).get(reverse("boards:after", args=[result.attempt.public_id])).content.decode()
    assert "data-top-place" in page


def test_a_race_or_an_old_game_ends_the_suggestion(ada: Any) -> None:
    deal = make_deal("plot")
    on_the_board(ada, deal)
    assert daily_vs_races.unconfirmed(ada, AT + daily_vs_races.PERIOD + timedelta(hours=1)) is None
    raced.race([ada, make_account()], at=AT)
    assert daily_vs_races.unconfirmed(ada, NOW) is None


def test_the_profile_shows_the_hint_until_dismissed(ada: Any) -> None:
    on_the_board(ada, make_deal("plot"))
    path, mine = f"/players/{ada.public_id}/", signed_in(ada)
    page = mine.get(path).content.decode()
    assert "Prove yourself there: The Plot" in page
    assert '<input type="hidden" name="variant" value="plot">' in page
    assert "race-hint" not in signed_in(make_account()).get(path).content.decode()
    mine.cookies[COOKIE] = "known"
    assert "race-hint" not in mine.get(path).content.decode()


def test_the_table_has_the_hint_for_the_games_end(ada: Any) -> None:
    deal = make_deal("plot")
    attempt = factories.finished(deal, ada)
    practised = factories.finished(make_deal("plot", practice=True), ada, ranked=False)
    mine = signed_in(ada)
    path = f"/table/{attempt.public_id}/"
    assert 'id="finish-race" class="race-hint" hidden' in mine.get(path).content.decode()
    assert "finish-race" not in mine.get(f"/table/{practised.public_id}/").content.decode()
    raced.race([ada, make_account()], at=AT)
    assert "finish-race" not in mine.get(path).content.decode()


def test_a_hint_is_never_a_flag(ada: Any) -> None:
    result = on_the_board(ada, make_deal("plot"))
    daily_vs_races.unconfirmed(ada, NOW)
    result.attempt.refresh_from_db()
    assert (result.attempt.state, result.attempt.reasons) == ("verified", [])


def test_staff_see_nothing_without_a_comparison(ada: Any) -> None:
    assert daily_vs_races.compare(on_the_board(ada, make_deal("plot")).attempt, NOW) is None


def test_staff_see_daily_games_beside_races_and_ratings(ada: Any) -> None:
    rivals = [make_account() for _ in range(3)]
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2)):
        first, second, third = (rivals[k] for k in order)
        raced.race([first, second, ada, third], at=AT)
    raced.race([*rivals, ada], at=AT)
    folding.rate_finished()
    deal = make_deal("plot")
    attempt = on_the_board(ada, deal, place=2).attempt
    for k, rival in enumerate(rivals):
        factories.listed(deal, BoardScore(30 - k, 60_000, 100), who=rival, finished_at=AT)
    found = daily_vs_races.compare(attempt, NOW)
    assert found is not None
    assert (found.races, found.median_place) == (4, 3)
    assert found.median_beaten == pytest.approx(1 / 3)
    assert (found.rank, found.total) == (2, 6)
    assert (found.rated, found.rated_rank) == (4, 1)
    assert found.expected_rank is not None
    assert 2.5 < found.expected_rank <= 4
