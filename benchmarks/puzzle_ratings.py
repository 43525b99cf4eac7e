"""Accuracy of puzzle ratings on simulated players of known skill: log loss, and calibration over ten bins.

`python -m benchmarks.puzzle_ratings [--players N] [--seed N]` compares the site's model with OpenSkill's others; the
exit code is 1 if the site's is off by more than three points in a bin. It needs no database.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from openskill.models import BradleyTerryPart, PlackettLuce, ThurstoneMostellerFull

from benchmarks.references import amount, announce
from games.puzzles.ratings import rating_model
from games.puzzles.ratings.rating_model import BETA, MU, SIGMA, TAU, RatingEstimate
from tests.games.puzzles.simulated_tries import Rate, World, calibration, excess_loss, log_loss, play

#: Most points by which a bin may be off.
OFF_AIM = 3.0
WORLDS = {"steady": World(), "improving": World(progress=150)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    announce()
    print("| players | model | log loss | beyond the true chances' |")
    print("| --- | --- | ---: | ---: |")
    for kind, world in WORLDS.items():
        for name, rate in models().items():
            tries = play(world, rate, rating_model.chance, options.seed)
            print(f"| {kind} | {name} | {log_loss(tries):.4f} | {excess_loss(tries):.4f} |", flush=True)
    world = World(players=options.players)
    bins = calibration(play(world, rating_model.rate, rating_model.chance, options.seed))
    print("\n| predicted | solved | tries |")
    print("| ---: | ---: | ---: |")
    for one in bins:
        print(f"| {one.predicted:.1%} | {one.solved:.1%} | {one.tries:,} |")
    off = max(abs(one.predicted - one.solved) for one in bins)
    return int(not amount("most points that a bin is off", 100 * off, "%", at_most=OFF_AIM))


def models() -> Mapping[str, Rate]:
    """Return the site's model, and OpenSkill's with their own way to reduce the uncertainty."""
    found: dict[str, Any] = {"Bradley-Terry": BradleyTerryPart, "Plackett-Luce": PlackettLuce}
    found["Thurstone-Mosteller"] = ThurstoneMostellerFull
    return {"the site's": rating_model.rate, **{name: rate_by(model) for name, model in found.items()}}


def rate_by(kind: Any) -> Rate:  # noqa: ANN401 - the library's models have no common type
    """Return the function that rates a try by a model of the library with the site's parameters."""
    model = kind(mu=MU, sigma=SIGMA, beta=BETA, tau=TAU, limit_sigma=True)

    def rate(player: RatingEstimate, puzzle: RatingEstimate, *, solved: bool) -> tuple[RatingEstimate, RatingEstimate]:
        teams = [[model.create_rating([*estimate])] for estimate in (player, puzzle)]
        (one,), (other,) = model.rate(teams, ranks=[0, 1] if solved else [1, 0])
        after = RatingEstimate(one.mu, one.sigma)
        return after, RatingEstimate(other.mu, other.sigma) if player.is_settled else puzzle

    return rate


if __name__ == "__main__":
    sys.exit(main())
