"""The rating rules on plain values, and the formula."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from statistics import fmean

import pytest

from games.races.results.ratings_registry import Limit
from leaderboards.ratings.formula import Rater, SkillEstimate, shares, whole_points
from leaderboards.ratings.rules import CAP, GAP, LAST, RACES, Fold, Raced, Racer, RatingState
from tests.leaderboards.ratings import feeding

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
            parts = [share.points for share in shares(before, ranks, k)]
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
    """Seven and eight have raced too seldom for the limit on newcomers to matter, but for the first race's excess."""
    fold, later = Fold(), NOON + timedelta(minutes=1)
    (one, two), (three, four) = fold.fold([raced(1, 7, 8), raced(2, 8, 7, at=later)])
    assert (one[:7], two[:7]) == ((1, NOON, 100, 7, 1, 1500, 350), (1, NOON, 101, 8, 2, 1500, 350))
    assert (three.mu_before, three.sigma_before) == (two.mu_after, two.sigma_after)
    assert (four.mu_before, four.sigma_before) == (one.mu_after, one.sigma_after)
    assert [change.races for change in (one, two, three, four)] == [1, 1, 2, 2]
    assert fold.standings == {
        change.player: RatingState(change.mu_after, change.sigma_after, 2, later, change.limited)
        for change in (three, four)
    }


def test_five_meetings_a_day_count() -> None:
    """In whichever order the two sit."""
    fold, pairs = Fold(), [(1, 2), (2, 1)] * 4
    counted = [len(fold.add(raced(n, *pairs[n], at=NOON + timedelta(minutes=n)))) for n in range(7)]
    assert counted == [2, 2, 2, 2, 2, 0, 0]
    # At midnight UTC the counts are reset.
    assert len(fold.add(raced(9, 2, 1, at=NOON + timedelta(hours=12)))) == 2


def test_a_meeting_too_many_shuts_no_one_out() -> None:
    """1 and 2 no longer move each other, but 3 moves both, as much as alone."""
    fold, alone = Fold(), Fold()
    for each in (fold, alone):
        for n in range(5):
            each.add(raced(n, 1, 2))
    first, second, third = fold.add(raced(6, 1, 2, 3))
    with_first = alone.add(raced(6, 1, 3, ranks=(1, 3)))[0]
    assert (first.mu_after, first.sigma_after) == (with_first.mu_after, with_first.sigma_after)
    assert second.mu_after > second.mu_before
    assert third.mu_after < third.mu_before


def test_linked_racers_do_not_move_each_other() -> None:
    fold, settled = Fold(), RatingState(1500, 100, 20)
    fold.standings = dict.fromkeys((1, 2, 3, 4), settled)
    linked = raced(1, 1, 2, 3, 4)
    linked = linked._replace(racers=[racer._replace(group=racer.player in {1, 2}) for racer in linked.racers])
    apart = Fold(dict(fold.standings)).add(raced(1, 1, 3, 4))
    changes = fold.add(linked)
    assert changes[0].mu_after == apart[0].mu_after
    assert Fold(dict.fromkeys((1, 2), settled)).add(linked._replace(racers=linked.racers[:2])) == []


def settled(*players: int) -> Fold:
    return Fold(dict.fromkeys(players, RatingState(1500, 100, RACES)))


def newcomer(raced: Raced, *players: int) -> Raced:
    """Return the race with these players as newcomers."""
    racers = [racer._replace(is_regular=racer.player not in players) for racer in raced.racers]
    return raced._replace(racers=racers)


def duel_with(rival: RatingState, *, times: int, ranks: tuple[int, ...] = (1, 2), regular: bool = True) -> RatingState:
    """Return the state of a player rated 1500 after duels with a rival in that state, one a day."""
    fold = settled(1)
    for n in range(times):
        fold.standings[2] = rival
        race = raced(n, 1, 2, ranks=ranks, at=NOON + n * timedelta(days=1))
        fold.add(race if regular else newcomer(race, 2))
    return fold.standings[1]


def test_newcomers_give_a_hundred_points_in_all() -> None:
    after = duel_with(RatingState(1500, 100, RACES), times=200, regular=False)
    assert after.mu == pytest.approx(1500 + CAP)
    assert after.limited == CAP


def test_points_lost_to_newcomers_count_in_full() -> None:
    """Newcomers can give back at most twice the cap."""
    rival = RatingState(1500, 100, RACES)
    lost = duel_with(rival, times=200, ranks=(2, 1), regular=False)
    assert lost.mu < 1500 - 2 * CAP
    assert lost.limited == -CAP
    fold = Fold({1: lost})
    for n in range(400, 600):
        fold.standings[2] = rival
        fold.add(newcomer(raced(n, 1, 2, at=NOON + n * timedelta(days=1)), 2))
    assert fold.standings[1].mu == pytest.approx(lost.mu + 2 * CAP)


def test_regulars_rated_far_lower_give_no_more_than_newcomers() -> None:
    """Results within the gap count in full."""
    near = duel_with(RatingState(1500 - GAP, 100, RACES), times=1)
    far = duel_with(RatingState(1499 - GAP, 100, RACES), times=1)
    assert near.limited == 0 < far.limited
    assert duel_with(RatingState(1499 - GAP, 100, RACES), times=300).mu == pytest.approx(1500 + CAP)


