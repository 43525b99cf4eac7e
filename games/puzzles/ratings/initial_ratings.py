"""Initial ratings of puzzles, from features of the position and of the way to win.

The constants are fitted to simulated players (docs/puzzles.md, "Ratings").
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import fmean
from typing import Final

from games.manifests import VARIANTS
from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings.rating_model import MU
from games.solver.simulated_players import wish

#: Points for each unit of a feature.
WEIGHTS: Final = {"choices": 113.0, "draws": 66.0, "unpromising": 223.0, "moves": 80.0}
#: Points of a variant without any of its own.
_MEAN_POINTS: Final = fmean(facts.puzzle_points for facts in VARIANTS.values() if facts.puzzle_points is not None)
#: Uncertainty of an initial rating: the fit errs by nearly as much on puzzles left out.
PUZZLE_SIGMA: Final = 250.0


# Tests store the shipped puzzles in hundreds of fresh databases.
@lru_cache(512)
def initial_rating(puzzle: Puzzle) -> float:
    """Return the rating that a puzzle begins with."""
    points = VARIANTS[puzzle.variant].puzzle_points
    return (
        MU
        + (_MEAN_POINTS if points is None else points)
        + sum(WEIGHTS[name] * value for name, value in features(puzzle).items())
    )


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
