"""The rating model: calibrated predictions for simulated players of known skill, and initial ratings of puzzles."""

from __future__ import annotations

import math
from dataclasses import replace
from heapq import nsmallest
from random import Random
from statistics import fmean, pstdev

from games.puzzles.ratings.initial_ratings import initial_rating
from games.puzzles.ratings.rating_model import MU, SETTLED, RatingEstimate, rate
from tests.games.puzzles.puzzles import LABYRINTH, starters

#: Points that make the odds e times higher.
SCALE = 400 / math.log(10)


def simulated_tries(players: int = 200, puzzles: int = 264, tries: int = 40) -> list[tuple[float, float]]:
    """Return the predicted and the true chance of each try by players of known skill, rated one after another.

    Difficulties differ from the puzzles' initial ratings. A player makes about `tries` tries, most at puzzles near the
    player's rating, the others at any.
    """
    draw, spread, error = Random(1), 300.0, 250.0
    skills = [draw.gauss(MU, spread) for _ in range(players)]
    levels = [RatingEstimate(draw.gauss(MU, spread), error) for _ in range(puzzles)]
    difficulties = [draw.gauss(level.mu, error) for level in levels]
    ratings, untried = [RatingEstimate()] * players, [list(range(puzzles)) for _ in skills]
    counts = [min(puzzles, math.ceil(draw.expovariate(1 / tries))) for _ in skills]
    order = [who for who, count in enumerate(counts) for _ in range(count)]
    draw.shuffle(order)
    found = []
    for who in order:
        mu, left = ratings[who].mu, untried[who]
        near = left if draw.random() < 0.3 else nsmallest(10, left, key=lambda one: abs(levels[one].mu - mu))
        left.remove(puzzle := draw.choice(near))
        true = 1 / (1 + math.exp((difficulties[puzzle] - skills[who]) / SCALE))
        found.append((chance(ratings[who], levels[puzzle]), true))
        ratings[who], levels[puzzle] = rate(ratings[who], levels[puzzle], solved=draw.random() < true)
    return found


def test_predictions_are_within_three_points_in_ten_bins() -> None:
    """By the true chances, which the simulation knows: results of so few tries would add noise."""
    bins: list[list[tuple[float, float]]] = [[] for _ in range(10)]
    for predicted, true in simulated_tries():
        bins[min(9, int(predicted * 10))].append((predicted, true))
    for tries in bins:
        assert len(tries) > 300
        assert abs(fmean(predicted - true for predicted, true in tries)) < 0.03


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
    ratings = [initial_rating(puzzle) for puzzle in starters()]
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


def chance(player: RatingEstimate, puzzle: RatingEstimate) -> float:
    """Return the probability that a player solves a puzzle without a wrong move.

    It is the logistic curve, averaged over both estimates in the usual approximation with π/8.
    """
    spread = math.sqrt(SCALE**2 + math.pi / 8 * (player.sigma**2 + puzzle.sigma**2))
    return 1 / (1 + math.exp((puzzle.mu - player.mu) / spread))
