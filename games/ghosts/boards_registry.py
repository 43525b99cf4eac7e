"""Interface from ghosts to boards, which `leaderboards` implements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from games.core.registry import Provider
from games.models import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Queries on the board of a daily deal. Players, and the attempts returned, are given by their ids."""

    leader: Callable[[int], int | None]
    """Returns the leading attempt on a deal's board."""
    next_better: Callable[[Attempt], int | None]
    """Returns the attempt just above a verified one on the deal's board, by any other player."""
    among: Callable[[int, Collection[int]], Sequence[int]]
    """Returns these players' attempts on a deal's board, best first."""
    followed: Callable[[int], set[int]]
    """Returns the players that a player follows."""


results: Final = Provider[Results]()
