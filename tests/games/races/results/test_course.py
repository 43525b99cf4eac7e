"""Course of a race: changes of the lead, pauses, and the score of a series."""

from __future__ import annotations

from itertools import pairwise

import pytest

from games.ghosts.lanes import Point
from games.pages.races.course import Lane, Lead, lane_of, leads, series_score
from games.pages.races.lead_chart import HEIGHT, WIDTH, LeadChart
from games.races.models import Entrant
from tests.games.races.runs import Run, goal, times, winning


def lane(entrant: int, *points: Point) -> Lane:
    return Lane(entrant, ((0, 0), *points), (0, points[-1][0]))


def test_the_lead_changes_when_someone_has_more_cards_up() -> None:
    first = lane(1, (1000, 1), (4000, 2), (9000, 5))
    second = lane(2, (2000, 1), (3000, 2), (5000, 3), (9500, 4))
    assert leads([first, second]) == [Lead(1000, 1), Lead(3000, 2), Lead(9000, 1)]
    assert leads([second, first]) == leads([first, second])


def test_nobody_leads_before_the_first_card_goes_up() -> None:
    assert leads([lane(1, (1000, 0)), lane(2, (2000, 0))]) == []
    starting = [Lane(key, ((0, 4), (3000, 4)), (0, 3000)) for key in (1, 2)]
    assert leads(starting) == []


def test_a_leader_who_takes_a_card_down_may_lose_the_lead() -> None:
    assert leads([lane(1, (1000, 2), (3000, 1)), lane(2, (2000, 1), (4000, 2))]) == [Lead(1000, 1), Lead(4000, 2)]
    assert leads([lane(1, (1000, 3), (3000, 1)), lane(2, (2000, 2))]) == [Lead(1000, 1), Lead(3000, 2)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("requested_tasks")
def test_a_lane_has_the_longest_pause() -> None:
    run = Run.ended("won", None)
    attempt = run.attempt(0)
    found = lane_of(7, attempt)
    clock = [0, *times(winning().tokens)]
    gaps = [after - before for before, after in pairwise(clock)]
    assert found.entrant == 7
    assert found.points[-1] == (clock[-1], goal())
    assert found.pause == (clock[gaps.index(max(gaps))], max(gaps))


def test_a_chart_draws_each_lane_to_its_end() -> None:
    lanes = [lane(1, (1000, 26), (4000, 52)), lane(2, (2000, 13), (8000, 13))]
    chart = LeadChart.of(lanes, {1: "Ada", 2: "Brook"}, me=2)
    assert chart is not None
    assert [line.path for line in chart.lines] == [
        f"M0 {HEIGHT}.0H{WIDTH / 8}V{HEIGHT / 2}H{WIDTH / 2}V0.0",
        f"M0 {HEIGHT}.0H{WIDTH / 4}V{HEIGHT * 3 / 4}H{WIDTH}.0V{HEIGHT * 3 / 4}",
    ]
    assert [line.is_me for line in chart.lines] == [False, True]
    assert chart.decided is not None
    assert (chart.decided.name, chart.decided.time, chart.decided.x) == ("Ada", "0:01", WIDTH / 8)
    assert chart.time == "0:08"
    assert LeadChart.of(lanes[:1], {1: "Ada"}, me=None) is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("requested_tasks")
def test_a_series_counts_the_races_won() -> None:
    run = Run.ended("won", "retired").judge()
    assert series_score(run.race) == {}, "not a rematch yet"
    for place in (0, 1):
        run.sit(place, 60)
    second = run.race
    assert (second.number, series_score(second)) == (2, {run.players[0].pk: 1})
    Entrant.objects.filter(race__number=1, place=1).update(state=Entrant.State.DISQUALIFIED)
    assert series_score(second) == {}
