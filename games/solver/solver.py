"""``solve``: search, within a budget, for a win from a position in which every card is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from games.rules import RulesError, Table, from_position
from games.solver.errors import AlreadyWonError, BudgetError, FalseSolutionError, TokensError
from games.solver.statuses import LOST, RUNNING, WON

if TYPE_CHECKING:
    from games.solver.search_drivers import Search

StopReason = Literal["nodes", "seconds", "memory", "cancelled"]
LARGEST = 1 << 50


@dataclass(frozen=True)
class Budget:
    """Limits of a search.

    ``nodes`` is the number of positions it may look at, ``seconds`` its time (None: no limit), ``memory`` the MiB it
    may use to remember positions, at least 16. With the same nodes and seed a search gives the same result on every
    machine, compiled or not, unless the seconds run out.

    :raises BudgetError: when a value is out of range.
    """

    nodes: int = 2_000_000
    seconds: float | None = None
    memory: int = 512

    def __post_init__(self) -> None:
        if not 0 < self.nodes <= LARGEST:
            raise BudgetError("a search needs a positive number of nodes")
        if self.seconds is not None and not self.seconds > 0:
            raise BudgetError("a search needs a positive number of seconds")
        if not 16 <= self.memory <= 1 << 20:
            raise BudgetError("a search needs at least 16 megabytes")


@dataclass(frozen=True)
class Effort:
    """Resources used by a search: positions looked at (``nodes``), tries started, and seconds.

    The seconds are ignored when results are compared.
    """

    nodes: int
    tries: int
    seconds: float = field(compare=False)


@dataclass(frozen=True)
class Solution:
    """A winning line of tokens, verified by replaying it with the rules from the given position."""

    tokens: tuple[str, ...]
    effort: Effort


@dataclass(frozen=True)
class Unwinnable:
    """Proof that no line wins."""

    effort: Effort


@dataclass(frozen=True)
class GaveUp:
    """No verdict; ``reason`` is the limit that ended the search, or its cancellation."""

    reason: StopReason
    effort: Effort


Result = Solution | Unwinnable | GaveUp
Cancel = Callable[[], bool]
Progress = Callable[[Effort], None]


def solve(
    table: Table,
    budget: Budget | None = None,
    *,
    seed: int = 0,
    cancel: Cancel | None = None,
    progress: Progress | None = None,
) -> Result:
    """Look for a winning line from the table's position. The table does not change.

    ``seed`` picks the search's random stream. Several times a second the search calls ``cancel``, which stops it by
    returning true, and ``progress`` with the effort so far.

    :raises AlreadyWonError: when the table is won.
    :raises PositionNotReachableError: for a position that no game can reach.
    :raises FalseSolutionError: when the rules refuse the line found, a bug in the solver.
    """
    from games.solver.searches import make_search  # noqa: PLC0415 - loads Numba: only who searches waits for it

    budget = budget or Budget()
    if table.is_won:
        raise AlreadyWonError("the table is won already")
    started_at = time.monotonic()
    search = make_search(table, seed=seed, memory=budget.memory)
    stopped: StopReason | None = None
    for spent in _steps(search, budget, started_at):
        if progress is not None:
            progress(spent)
        if cancel is not None and cancel():
            stopped = "cancelled"
            break
    return _result(table, search, stopped, budget, started_at)


def load(table: Table) -> None:
    """Load or compile everything that ``solve`` runs for the table's game, which takes seconds the first time.

    :raises PositionNotReachableError: for a position that no game can reach.
    """
    from games.solver.searches import make_search  # noqa: PLC0415 - loads Numba: only who searches waits for it

    make_search(table, seed=0, memory=16).warm_up()


def _steps(search: Search, budget: Budget, started_at: float) -> Iterator[Effort]:
    """Run the search in steps of about a tenth of a second until it ends or the budget is used up."""
    step = 500
    while search.status == RUNNING and search.nodes < budget.nodes:
        before, at = search.nodes, time.monotonic()
        search.run(min(step, budget.nodes - before))
        now = time.monotonic()
        yield Effort(search.nodes, search.tries, now - started_at)
        if budget.seconds is not None and now - started_at >= budget.seconds:
            return
        step = max(200, min(4 * step, int((search.nodes - before) * 0.1 / max(now - at, 1e-4))))


def _result(table: Table, search: Search, stopped: StopReason | None, budget: Budget, started_at: float) -> Result:
    def effort() -> Effort:
        return Effort(search.nodes, search.tries, time.monotonic() - started_at)

    if search.status == WON:
        tokens = tuple(search.tokens())
        try:
            check_solution(table, tokens)
        except TokensError as error:
            raise FalseSolutionError(f"{table.GAME}: {error}") from error
        return Solution(tokens, effort())
    if search.status == LOST:
        return Unwinnable(effort())
    if search.status != RUNNING:
        stopped = "memory"
    return GaveUp(stopped or ("nodes" if search.nodes >= budget.nodes else "seconds"), effort())


def check_solution(table: Table, tokens: Sequence[str]) -> None:
    """Replay a line with the rules from the table's position. The table does not change.

    :raises TokensError: when a token is refused (the message names it) or the line does not win.
    """
    copy = from_position(table.position())
    for index, token in enumerate(tokens):
        try:
            copy.push(token)
        except RulesError as error:
            raise TokensError(f"token {index} ({token!s:.12}): {error}") from error
    if not copy.is_won:
        raise TokensError(f"the line leaves {copy.goal - copy.cards_up} cards off the foundations")