@pytest.mark.parametrize("schedule", feeding.ALL)
def test_a_regular_who_loses_on_purpose_is_soon_worth_nothing(schedule: feeding.Schedule) -> None:
    assert feeding.gain(schedule, 13, 1000, seed=4, regulars=1) <= 2 * GAP


def test_regulars_give_more_than_newcomers() -> None:
    after = duel_with(RatingState(1700, 100, RACES), times=20)
    assert after.mu > 1500 + CAP
    assert after.limited == 0


def test_results_that_do_not_count_leave_the_uncertainty() -> None:
    fold = Fold({1: RatingState(1600, 200, RACES, None, CAP)})
    winner, loser = fold.add(newcomer(raced(1, 1, 2), 2))
    assert (winner.mu_after, winner.sigma_after) == (1600, 200)
    assert loser.sigma_after < loser.sigma_before


def test_duels_add_up_to_the_change_and_say_what_is_limited() -> None:
    choose = random.Random(8)
    for n in range(200):
        states = [
            RatingState(choose.uniform(1200, 1800), 150, choose.choice([3, 30]), None, choose.uniform(-100, 100))
            for _ in range(5)
        ]
        fold = Fold(dict(enumerate(states)))
        fold.resume(NOON.date(), [[0, 1]] * choose.choice([1, 5]))
        racers = [
            Racer(who, who, choose.randint(1, 4), choose.choice([0, 0, 1]), choose.random() < 0.5) for who in range(5)
        ]
        duels = fold.duels(Raced(n, NOON, racers))
        for change in fold.add(Raced(n, NOON, racers)):
            parts = duels[change.entrant]
            assert sum(duel.points for duel in parts) == pytest.approx(change.mu_after - change.mu_before, abs=3e-6)
            assert all(duel.points == 0 for duel in parts if duel.limit in {Limit.LINKED, Limit.MET})
            assert abs(change.limited) <= CAP


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


@pytest.mark.parametrize("schedule", feeding.ALL)
def test_feeding_gains_at_most_a_hundred_points(schedule: feeding.Schedule) -> None:
    """From any number of networks, with any number of races against others."""
    assert feeding.gain(schedule, 13, 400, seed=4) <= CAP + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_two_accounts_that_trade_wins_pass_no_one(seed: int) -> None:
    """Each races regulars twenty times; then they win in turn, more often than a day allows, for thirty days."""
    choose = random.Random(seed)
    fold = Fold({who: RatingState(mu, 80, 300, NOON) for who, mu in feeding.OUTSIDERS.items()})
    duels = [feeding.played(choose, player) for _ in range(20) for player in (1, 2)]
    for number, players in enumerate(duels):
        at = NOON + timedelta(minutes=number)
        fold.add(feeding.race(number, at, players, regular=lambda _: True))
    before = dict(fold.standings)
    better = max(before[player].mu for player in (1, 2))
    for number in range(30 * 8):
        at = NOON + timedelta(days=1 + number // 8, minutes=number)
        players = (1, 2) if number % 2 else (2, 1)
        fold.add(feeding.race(100 + number, at, players, regular=lambda _: True))
    assert {who: fold.standings[who] for who in feeding.OUTSIDERS} == {who: before[who] for who in feeding.OUTSIDERS}
    assert [fold.standings[player].races for player in (1, 2)] == [20 + 30 * 5] * 2
    assert max(fold.standings[player].mu for player in (1, 2)) < better + 10


def test_only_regulars_are_not_limited() -> None:
    state = RatingState(1500, 100, 50, NOON, CAP)
    (limited,), (free,) = (Fold({1: state}).duels(race)[100] for race in (newcomer(raced(1, 1, 2), 2), raced(1, 1, 2)))
    assert limited.limit is Limit.CAPPED
    assert limited.points == pytest.approx(0)
    assert free.limit is None
    assert free.points > 0


def test_regulars_correct_what_newcomers_gave() -> None:
    """Newcomers can then move the rating again, but never by more than the cap from where regulars put it."""
    fold = settled(1)
    fold.standings[7] = RatingState(1600, 150, 20, NOON, CAP)
    fold.add(raced(1, 1, 7))
    assert 80 < fold.standings[7].limited < CAP
    assert fold.standings[7].mu < 1600
    again = fold.add(newcomer(raced(2, 7, 8), 8))[0]
    assert again.mu_after > again.mu_before
    assert again.limited <= CAP


def test_honest_predictions_stay_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """On quiet sites of ten players, too, seven of them regulars."""

    def mean_accuracy() -> feeding.Accuracy:
        runs = [feeding.accuracy(seed, regulars=0.7) for seed in (3, 4)]
        return feeding.Accuracy(*(fmean(column) for column in zip(*runs, strict=True)))

    rated = mean_accuracy()
    monkeypatch.setattr("leaderboards.ratings.rules.CAP", math.inf)
    free = mean_accuracy()
    assert rated.late < free.late * 1.03
    assert rated.first < free.first * 1.06
    assert rated.correlation > free.correlation - 0.03
