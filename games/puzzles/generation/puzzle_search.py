"""Search for puzzles, in a process of its own (`games.core.search_process`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import SystemRandom
from typing import Final

from games.puzzles.generation.generator import puzzles_along, puzzles_of_deal
from games.puzzles.puzzle import Puzzle

NICENESS: Final = 19
#: Deals of one search: enough that starting the process takes the smaller part of the time.
DEALS: Final = 100


@dataclass(frozen=True, slots=True)
class PuzzleRequest:
    """A variant, and the positions of a lost game up to the last winnable one; without any, games are simulated."""

    variant: str
    positions: list[str]


def search(request: PuzzleRequest) -> Iterator[Puzzle]:
    """Yield a puzzle from the end of the positions, or all from simulated games on random deals."""
    chance = SystemRandom()
    if request.positions:
        found = puzzles_along(request.variant, request.positions, chance)
        yield from ([puzzle] if (puzzle := next(found, None)) else [])
        return
    for _ in range(DEALS):
        yield from puzzles_of_deal(request.variant, chance)
