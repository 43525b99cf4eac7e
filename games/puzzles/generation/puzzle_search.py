"""Search for one puzzle, in a process of its own (`games.core.search_process`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import SystemRandom
from typing import Final

from games.puzzles.generation.generator import find_puzzle, puzzle_before, puzzle_near
from games.puzzles.puzzle import Puzzle

NICENESS: Final = 19
#: Simulated games of one search; starting a process costs as much as one or two.
GAMES: Final = 20


@dataclass(frozen=True, slots=True)
class PuzzleRequest:
    """A variant, and the positions of a lost game up to the last winnable one; without any, games are simulated."""

    variant: str
    positions: list[str]


def search(request: PuzzleRequest) -> Iterator[Puzzle]:
    """Yield a puzzle from the end of the positions, or from simulated games on random deals, if there is one."""
    variant, positions = request.variant, request.positions
    if positions:
        found = iter([puzzle_before(variant, positions) or puzzle_near(variant, positions[-1])])
    else:
        found = (find_puzzle(variant, SystemRandom()) for _ in range(GAMES))
    yield from (puzzle for puzzle in found if puzzle is not None)
