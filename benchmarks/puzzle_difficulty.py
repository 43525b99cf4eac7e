"""Fit of the initial ratings of puzzles to simulated players, who try the shipped puzzles.

`python -m benchmarks.puzzle_difficulty [--games N]` prints the constants of `games.puzzles.ratings.initial_ratings`,
and how well the fit predicts puzzles left out of it. It needs no database.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.references import announce
from games.puzzles.puzzle import STARTERS, Puzzle
from games.puzzles.ratings.initial_ratings import features
from games.puzzles.ratings.rating_model import SCALE
from games.rules import from_position
from games.solver.simulated_players import Skill, skilled_game, wish

#: Share of moves that the players make without looking.
SLIPS = 0.1
#: Games that the players play out in their heads after each move before they choose; the first only looks at the moves.
PLAYERS = (0, 1, 3, 8)
#: Number of choices drawn for each player and turn.
CHOICES = 400
#: The least and the most chance to solve a puzzle that the fit distinguishes.
LEAST, MOST = 0.01, 0.99
FOLDS = 11

Games = Mapping[str, Sequence[tuple[bool, int]]]
"""For each move, how games after it ended: whether won, and the cards on the foundations."""
Figures = NDArray[np.float64]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=40, help="games played after each move")
    options = parser.parse_args()
    announce()
    puzzles = [Puzzle.from_json(row) for row in json.loads(STARTERS.read_text())]
    chances = np.clip([solving(puzzle, options.games, Random(n)) for n, puzzle in enumerate(puzzles)], LEAST, MOST)
    difficulty = np.log(1 / chances - 1) * SCALE
    difficulty -= difficulty.mean()
    variants = sorted({puzzle.variant for puzzle in puzzles})
    table = np.array([[*features(one).values(), *(one.variant == name for name in variants)] for one in puzzles], float)
    weights = np.linalg.lstsq(table, difficulty)[0].round()
    names = list(features(puzzles[0]))
    print(f"{len(puzzles)} puzzles, solved by {chances.mean():.0%} of the players")
    print("WEIGHTS =", dict(zip(names, map(float, weights), strict=False)))
    print("puzzle_points =", dict(zip(variants, map(float, weights[len(names) :]), strict=True)))
    errors = difficulty - left_out(table, difficulty)
    print(f"deviation {difficulty.std():.0f} points, of the errors with puzzles left out {errors.std():.0f}", end="")
    print(f" (R² {1 - errors.var() / difficulty.var():.2f})")
    return 0


def left_out(table: Figures, difficulty: Figures) -> Figures:
    """Predict each difficulty by a fit without a part of the puzzles that it is in."""
    fold = np.arange(len(table)) % FOLDS
    predicted = np.empty(len(table))
    for k in range(FOLDS):
        weights = np.linalg.lstsq(table[fold != k], difficulty[fold != k])[0]
        predicted[fold == k] = table[fold == k] @ weights
    return predicted


def solving(puzzle: Puzzle, games: int, chance: Random) -> float:
    """Return the mean chance of the players to solve a puzzle without a wrong move."""
    chances = dict.fromkeys(PLAYERS, 1.0)
    for turn, n in enumerate(puzzle.turns):
        right = puzzle.line[n]
        position = puzzle.table_at(n).position()
        moves = (right, *puzzle.losses[turn])
        ends = {token: [play_out(position, token, chance) for _ in range(games)] for token in moves}
        for lines in PLAYERS:
            chances[lines] *= imagining(ends, right, lines, chance) if lines else looking(position, moves, right)
    return fmean(chances.values())


def play_out(position: str, token: str, chance: Random) -> tuple[bool, int]:
    """Play a game after a move, and return how it ended."""
    table = from_position(position)
    table.push(token)
    skilled_game(table, Skill(slips=SLIPS), chance)
    return table.is_won, table.cards_up


def looking(position: str, moves: Sequence[str], right: str) -> float:
    """Return the chance that the most promising move is the right one, which a slip may also find."""
    table = from_position(position)
    wishes = {token: wish(table, token) for token in moves}
    return SLIPS / len(moves) + (1 - SLIPS) * share_of(right, (t for t in moves if wishes[t] == min(wishes.values())))


def imagining(ends: Games, right: str, lines: int, chance: Random) -> float:
    """Return the chance that the best of `lines` games after each move is one after the right move."""
    found = 0.5  # neither certain nor impossible, however few choices are drawn
    for _ in range(CHOICES):
        best = {token: max(chance.choice(games) for _ in range(lines)) for token, games in ends.items()}
        found += share_of(right, (token for token in best if best[token] == max(best.values())))
    return found / (CHOICES + 1)


def share_of(right: str, equals: Iterable[Any]) -> float:
    """Return the chance of the right move if one of equals is picked."""
    among = [*equals]
    return (right in among) / len(among)


if __name__ == "__main__":
    sys.exit(main())
