"""Check of every claim of a puzzle, with other searches than the generator's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from games.puzzles.losses.exhaustive_search import prove_lost
from games.puzzles.puzzle import Puzzle, successors
from games.rules import CATALOGUE, RulesError, from_position, open_table
from games.solver import Budget, Solution, TokensError, Unwinnable, check_solution, solve

#: Positions that brute force visits before the solver is asked.
BY_RULES: Final = 2_000
_NODES: Final = 100_000
#: Possible findings about a claim.
FINDINGS: Final = ("won by the rules", "lost by the rules", "lost by the solver", "undecided", "wrong")


def check_claims(puzzle: Puzzle, stream: int) -> Counter[str]:
    """Count the findings about a puzzle; `stream` numbers the solver's random stream."""
    return Counter(_findings(puzzle, stream))


def _findings(puzzle: Puzzle, stream: int) -> Iterator[str]:
    if not _is_reachable(puzzle):
        yield "wrong"
    if puzzle.wins:
        yield from _findings_of_loss(puzzle, stream)
        return
    yield (won := _win(puzzle.start, (*puzzle.line, *puzzle.finish)))
    if won == "wrong":
        return
    for n, losses in zip(puzzle.turns, puzzle.losses, strict=True):
        right = puzzle.table_at(n + 1).position()
        wrong = {token: position for position, token in successors(puzzle.table_at(n)).items() if position != right}
        if wrong.keys() != losses.keys():
            yield "wrong"
        for position in wrong.values():
            yield _loss(position, stream)


def _findings_of_loss(puzzle: Puzzle, stream: int) -> Iterator[str]:
    """Yield the findings about a puzzle that asks for the losing move."""
    moves = {token: position for position, token in successors(puzzle.table_at(0)).items() if token not in ("d", "n")}
    if moves.keys() != {*puzzle.line, *puzzle.wins} or puzzle.losses != (dict.fromkeys(puzzle.wins),):
        yield "wrong"
        return
    for token, tokens in puzzle.wins.items():
        yield _win(puzzle.start, (token, *tokens))
    yield _loss(moves[puzzle.line[0]], stream)


def _win(start: str, tokens: Sequence[str]) -> str:
    try:
        check_solution(from_position(start), tokens)
    except TokensError:
        return "wrong"
    return "won by the rules"


def _is_reachable(puzzle: Puzzle) -> bool:
    """Return whether the history leads from the seed's deal to the start; true without a seed."""
    if not puzzle.seed:
        return True
    chosen = CATALOGUE[puzzle.variant]
    table = open_table(chosen.game, bytes.fromhex(puzzle.seed), chosen.options)
    try:
        for token in puzzle.history:
            table.push(token)
    except RulesError:
        return False
    return table.position() == puzzle.start


def _loss(position: str, stream: int) -> str:
    if prove_lost(position, BY_RULES) is not None:
        return "lost by the rules"
    table = from_position(position)
    result = None if table.is_won else solve(table, Budget(nodes=_NODES), seed=stream)
    if isinstance(result, Unwinnable):
        return "lost by the solver"
    return "wrong" if result is None or isinstance(result, Solution) else "undecided"
