"""The rating model: calibrated predictions for simulated players of known skill, and initial ratings of puzzles."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, pstdev

from games.puzzles import store
from games.puzzles.ratings.initial_ratings import initial_rating
from games.puzzles.ratings.rating_model import MU, SETTLED, RatingEstimate, chance, rate
from tests.games.puzzles.puzzles import LABYRINTH
from tests.games.puzzles.simulated_tries import BINS, World, calibration, play


def test_predictions_are_within_three_points_in_ten_bins() -> None:
    """By the true chances, which the simulation knows: results of so few tries would add noise."""
    bins = calibration(play(World(), rate, chance, seed=1))
    assert len(bins) == BINS
    assert min(one.tries for one in bins) > 300
    assert max(abs(one.predicted - one.true) for one in bins) < 0.03


def test_a_bad_model_is_not_calibrated() -> None:
    def ignore(
        player: RatingEstimate, puzzle: RatingEstimate, *, solved: bool
    ) -> tuple[RatingEstimate, RatingEstimate]:
        del solved
        return player._replace(sigma=60), puzzle

    bins = calibration(play(World(players=100), ignore, chance, seed=1))
    assert max(abs(one.predicted - one.true) for one in bins) > 0.05


def test_ratings_settle_after_fourteen_tries() -> None:
    player = RatingEstimate()
    for number in range(14):
        assert not player.is_settled
        player, _ = rate(player, RatingEstimate(player.mu, 200), solved=number % 2 == 0)
    assert player.is_settled


def test_settled_players_move_puzzles_and_newcomers_do_not() -> None:
    puzzle = RatingEstimate(sigma=250)
    assert rate(RatingEstimate(sigma=SETTLED + 1), puzzle, solved=True)[1] == puzzle
    assert rate(RatingEstimate(sigma=SETTLED), puzzle, solved=True)[1].mu < MU
    assert rate(RatingEstimate(sigma=SETTLED), puzzle, solved=False)[1].mu > MU


def test_odds_are_ten_to_one_at_four_hundred_points() -> None:
    assert round(chance(RatingEstimate(1900, 0), RatingEstimate(1500, 0)), 4) == round(10 / 11, 4)


def test_known_values_stay() -> None:
    """A new version of the library that changes them changes every rating."""
    player, puzzle = rate(RatingEstimate(1600, 100), RatingEstimate(1500, 200), solved=True)
    assert [round(value, 3) for value in (*player, *puzzle)] == [1614.917, 98.337, 1440.444, 177.772]


def test_shipped_puzzles_have_different_initial_ratings_around_the_mean() -> None:
    ratings = [initial_rating(puzzle) for puzzle in store.starters()]
    assert abs(fmean(ratings) - MU) < 5
    assert 250 < pstdev(ratings) < 400


def test_more_turns_make_a_puzzle_harder() -> None:
    first = replace(
        LABYRINTH,
        line=LABYRINTH.line[:1],
        finish=(*LABYRINTH.line[1:], *LABYRINTH.finish),
        losses=LABYRINTH.losses[:1],
    )
    assert initial_rating(first) < initial_rating(LABYRINTH)
