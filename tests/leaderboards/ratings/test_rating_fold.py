"""The rating fold on plain values, and its formula."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from leaderboards.ratings.fold import LAST, Change, Fold, Raced, Racer, RatingState
from leaderboards.ratings.formula import Rater, SkillEstimate, shares, whole_points

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def raced(number: int, *players: int, ranks: tuple[int, ...] = (), at: datetime = NOON) -> Raced:
    places = ranks or range(1, len(players) + 1)
    racers = [Racer(100 * number + k, who, rank) for k, (who, rank) in enumerate(zip(players, places, strict=True))]
    return Raced(number, at, racers)


def test_known_values() -> None:
    """Two newcomers, calculated by hand from the paper's algorithm 1: c² = 2 (σ² + τ² + β²), p = ½."""
    winner, loser = Rater().rate([SkillEstimate(), SkillEstimate()], [1, 2])
    variance = 350**2 + 3.5**2
    c = (2 * variance + 2 * 175**2) ** 0.5
    assert winner.mu == pytest.approx(1500 + variance / c / 2, abs=1e-6)
    assert loser.mu == pytest.approx(1500 - variance / c / 2, abs=1e-6)
    shrunk = (variance * (1 - variance**0.5 / c * variance / c**2 / 4)) ** 0.5
    assert winner.sigma == loser.sigma == pytest.approx(shrunk, abs=1e-6)


def test_values_of_the_pinned_library() -> None:
    """They change with the library's version or the settings, and so would all stored ratings."""
    before = [SkillEstimate(1500, 350), SkillEstimate(1600, 100), SkillEstimate(1400, 200), SkillEstimate(1500, 90)]
    assert Rater().rate(before, [1, 2, 2, LAST]) == [
        SkillEstimate(1636.864444, 328.856756),
        SkillEstimate(1599.206896, 99.728327),
        SkillEstimate(1416.39681, 195.917667),
        SkillEstimate(1488.255648, 89.842189),
    ]


def test_ties_are_symmetric() -> None:
    rater = Rater()
    for ranks in ([1, 1, 1], [2, 1, 1], [1, 2, 2], [5, 5, LAST]):
        after = rater.rate([SkillEstimate()] * 3, ranks)
        for one, rank in zip(after, ranks, strict=True):
            assert [other.mu == one.mu for other in after] == [rank == other for other in ranks]
    assert {one.mu for one in rater.rate([SkillEstimate()] * 3, [1, 1, 1])} == {1500.0}


def test_sigma_never_grows_and_consecutive_races_chain() -> None:
    rater = Rater()
    sure = [SkillEstimate(1500, 60), SkillEstimate(1500, 60)]
    first = rater.rate(sure, [1, 2])
    assert all(one.sigma <= 60 for one in first)
    rater.rate([SkillEstimate(900, 300)] * 16, list(range(16)))
    assert rater.rate(sure, [1, 2]) == first == Rater().rate(sure, [1, 2])


def test_entrant_ids_make_no_difference() -> None:
    """With the input sorted by entrant, each player gets the same but for the last digit."""
    choose = random.Random(3)
    for _ in range(50):
        people = [
            (SkillEstimate(choose.uniform(900, 2100), choose.uniform(60, 350)), choose.randint(1, 4)) for _ in range(6)
        ]
        shuffled = choose.sample(people, 6)
        one = dict(zip(people, Rater().rate(*map(list, zip(*people, strict=True))), strict=True))
        other = dict(zip(shuffled, Rater().rate(*map(list, zip(*shuffled, strict=True))), strict=True))
        for who in people:
            assert one[who].mu == pytest.approx(other[who].mu, abs=2e-6)


