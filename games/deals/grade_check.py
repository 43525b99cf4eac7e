"""Grade check: simulated players of three skills try the reference sample, and should win less at each higher grade.

They substitute for people while there are too few results (`games.deals.grade_fitting`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import Final

from games.deals.difficulty import GRADES, DifficultyFigures, grade, sample_seed
from games.rules import open_table
from games.solver.simulated_players import SKILLS, skilled_game

#: Number of tries of each simulated player at a deal.
GAMES: Final = 2


@dataclass(frozen=True, slots=True)
class Sampled:
    """A deal of the reference sample."""

    variant: str
    number: int
    figures: DifficultyFigures

    @property
    def grade(self) -> int:
        """The deal's grade, 1 to 5."""
        return grade(self.variant, self.figures)


@dataclass(frozen=True, slots=True)
class Checked:
    """Games and wins of a simulated player at the deals of a variant and grade."""

    skill: str
    variant: str
    grade: int
    games: int
    wins: int


def try_deal(deal: Sampled) -> dict[str, int]:
    """Return the wins of each simulated player in `GAMES` tries at a deal; deterministic."""
    seed = sample_seed(deal.variant, deal.number)
    wins: dict[str, int] = {}
    for name, skill in SKILLS.items():
        chance = Random(sha256(f"talon grade check {name} ".encode() + seed).digest())  # noqa: S311 - repeatable
        wins[name] = sum(skilled_game(open_table(deal.variant, seed), skill, chance) for _ in range(GAMES))
    return wins


def totals(results: Iterable[tuple[Sampled, dict[str, int]]]) -> list[Checked]:
    """Sum up the games and wins by player, variant and grade."""
    played: Counter[tuple[str, str, int]] = Counter()
    won: Counter[tuple[str, str, int]] = Counter()
    for deal, wins in results:
        for name, count in wins.items():
            played[name, deal.variant, deal.grade] += GAMES
            won[name, deal.variant, deal.grade] += count
    return [Checked(*key, games=count, wins=won[key]) for key, count in played.items()]


def shares(checked: Sequence[Checked], skill: str) -> list[float]:
    """Return a player's share of wins at each grade, gentle first; every variant has equal weight."""
    rows = [[row.wins / row.games for row in checked if (row.skill, row.grade) == (skill, k)] for k in GRADES]
    return [sum(values) / max(1, len(values)) for values in rows]


def failures(checked: Sequence[Checked]) -> list[str]:
    """Return the players whose share of wins does not fall with every grade; an empty list if the grades hold."""
    return [name for name in SKILLS if any(after >= before for before, after in pairwise(shares(checked, name)))]
