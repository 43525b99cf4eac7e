"""Simulated players of known skill who try puzzles of known difficulty, and how well ratings predict their tries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from random import Random
from statistics import fmean
from typing import Final, NamedTuple

from games.puzzles.ratings.rating_model import MU, SCALE, RatingEstimate

BINS: Final = 10
#: Puzzles among which the next one at a player's rating is drawn.
_NEAR: Final = 10

Rate = Callable[..., tuple[RatingEstimate, RatingEstimate]]
Chance = Callable[[RatingEstimate, RatingEstimate], float]


@dataclass(frozen=True, slots=True)
class World:
    """Players and puzzles of a simulation.

    Skills have the deviation `spread`, as have the puzzles' initial ratings; difficulties differ from these by `error`.
    A player makes about `tries` tries, many players few and few many. `daily` is the share of tries at any puzzle,
    whatever its rating; the others are drawn near the player's rating. Skill grows by up to `progress` points.
    """

    players: int = 600
    puzzles: int = 264
    tries: int = 40
    spread: float = 300.0
    error: float = 250.0
    daily: float = 0.3
    progress: float = 0.0


class Outcome(NamedTuple):
    """A try: the predicted and the true chance, whether it was solved, and how many tries the player made before."""

    predicted: float
    true: float
    solved: bool
    number: int


def play(world: World, rate: Rate, chance: Chance, seed: int) -> list[Outcome]:
    """Play all tries in random order, rating after each."""
    draw = Random(seed)
    skills = [draw.gauss(MU, world.spread) for _ in range(world.players)]
    players = [RatingEstimate()] * world.players
    puzzles = [RatingEstimate(draw.gauss(MU, world.spread), world.error) for _ in range(world.puzzles)]
    difficulties = [draw.gauss(puzzle.mu, world.error) for puzzle in puzzles]
    untried = [list(range(world.puzzles)) for _ in skills]
    found = []
    for who in _order(world, draw):
        left = untried[who]
        puzzle = draw.choice(left if draw.random() < world.daily else _nearest(left, puzzles, players[who].mu))
        left.remove(puzzle)
        number = world.puzzles - len(left) - 1
        skill = skills[who] + world.progress * (1 - math.exp(-number / 50))
        true = 1 / (1 + math.exp((difficulties[puzzle] - skill) / SCALE))
        solved = draw.random() < true
        found.append(Outcome(chance(players[who], puzzles[puzzle]), true, solved, number))
        players[who], puzzles[puzzle] = rate(players[who], puzzles[puzzle], solved=solved)
    return found


def _order(world: World, draw: Random) -> list[int]:
    """Return who makes each try."""
    counts = [min(world.puzzles, math.ceil(draw.expovariate(1 / world.tries))) for _ in range(world.players)]
    order = [who for who, count in enumerate(counts) for _ in range(count)]
    draw.shuffle(order)
    return order


def _nearest(left: Sequence[int], puzzles: Sequence[RatingEstimate], mu: float) -> list[int]:
    return nsmallest(_NEAR, left, key=lambda puzzle: abs(puzzles[puzzle].mu - mu))


def log_loss(outcomes: Iterable[Outcome]) -> float:
    """Return the mean log loss of the predictions."""
    return -fmean(math.log(one.predicted if one.solved else 1 - one.predicted) for one in outcomes)


def excess_loss(outcomes: Iterable[Outcome]) -> float:
    """Return by how much the expected log loss of the predictions exceeds that of the true chances."""
    return fmean(
        one.true * math.log(one.true / one.predicted) + (1 - one.true) * math.log((1 - one.true) / (1 - one.predicted))
        for one in outcomes
    )


class Bin(NamedTuple):
    """Tries whose predictions are in one tenth of the range: how many, and mean prediction, true chance and result."""

    tries: int
    predicted: float
    true: float
    solved: float


def calibration(outcomes: Iterable[Outcome]) -> list[Bin]:
    """Return the tries in ten bins of equal width, by prediction."""
    bins: list[list[Outcome]] = [[] for _ in range(BINS)]
    for one in outcomes:
        bins[min(BINS - 1, int(one.predicted * BINS))].append(one)
    return [
        Bin(
            len(part),
            fmean(one.predicted for one in part),
            fmean(one.true for one in part),
            fmean(one.solved for one in part),
        )
        for part in bins
    ]
