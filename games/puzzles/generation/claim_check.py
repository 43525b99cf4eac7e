"""Independent check of a puzzle's claims, by searches that did not find it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import SystemRandom
from typing import Any, Final

from games.puzzles.losses.exhaustive_search import prove_lost
from games.puzzles.puzzle import Puzzle, successors
from games.rules import CATALOGUE, RulesError, from_position, open_table
from games.solver import Budget, Solution, TokensError, Unwinnable, check_solution, solve

#: Positions that brute force visits before the solver is asked, and the solver's budget.
BY_RULES: Final = 2_000
BUDGET: Final = Budget(nodes=100_000)
#: Possible findings about a claim.
FINDINGS: Final = ("won by the rules", "lost by the rules", "lost by the solver", "undecided", "wrong")


def check(contents: dict[str, Any]) -> Iterator[str]:
    """Yield the outcome of proving a puzzle again, a value of `PuzzleVote.Proof`."""
    try:
        found = Counter(findings(Puzzle.from_json(contents), SystemRandom().randrange(2, 2**16)))
    except RulesError:
        yield "broken"
        return
    yield "broken" if found["wrong"] else "undecided" if found["undecided"] else "holds"


def findings(puzzle: Puzzle, stream: int, by_rules: int = BY_RULES, budget: Budget = BUDGET) -> Iterator[str]:
    """Yield the findings about a puzzle; `stream` numbers the solver's random stream."""
    wins = [(token, *tokens) for token, tokens in puzzle.wins.items()] or [(*puzzle.line, *puzzle.finish)]
    found = [_win(puzzle.start, tokens) for tokens in wins]
    yield from found
    if "wrong" in found or not _is_reachable(puzzle):
        yield "wrong"
        return
    for n, losses in zip(puzzle.turns, puzzle.losses, strict=True):
        right = puzzle.table_at(n + 1).position()
        wrong = {token: position for position, token in successors(puzzle.table_at(n)).items() if position != right}
        if puzzle.wins:
            wrong = {token: position for token, position in wrong.items() if token not in ("d", "n")}
        if wrong.keys() != losses.keys() or (puzzle.wins and wrong.keys() != puzzle.wins.keys()):
            yield "wrong"
        for position in [right] if puzzle.wins else wrong.values():
            yield _loss(position, stream, by_rules, budget)


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


def _loss(position: str, stream: int, by_rules: int, budget: Budget) -> str:
    if prove_lost(position, by_rules) is not None:
        return "lost by the rules"
    table = from_position(position)
    result = None if table.is_won else solve(table, budget, seed=stream)
    if isinstance(result, Unwinnable):
        return "lost by the solver"
    return "wrong" if result is None or isinstance(result, Solution) else "undecided"
