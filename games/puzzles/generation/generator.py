"""Generator of puzzles from the games of simulated players on random deals.

A game is played until it is lost, and its last winnable position is found. From there a search looks for a nearby
position with a single winning move. The deals are random and belong to no day or race, so a puzzle shows nothing of
an open deal.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final

from games.puzzles.generation.proofs import decide, only_winning, prove_again, verdicts
from games.puzzles.puzzle import MAX_TURNS, Puzzle, is_forced, successors
from games.rules import CATALOGUE, Table, from_position, open_table
from games.solver import Solution, Unwinnable, shorten
from games.solver.simulated_players import Skill, skilled_game

#: Players who lose a winnable game by a mistake now and then.
PLAYERS: Final = (Skill(slips=0.15), Skill(slips=0.05, retreats=2), Skill(retreats=3))
#: The fewest ways to answer all turns of a puzzle; one with fewer is too easy to guess.
MIN_ANSWERS: Final = 4
#: The fewest choices at some turn of a puzzle whose answer is only to draw cards.
MIN_CHOICES: Final = 3
#: Positions around a turning point that are tried.
_TRIED: Final = 15
#: Tokens that shortening the winning line may push.
_SHORTENING: Final = 20_000


def find_puzzle(variant: str, chance: Random) -> Puzzle | None:
    """Play one game of a variant, and return a puzzle from the point where it was lost, if there is one."""
    seed = chance.randbytes(32)
    tokens = _lost_game(variant, seed, chance)
    positions = _positions(variant, seed, tokens)
    last = last_winnable(positions)
    if last is None:
        return None
    puzzle = puzzle_before(variant, positions[: last + 1])
    if puzzle is not None:
        history = tokens[: positions.index(puzzle.start)]
    elif (puzzle := puzzle_near(variant, positions[last])) is not None:
        history = (*tokens[:last], *puzzle.history)
    else:
        return None
    return replace(puzzle, seed=seed.hex(), history=history)


def _lost_game(variant: str, seed: bytes, chance: Random) -> tuple[str, ...]:
    """Play a game, and return its moves if it was lost."""
    chosen = CATALOGUE[variant]
    table = open_table(chosen.game, seed, chosen.options)
    return () if skilled_game(table, chance.choice(PLAYERS), chance) else table.moves


def _positions(variant: str, seed: bytes, tokens: Sequence[str]) -> list[str]:
    """Return the positions after 0, 1, 2… moves of a game."""
    chosen = CATALOGUE[variant]
    table = open_table(chosen.game, seed, chosen.options)
    positions = [table.position()]
    for token in tokens:
        table.push(token)
        positions.append(table.position())
    return positions


def last_winnable(positions: Sequence[str]) -> int | None:
    """Return the index of the last winnable position of a lost game; None if the solver cannot find it."""
    lost = len(positions) - 1
    step, winnable = 1, lost
    while winnable > 0:
        winnable = max(0, lost - step)
        step *= 2
        verdict = decide(positions[winnable])
        if isinstance(verdict, Solution):
            return _bisect(positions, winnable, lost)
        if not isinstance(verdict, Unwinnable):
            break
        lost = winnable
    return None


def _bisect(positions: Sequence[str], winnable: int, lost: int) -> int | None:
    """Find the last winnable position between a winnable and a lost one."""
    while lost - winnable > 1:
        middle = (winnable + lost) // 2
        verdict = decide(positions[middle])
        if isinstance(verdict, Solution):
            winnable = middle
        elif isinstance(verdict, Unwinnable):
            lost = middle
        else:
            return None
    return winnable


def puzzle_before(variant: str, positions: Sequence[str]) -> Puzzle | None:
    """Return a puzzle that leads to the last of these positions of a game, if enough single moves won before it."""
    for position in reversed(positions[-MAX_TURNS:]):
        if (puzzle := puzzle_at(variant, position)) is not None:
            return puzzle
        if only_winning(verdicts(from_position(position))) is None:
            break
    return None


def puzzle_near(variant: str, start: str) -> Puzzle | None:
    """Search from a winnable position, those with few moves first, for one at which a puzzle begins.

    The puzzle's `history` leads from `start` to its own start.
    """
    queue: list[tuple[int, str, tuple[str, ...]]] = [(0, start, ())]
    seen = {start}
    for _ in range(_TRIED):
        if not queue:
            break
        _, position, history = heapq.heappop(queue)
        if (puzzle := puzzle_at(variant, position)) is not None:
            return replace(puzzle, history=history)
        for reached, token in successors(from_position(position)).items():
            if reached not in seen and isinstance(verdict := decide(reached), Solution) and verdict.tokens:
                seen.add(reached)
                heapq.heappush(queue, (len(successors(from_position(reached))), reached, (*history, token)))
    return None


def puzzle_at(variant: str, position: str) -> Puzzle | None:
    """Return the proven puzzle that starts at a position, if there is one and it is not trivial."""
    table = from_position(position)
    if is_forced(table):
        return None
    line = _only_moves(table)
    puzzle = Puzzle(variant, position, line)
    if _is_trivial(puzzle):
        return None
    end = puzzle.table_at(len(line))
    verdict = decide(end.position())
    assert isinstance(verdict, Solution)
    finish = shorten(end, verdict.tokens, work=_SHORTENING) if verdict.tokens else ()
    puzzle = replace(puzzle, finish=finish)
    losses = prove_again(puzzle)
    return None if losses is None else replace(puzzle, losses=losses)


def _only_moves(table: Table) -> tuple[str, ...]:
    """Play on as long as a single move wins; return the moves up to the last turn."""
    line: list[str] = []
    turns: list[int] = []
    while len(turns) < MAX_TURNS and not table.is_won:
        moves = successors(table)
        right = next(iter(moves)) if len(moves) == 1 else only_winning(verdicts(table))
        if right is None:
            break
        if len(moves) > 1:
            turns.append(len(line))
        line.append(moves[right])
        table.push(moves[right])
    return tuple(line[: turns[-1] + 1]) if turns else ()


def _is_trivial(puzzle: Puzzle) -> bool:
    """Return whether a puzzle is easy to guess, begins with a card that can always go up, or is just drawing cards."""
    tables = [puzzle.table_at(n) for n in puzzle.turns]
    choices = [len(successors(table)) for table in tables]
    is_drawing = {puzzle.line[n] for n in puzzle.turns} <= {"d", "n"} and max(choices, default=0) < MIN_CHOICES
    return math.prod(choices) < MIN_ANSWERS or is_drawing or puzzle.line[0] in tables[0].safe_moves()