def test_shares_add_up_to_the_change() -> None:
    choose = random.Random(5)
    for n in [2, 3, 9, 16] * 20:
        before = [SkillEstimate(choose.uniform(900, 2100), choose.uniform(60, 350)) for _ in range(n)]
        ranks = [choose.randint(1, n) for _ in range(n)]
        after = Rater().rate(before, ranks)
        for k in range(n):
            parts = shares(before, ranks, k)
            assert parts[k] == 0
            assert sum(parts) == pytest.approx(after[k].mu - before[k].mu, abs=2e-6)
            total = round(after[k].mu) - round(before[k].mu)
            rivals = [part for q, part in enumerate(parts) if q != k]
            points = whole_points(rivals, total)
            assert sum(points) == total
            assert all(abs(point - part) <= 2 for point, part in zip(points, rivals, strict=True))


@pytest.mark.parametrize("total", [-3, -1, 0, 1, 5])
def test_whole_points_add_up_for_any_distance(total: int) -> None:
    assert sum(whole_points([0.4, 0.4], total)) == total


def test_a_race_continues_from_the_last_rating() -> None:
    fold, rater, later = Fold(), Rater(), NOON + timedelta(minutes=1)
    first = rater.rate([SkillEstimate(1500, 350), SkillEstimate(1500, 350)], [1, 2])
    second = rater.rate([first[1], first[0]], [1, 2])
    assert list(fold.fold([raced(1, 7, 8), raced(2, 8, 7, at=later)])) == [
        [Change(1, NOON, 100, 7, 1, 1500, 350, *first[0], 1), Change(1, NOON, 101, 8, 2, 1500, 350, *first[1], 1)],
        [Change(2, later, 200, 8, 1, *first[1], *second[0], 2), Change(2, later, 201, 7, 2, *first[0], *second[1], 2)],
    ]
    assert fold.standings == {7: RatingState(*second[1], 2, later), 8: RatingState(*second[0], 2, later)}


def test_five_meetings_a_day_count() -> None:
    """In whichever order the two sit."""
    fold, pairs = Fold(), [(1, 2), (2, 1)] * 4
    counted = [len(fold.add(raced(n, *pairs[n], at=NOON + timedelta(minutes=n)))) for n in range(7)]
    assert counted == [2, 2, 2, 2, 2, 0, 0]
    # With a third player, the later of the two is left out.
    (changes,) = fold.fold([raced(8, 1, 2, 3)])
    assert [change.player for change in changes] == [1, 3]
    # 3 has met 1 once; at midnight UTC the counts are reset.
    assert len(fold.add(raced(9, 2, 1, at=NOON + timedelta(hours=12)))) == 2


def test_meetings_are_counted_per_pair_and_day() -> None:
    """However often the two race others, and whatever happened the day before."""
    fold, tomorrow = Fold(), NOON + timedelta(days=1)
    for n in range(3):
        fold.add(raced(n, 1, 2))
    for n in range(3, 13):
        fold.add(raced(n, 1 + n % 2, 3 + n % 2, at=tomorrow))
    counted = [len(fold.add(raced(n, 1, 2, at=tomorrow))) for n in range(13, 19)]
    assert counted == [2, 2, 2, 2, 2, 0]


def test_a_player_left_out_has_not_met_the_others() -> None:
    fold = Fold()
    for n in range(5):
        fold.add(raced(n, 1, 2))
    for n in range(5, 10):
        assert [change.player for change in fold.add(raced(n, 1, 2, 3))] == [1, 3]
    assert [change.player for change in fold.add(raced(10, 3, 2, 1))] == [3, 2]


def test_resumed_meetings_equal_folded_ones() -> None:
    whole, resumed = Fold(), Fold()
    for n in range(5):
        whole.add(raced(n, 1, 2, 3))
    resumed.resume(NOON.date(), [[1, 2, 3]] * 5)
    assert whole.met == resumed.met
    assert whole.spent == resumed.spent
    assert resumed.add(raced(6, 1, 2)) == []


def test_a_single_player_is_not_rated() -> None:
    fold = Fold()
    assert fold.add(raced(1, 7)) == fold.add(raced(2)) == []
    assert not fold.standings
