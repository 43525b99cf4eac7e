"""`benchmarks.cheating`: prices are searched from the cheapest up, and a missed target fails the run."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from benchmarks import cheating, cheating_parts
from benchmarks.cheating_parts import Days, Price

pytestmark = pytest.mark.django_db

OPTIONS = Namespace(seed="1", variants=["pigtail"], days=12, accounts=13, matches=20)


@pytest.mark.parametrize(("least_age", "least_games"), [(0, 0), (2, 0), (7, 3), (8, 4)])
def test_established_costs_the_least_days_then_the_fewest_games(
    least_age: int, least_games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reached(_days: Days, age: int, games: int) -> float | None:
        return 20.0 if age >= least_age and games >= least_games else None

    monkeypatch.setattr(Days, "_established", reached)
    price = Days("pigtail", [], cheating_parts.Clock(), Random(1), [1]).established(12)
    assert (price.days, price.played, price.is_beyond) == (least_age + 1, least_games, False)
    assert Days("pigtail", [], cheating_parts.Clock(), Random(1), [1]).established(least_age - 1).is_beyond


def test_the_shortest_pace_that_passes_is_found() -> None:
    tokens = ["d"] * 100
    found = cheating_parts.shortest(tokens, Random(1), lambda times: times[-1] >= 20_000)
    assert found is not None
    assert 20_000 <= found[-1] < 30_000
    assert cheating_parts.shortest(tokens, Random(1), lambda _times: False) is None


@pytest.mark.parametrize(
    ("days", "played", "points", "heat", "met"),
    [
        (8, 3, 100, 0, [True, True, True]),
        (7, 3, 100, 0, [False, True, True]),
        (8, 2, 100, 0, [False, True, True]),
        (8, 3, 101, 1, [True, False, False]),
    ],
)
def test_targets(  # noqa: PLR0917 - one argument for each figure
    days: int, played: int, points: int, heat: int, met: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Found:
        def newcomer(self) -> Price:
            return Price("newcomers")

        def established(self, _most_days: int) -> Price:
            return Price("established", days=days, played=played)

    @contextmanager
    def of(*_: Any) -> Iterator[Found]:
        yield Found()

    monkeypatch.setattr(Days, "of", of)
    monkeypatch.setattr(cheating_parts, "rating", lambda *_: iter([Price("rating", points=points)]))
    monkeypatch.setattr(cheating_parts, "rated_race", lambda _: Price("race"))
    monkeypatch.setattr(cheating_parts, "heat", lambda: iter([Price("heat", points=heat)]))
    assert [price.met for price in cheating.prices(OPTIONS) if price.met is not None] == met


def test_a_clean_heat_alone_gives_one_point() -> None:
    """The race is run by the services, at a shifted date."""
    with cheating_parts.shifted() as clock:
        assert cheating_parts._heat(clock, [])[0] == 1
