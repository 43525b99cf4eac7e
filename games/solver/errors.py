"""What the solver refuses."""

from __future__ import annotations


class SolverError(ValueError):
    """Any refusal; ``code`` names it for programs."""

    code = "solver_error"


class BudgetError(SolverError):
    """A budget without nodes, time or memory."""

    code = "bad_budget"


class AlreadyWonError(SolverError):
    """There is nothing to solve at a won table."""

    code = "already_won"


class PositionNotReachableError(SolverError):
    """A position that no game can come to, though every card is there."""

    code = "position_not_reachable"


class TokensError(SolverError):
    """Tokens that are no winning line from the position they are said to solve."""

    code = "bad_tokens"


class FalseSolutionError(RuntimeError):
    """The rules refused a line a search found: a fault of the solver, never a result."""
