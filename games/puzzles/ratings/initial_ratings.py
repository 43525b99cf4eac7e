"""Initial ratings of puzzles, from features of the position and of the way to win.

The constants are fitted to simulated players: `python -m benchmarks.puzzle_difficulty` prints them.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import fmean
from typing import Final

from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings.rating_model import MU
from games.solver.simulated_players import wish

#: Points for each unit of a feature.
WEIGHTS: Final = {"choices": 113.0, "draws": 66.0, "unpromising": 223.0, "moves": 80.0}
#: Points of each variant of the shipped puzzles. Others get the mean.
LEVELS: Final = {
    "braid": -995.0,
    "braid-either": -1007.0,
    "labyrinth": -807.0,
    "pigtail": -951.0,
    "plot": -749.0,
    "stonewall": -665.0,
}
#: Uncertainty of an initial rating: the fit errs by nearly as much on puzzles left out.
PUZZLE_SIGMA: Final = 250.0


# Tests store the shipped puzzles in hundreds of fresh databases.
@lru_cache(512)
def initial_rating(puzzle: Puzzle) -> float:
    """Return the rating that a puzzle begins with."""
    level = LEVELS.get(puzzle.variant, fmean(LEVELS.values()))
    return MU + level + sum(WEIGHTS[name] * value for name, value in features(puzzle).items())


def features(puzzle: Puzzle) -> dict[str, float]:
    """Return the features that the initial rating is computed from.

    `choices` are the log of the number of ways to answer all turns, `draws` the turns whose answer is to draw cards,
    `unpromising` is 1 if the first answer looks worse than another move, and `moves` are the log of the win's length.
    """
    table, right = puzzle.table_at(0), puzzle.line[0]
    return {
        "choices": sum(math.log(1 + len(losses)) for losses in puzzle.losses),
        "draws": sum(puzzle.line[n] in ("d", "n") for n in puzzle.turns),
        "unpromising": any(wish(table, token) < wish(table, right) for token in puzzle.losses[0]),
        "moves": math.log(len(puzzle.line) + len(puzzle.finish)),
    }
