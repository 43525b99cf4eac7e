"""The rating rules on plain values, and the formula."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from statistics import fmean

import pytest

from games.races.results.ratings_registry import Limit
from leaderboards.ratings.formula import Rater, SkillEstimate, whole_points
from leaderboards.ratings.rules import LAST, Fold, Raced, Racer, RatingState
from tests.leaderboards.ratings import simulation

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def raced(number: int, *players: int, ranks: tuple[int, ...] = (), at: datetime = NOON) -> Raced:
    places = ranks or range(1, len(players) + 1)
    racers = [Racer(100 * number + k, who, rank) for k, (who, rank) in enumerate(zip(players, places, strict=True))]
    return Raced(number, at, racers)


def not_regulars(race: Raced, *players: int) -> Raced:
    """Return the race with these players not being regulars."""
    return race._replace(racers=[racer._replace(is_regular=racer.player not in players) for racer in race.racers])


def folds() -> tuple[Fold, Fold]:
    return Fold(provisional=True), Fold(provisional=False)


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


def test_sigma_never_grows_and_consecutive_races_chain() -> None:
    rater = Rater()
    sure = [SkillEstimate(1500, 60), SkillEstimate(1500, 60)]
    first = rater.rate(sure, [1, 2])
    assert all(one.sigma <= 60 for one in first)
    rater.rate([SkillEstimate(900, 300)] * 16, list(range(16)))
    assert rater.rate(sure, [1, 2]) == first == Rater().rate(sure, [1, 2])


@pytest.mark.parametrize("total", [-3, -1, 0, 1, 5])
def test_whole_points_add_up_for_any_distance(total: int) -> None:
    assert sum(whole_points([0.4, 0.4], total)) == total


def test_a_race_continues_from_the_last_rating() -> None:
    fold, later = Fold(provisional=False), NOON + timedelta(minutes=1)
    one, two = fold.add(raced(1, 7, 8))
    three, four = fold.add(raced(2, 8, 7, at=later))
    assert (one[:7], two[:7]) == ((1, NOON, 100, 7, 1, 1500, 350), (1, NOON, 101, 8, 2, 1500, 350))
    assert (three.mu_before, three.sigma_before) == (two.mu_after, two.sigma_after)
    assert (four.mu_before, four.sigma_before) == (one.mu_after, one.sigma_after)
    assert [change.races for change in (one, two, three, four)] == [1, 1, 2, 2]
    assert fold.standings == {
        change.player: RatingState(change.mu_after, change.sigma_after, 2, later) for change in (three, four)
    }


def test_five_meetings_a_day_count() -> None:
    """In whichever order the two sit."""
    fold, pairs = Fold(provisional=True), [(1, 2), (2, 1)] * 4
    counted = [len(fold.add(raced(n, *pairs[n], at=NOON + timedelta(minutes=n)))) for n in range(7)]
    assert counted == [2, 2, 2, 2, 2, 0, 0]
    # At midnight UTC the counts are reset.
    assert len(fold.add(raced(9, 2, 1, at=NOON + timedelta(hours=12)))) == 2


def test_five_meetings_a_day_count_if_only_one_is_a_regular() -> None:
    fold = Fold(provisional=False)
    assert [len(fold.add(not_regulars(raced(n, 1, 2), 2))) for n in range(6)] == [1, 1, 1, 1, 1, 0]


def test_a_meeting_too_many_shuts_no_one_out() -> None:
    """1 and 2 no longer move each other, but 3 moves both, as much as alone."""
    fold, alone = Fold(provisional=True), Fold(provisional=True)
    for each in (fold, alone):
        for n in range(5):
            each.add(raced(n, 1, 2))
    first, second, third = fold.add(raced(6, 1, 2, 3))
    with_first = alone.add(raced(6, 1, 3, ranks=(1, 3)))[0]
    assert (first.mu_after, first.sigma_after) == (with_first.mu_after, with_first.sigma_after)
    assert second.mu_after > second.mu_before
    assert third.mu_after < third.mu_before


def test_linked_racers_do_not_move_each_other() -> None:
    settled = dict.fromkeys((1, 2, 3, 4), RatingState(1500, 100, 20))
    linked = raced(1, 1, 2, 3, 4)
    linked = linked._replace(racers=[racer._replace(group=racer.player in {1, 2}) for racer in linked.racers])
    apart = Fold(True, dict(settled)).add(raced(1, 1, 3, 4))
    assert Fold(True, dict(settled)).add(linked)[0].mu_after == apart[0].mu_after
    assert Fold(True, dict(settled)).add(linked._replace(racers=linked.racers[:2])) == []


def series(winners: Sequence[int], *, newcomers: Sequence[int] = ()) -> list[tuple[RatingState, RatingState]]:
    """Return the states of players 1 and 2 in both folds after duels with these winners, one a day."""
    found = []
    for fold in folds():
        for n, winner in enumerate(winners):
            race = raced(n, winner, 3 - winner, at=NOON + n * timedelta(days=1))
            fold.add(not_regulars(race, *newcomers))
        found.append((fold.standings.get(1, RatingState()), fold.standings.get(2, RatingState())))
    return found


@pytest.mark.parametrize("winners", [one for one in product((1, 2), repeat=6) if one.count(1) == 4])
def test_four_wins_to_two_move_both_by_the_same_amount(winners: tuple[int, ...]) -> None:
    """In any order, for two new players with only a provisional rating as well as for two regulars."""
    for newcomers in ((), (1, 2)):
        provisional, rating = series(winners, newcomers=newcomers)
        for better, worse in (provisional, rating)[: 1 if newcomers else 2]:
            assert better.mu > 1500 > worse.mu
            assert better.mu - 1500 == pytest.approx(1500 - worse.mu, abs=1e-5)
            assert better.sigma == worse.sigma
        assert (rating == (RatingState(), RatingState())) == bool(newcomers)


@pytest.mark.parametrize("races", range(1, 10))
def test_more_wins_give_the_higher_rating(races: int) -> None:
    """Always up to four races; in longer series a late run of wins weighs more, so the order matters."""
    ahead: dict[int, list[float]] = {}
    for winners in product((1, 2), repeat=races):
        for better, worse in series(winners):
            ahead.setdefault(winners.count(1), []).append(better.mu - worse.mu)
    for wins, distances in ahead.items():
        if 2 * wins > races:
            assert fmean(distances) > 0
            assert races > 4 or min(distances) > 0


@pytest.mark.parametrize("seed", range(3))
def test_accounts_that_are_not_regulars_move_no_one_else(seed: int) -> None:
    """Among two regulars and a newcomer, nothing that they do changes a rating."""
    choose = random.Random(seed)
    fold, alone = Fold(provisional=False), Fold(provisional=False)
    for n in range(300):
        # Four other accounts that are not regulars: 4 to 7. Some are linked with each other or with the others.
        players = choose.sample(range(1, 8), choose.randint(2, 5))
        racers = [
            Racer(10 * n + who, who, choose.randint(1, 3), choose.choice([0, 0, 0, 1]), who in (1, 2))
            for who in sorted(players)
        ]
        race = Raced(n, NOON + n * timedelta(hours=1), racers)
        without = race._replace(racers=[racer for racer in racers if racer.player < 4])
        changes = [change for change in fold.add(race) if change.player < 4]
        assert changes == alone.add(without)
    assert alone.standings == {who: state for who, state in fold.standings.items() if who < 4}
    assert alone.standings.keys() == {1, 2, 3}


def test_a_newcomers_results_against_regulars_count() -> None:
    fold = Fold(provisional=False)
    (change,) = fold.add(not_regulars(raced(1, 1, 2), 1))
    assert (change.player, change.races) == (1, 1)
    assert change.mu_after > 1600
    assert Fold(provisional=False).add(not_regulars(raced(1, 1, 2), 1, 2)) == []
    assert len(Fold(provisional=True).add(not_regulars(raced(1, 1, 2), 1, 2))) == 2


def test_duels_add_up_to_the_change_and_say_who_does_not_count() -> None:
    choose = random.Random(8)
    for n in range(200):
        states = [RatingState(choose.uniform(1200, 1800), 150, choose.choice([3, 30])) for _ in range(5)]
        fold = Fold(choose.random() < 0.5, dict(enumerate(states)))
        met = [Racer(0, 0, 1), Racer(1, 1, 2)]
        fold.resume(NOON.date(), [met] * choose.choice([1, 5]))
        racers = [
            Racer(who, who, choose.randint(1, 4), choose.choice([0, 0, 1]), choose.random() < 0.5) for who in range(5)
        ]
        duels = fold.duels(Raced(n, NOON, racers))
        moved = {change.entrant: change.mu_after - change.mu_before for change in fold.add(Raced(n, NOON, racers))}
        for entrant, parts in duels.items():
            assert [duel.rival for duel in parts] == [who for who in range(5) if who != entrant]
            points = [duel.points for duel in parts]
            assert sum(points) == pytest.approx(moved.get(entrant, 0), abs=5e-6)
            assert all((duel.limit is None) or duel.points == 0 for duel in parts)
            if not fold.provisional:
                limits = {duel.rival: duel.limit for duel in parts}
                assert all(limit or racers[rival].is_regular for rival, limit in limits.items())
            total = round(moved.get(entrant, 0))
            whole = whole_points(points, total)
            assert sum(whole) == total
            assert all(abs(point - part) <= 2 for point, part in zip(whole, points, strict=True))


def test_an_opponent_who_is_not_a_regular_is_named_as_such() -> None:
    duels = Fold(provisional=False).duels(not_regulars(raced(1, 1, 2), 2))
    assert [(duel.points, duel.limit) for duel in duels[100]] == [(0, Limit.NOT_REGULAR)]
    assert [(duel.points < -100, duel.limit) for duel in duels[101]] == [(True, None)]


def test_resumed_meetings_equal_folded_ones() -> None:
    whole, resumed = Fold(provisional=True), Fold(provisional=True)
    race = raced(1, 1, 2, 3)
    race = race._replace(racers=[racer._replace(group=racer.player in {2, 3}) for racer in race.racers])
    for n in range(5):
        whole.add(race._replace(race=n))
    resumed.resume(NOON.date(), [race.racers] * 5)
    assert whole.met == resumed.met == {(1, 2): 5, (1, 3): 5}
    assert resumed.add(raced(6, 1, 2)) == []


def test_a_single_player_is_not_rated() -> None:
    fold = Fold(provisional=True)
    assert fold.add(raced(1, 7)) == fold.add(raced(2)) == []
    assert not fold.standings


def test_honest_predictions_stay_good() -> None:
    """Of a month of 200 players, half of them regulars."""
    month = simulation.Month(seed=1, regulars=0.5)
    assert month.log_loss("shown") < 1.01 * month.log_loss("provisional")


def test_one_regular_feeds_a_limited_number_of_points() -> None:
    assert simulation.fed(by_regulars=False) == 0
    assert 0 < simulation.fed(by_regulars=True) < 300
