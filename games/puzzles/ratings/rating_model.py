"""Rating model: a try is a game between player and puzzle (docs/puzzles.md, "Ratings")."""

from __future__ import annotations

from typing import Final, NamedTuple

from openskill.models import BradleyTerryPart

MU: Final = 1500.0
SIGMA: Final = 350.0
TAU: Final = 5.0
#: With the uncertainty that two much rated estimates keep, 400 points are odds of ten to one, as in chess.
BETA: Final = 114.0
#: The most uncertain rating that counts as settled: it moves puzzles, and is shown without a "?".
SETTLED: Final = 130.0


def _shrink(c: float, _teams: int, _mu: float, variance: float, *_others: object) -> float:
    """Return the factor by which a result reduces the variance: by as much as Bayes' rule does after an even game.

    With the library's own factor, ratings settle too slowly.
    """
    return c**2 / (c**2 - 0.75 * variance)


# The limit belongs to the model: passed to `rate()` it would stay set for later callers.
_MODEL: Final = BradleyTerryPart(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU, gamma=_shrink, limit_sigma=True)


class RatingEstimate(NamedTuple):
    """Estimate of a player's skill or a puzzle's difficulty: the mean, and its standard deviation."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def is_settled(self) -> bool:
        """True if the estimate is certain enough to move a puzzle's rating."""
        return self.sigma <= SETTLED


def rate(player: RatingEstimate, puzzle: RatingEstimate, *, solved: bool) -> tuple[RatingEstimate, RatingEstimate]:
    """Return the estimates of player and puzzle after a try; a puzzle learns only from players with settled ratings."""
    teams = [[_MODEL.create_rating([*estimate])] for estimate in (player, puzzle)]
    (one,), (other,) = _MODEL.rate(teams, ranks=[0, 1] if solved else [1, 0])
    after = RatingEstimate(one.mu, one.sigma)
    return after, RatingEstimate(other.mu, other.sigma) if player.is_settled else puzzle
