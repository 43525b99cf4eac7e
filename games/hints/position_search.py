"""Search for a winning line from a position, in a process of its own (`games.core.search_process`).

Loading the solver takes longer than most searches, so a process answers many questions in turn.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from games.core.search_process import SearchProcess
from games.rules import CATALOGUE, from_position, open_table
from games.solver import Budget, Solution, TokensError, Unwinnable, check_solution, solve
from games.solver import load as load_search
from games.solver.quick_shortening import shorten

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limit:
    """A search budget in positions and CPU seconds; waiting on a busy machine does not count against it."""

    nodes: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.nodes}/{self.seconds:g}"


@dataclass(frozen=True, slots=True)
class PositionQuestion:
    """A position, in the form of `Table.position`, and the budget for its search."""

    position: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class PositionVerdict:
    """The answer (a `Question.Answer`) for a position, and the winning line if there is one."""

    answer: str
    way: tuple[str, ...] = ()


#: Budget of the first search for a question; most questions need less.
QUICK: Final = Limit(400_000, 1.0)
#: Budget for a question that the first search did not answer.
FULL: Final = Limit(4_000_000, 15.0)
#: Wall-clock seconds after which a search process counts as hung and is killed.
KILL_AFTER: Final = 300.0
#: Seconds after which an idle process exits.
IDLE: Final = 600.0
#: Seconds between checks whether the answer is still wanted.
POLL_SECONDS: Final = 0.25
NICENESS: Final = 10
#: Tokens that shortening a line may push: a second at most.
SHORTENING: Final = 50_000


class Searcher:
    """A search process for questions, started at the first one; one thread at a time can use it."""

    def __init__(self) -> None:
        self.process = SearchProcess(search, niceness=NICENESS, load=load, idle=IDLE)

    def ask(self, position: str, limit: Limit, is_wanted: Callable[[], bool]) -> PositionVerdict | None:
        """Search a position; return None if the answer is no longer wanted or the search failed."""
        question = PositionQuestion(position, limit)
        found = list(
            self.process.replies(question, seconds=KILL_AFTER, stop=lambda: not is_wanted(), every=POLL_SECONDS)
        )
        return found[0] if found and is_proven(found[0], position) else None


def is_proven(verdict: PositionVerdict, position: str) -> bool:
    """Return False if the verdict has a winning line that does not replay."""
    try:
        if verdict.answer == "yes":
            check_solution(from_position(position), verdict.way)
    except TokensError:
        # The error is not logged because it could name hidden cards.
        log.error("hint search failed")  # noqa: TRY400
        return False
    return True


def search(question: PositionQuestion) -> Iterator[PositionVerdict]:
    """Search one position and yield the verdict."""
    table = from_position(question.position)
    load_search(table)
    latest = time.process_time() + question.limit.seconds
    budget = Budget(nodes=question.limit.nodes, memory=256)
    result = solve(table, budget, cancel=lambda: time.process_time() >= latest)
    if isinstance(result, Solution):
        yield PositionVerdict("yes", shorten(table, result.tokens, work=SHORTENING))
    else:
        yield PositionVerdict("no" if isinstance(result, Unwinnable) else "unknown")


def load() -> Iterator[str]:
    """Load the solvers of all games, one at each step."""
    for game, variant in {variant.game: name for name, variant in CATALOGUE.items()}.items():
        solve(open_table(variant, bytes(32)), Budget(nodes=1, memory=16))
        yield game
