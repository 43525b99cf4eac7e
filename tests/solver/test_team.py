"""Parallel search: results depend neither on cores nor on where the search pauses."""

from __future__ import annotations

import pytest

from games.solver.search_drivers import Search
from games.solver.statuses import LOST, RUNNING, SPENT, WON
from games.solver.team import Team


class Counting(Search):
    """A search that ends with a status after ``end`` positions and may overshoot a step by two."""

    def __init__(self, end: int, result: int) -> None:
        self.status, self.end, self.result = RUNNING, end, result
        self.looked = 0

    @property
    def nodes(self) -> int:
        return self.looked

    def run(self, nodes: int) -> int:
        stop = self.looked + nodes
        while self.status == RUNNING and self.looked < stop:
            self.looked = min(self.looked + 3, self.end)
            if self.looked == self.end:
                self.status = self.result
        return self.status

    def tokens(self) -> list[str]:
        return [f"{self.end}"]


def team(*members: tuple[int, int]) -> Team:
    return Team([Counting(end, result) for end, result in members], [60, 20])


@pytest.mark.parametrize(
    ("members", "status"),
    [
        ([(500, WON), (10_000, LOST)], WON),
        ([(10_000, WON), (500, LOST)], LOST),
        ([(90, SPENT), (500, WON)], WON),
        ([(90, SPENT), (50, SPENT)], SPENT),
    ],
)
@pytest.mark.parametrize("step", [1, 7, 100, 20_000])
def test_one_member_decides(members: list[tuple[int, int]], status: int, step: int) -> None:
    searches, at_once = team(*members), team(*members)
    at_once.run(1 << 20)
    while searches.run(step) == RUNNING:
        pass
    assert searches.status == at_once.status == status
    assert searches.nodes == at_once.nodes


def test_the_first_of_two_winners_reports_its_line() -> None:
    searches = team((119, WON), (39, WON))
    assert searches.run(1000) == WON
    assert searches.tokens() == ["119"]


def test_every_member_begins_at_once() -> None:
    """A single position is enough to compile all members."""
    searches = team((500, WON), (500, LOST))
    searches.run(1)
    assert all(member.nodes for member in searches.searches)


def test_a_team_pauses_in_the_middle_of_a_round() -> None:
    searches = team((500, WON), (500, LOST))
    searches.run(10)
    assert [member.nodes for member in searches.searches] == [9, 3]
    searches.run(59)
    assert [member.nodes for member in searches.searches] == [60, 12]
    searches.run(1000)
    assert searches.status == WON
    assert searches.searches[1].nodes < 200
