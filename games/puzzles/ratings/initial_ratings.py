"""Initial ratings of puzzles, from features of the position and of the way to win (docs/puzzles.md, "Ratings")."""

from __future__ import annotations

import math
from statistics import fmean
from typing import Final

from games.manifests import VARIANTS
from games.puzzles.puzzle import Puzzle
from games.puzzles.ratings.rating_model import MU
from games.solver.simulated_players import wish

#: Points for each unit of a feature.
CHOICES, DRAWS, UNPROMISING, MOVES = 113.0, 66.0, 223.0, 80.0
#: Points of a variant without any of its own.
_MEAN_POINTS: Final = fmean(facts.puzzle_points for facts in VARIANTS.values() if facts.puzzle_points is not None)
#: Uncertainty of an initial rating: the fit errs by nearly as much on puzzles left out.
PUZZLE_SIGMA: Final = 250.0


def initial_rating(puzzle: Puzzle) -> float:
    """Return the rating that a puzzle begins with."""
    table, right = puzzle.table_at(0), puzzle.line[0]
    points = VARIANTS[puzzle.variant].puzzle_points
    return (
        MU
        + (_MEAN_POINTS if points is None else points)
        + CHOICES * sum(math.log(1 + len(losses)) for losses in puzzle.losses)
        + DRAWS * sum(puzzle.line[n] in ("d", "n") for n in puzzle.turns)
        + UNPROMISING * any(wish(table, token) < wish(table, right) for token in puzzle.losses[0])
        + MOVES * math.log(len(puzzle.line) + len(puzzle.finish))
    )
