"""Difficulty of a deal: measured figures, a score and a grade.

Two simulated players who do not plan ahead, a random and a greedy one, each try the deal several times. The solver
reports its search effort and the length of the winning line after `shorten`. The score is a weighted sum of these four.
It does not include par, so grades stay the same if lines are shortened further. The grade is the score's quintile among
winnable deals of the same variant. docs/difficulty.md documents the method and the reference sample.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from math import log10
from random import Random
from typing import Final

from django.utils.translation import gettext_lazy

from games.manifests import VARIANTS
from games.rules import open_table
from games.rules.table import MAX_TOKENS
from games.solver.simulated_players import greedy_game, random_game

GRADES: Final = {
    1: gettext_lazy("gentle"),
    2: gettext_lazy("easy"),
    3: gettext_lazy("fair"),
    4: gettext_lazy("hard"),
    5: gettext_lazy("fiendish"),
}

#: The middle grade.
FAIR: Final = 3

#: Number of tries of each simulated player at a deal.
GAMES_PLAYED: Final = 20

#: The grades wanted of the nine games on a day, in catalogue order. Each game moves on by one every day, so it is easy
#: every third day. The easy games of a day are of different families.
ROTATION: Final = (1, 3, 4, 2, 3, 5, 2, 3, 4)

#: Maximum par of a daily deal, as a multiple of its variant's median: a longer line is no benchmark for players.
MOST_MEDIANS: Final = 3


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the score: per share of games lost (0 to 1) by each player, per factor of ten in positions searched,
    and per token of the line. `games.deals.grade_fitting` fits new ones to people's results.
    """

    greedy: float
    random: float
    nodes: float
    line: float

    def score(self, terms: tuple[float, float, float, float]) -> float:
        """Return the weighted sum of the terms of a deal's figures."""
        greedy, random, nodes, line = terms
        return self.greedy * greedy + self.random * random + self.nodes * nodes + self.line * line


WEIGHTS: Final = Weights(greedy=40, random=20, nodes=10, line=0.1)


@dataclass(frozen=True, slots=True)
class DifficultyFigures:
    """Measured figures: shares of games won (0 to 1), positions searched, and tokens of the line after `shorten`."""

    random_wins: float
    greedy_wins: float
    nodes: int
    line: int

    @property
    def terms(self) -> tuple[float, float, float, float]:
        """The terms of the score, each larger for harder deals, in the order of the weights."""
        return 1 - self.greedy_wins, 1 - self.random_wins, log10(1 + self.nodes), self.line

    @property
    def score(self) -> float:
        """The difficulty score: higher for harder deals, comparable only within a variant."""
        return WEIGHTS.score(self.terms)


def sample_seed(variant: str, number: int) -> bytes:
    """Return the seed of a deal of the reference sample: reproducible by anyone, and never dealt to players."""
    return sha256(f"talon difficulty {variant} {number}".encode()).digest()


def measure(variant: str, seed: bytes, *, nodes: int, line: int) -> DifficultyFigures:
    """Measure a deal with both simulated players; deterministic, so a deal has the same figures everywhere."""
    chance = Random(sha256(b"talon difficulty" + seed).digest())  # noqa: S311 - repeatable, and nothing secret
    won_at_random = sum(random_game(open_table(variant, seed), chance) for _ in range(GAMES_PLAYED))
    won_greedily = sum(greedy_game(open_table(variant, seed), chance) for _ in range(GAMES_PLAYED))
    return DifficultyFigures(won_at_random / GAMES_PLAYED, won_greedily / GAMES_PLAYED, nodes, line)


def grade(variant: str, figures: DifficultyFigures) -> int:
    """Return the grade, 1 to 5, of a deal of a catalogue variant."""
    thresholds = VARIANTS[variant].grade_thresholds
    return FAIR if thresholds is None else 1 + bisect_right(thresholds, figures.score)


def longest_par(variant: str) -> float:
    """Return the longest par allowed for a daily deal; a longer one would be no benchmark for players."""
    median = VARIANTS[variant].median_par
    return MAX_TOKENS if median is None else MOST_MEDIANS * median


def target_grade(variant: str, day: date) -> int:
    """Return the grade that a catalogue variant's deal of a day should have."""
    return ROTATION[(list(VARIANTS).index(variant) + day.toordinal()) % len(ROTATION)]


def grade_name(number: int | None) -> str:
    """Return a grade's name in the current language; empty for a deal without a grade."""
    return str(GRADES[number]) if number else ""


@cache
def goal_of(variant: str) -> int:
    """Return the number of cards up in a won game of a catalogue variant."""
    return open_table(variant, bytes(32)).goal
