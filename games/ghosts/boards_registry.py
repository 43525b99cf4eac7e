"""Interface from ghosts to boards, which `leaderboards` implements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from games.core.registry import Provider


class GhostScore(NamedTuple):
    """The ranking criteria: more cards up, then less time, then fewer tokens."""

    cards_up: int
    elapsed_ms: int
    tokens: int

    @property
    def rank_key(self) -> tuple[int, int, int]:
        """Sort key; the better score has the smaller key."""
        return (-self.cards_up, self.elapsed_ms, self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Queries on the board of a daily deal. Attempts and players are given by their ids."""

    leader: Callable[[int], int | None]
    """Returns the leading attempt on a deal's board."""
    next_better: Callable[[int, GhostScore, int], int | None]
    """Returns the attempt just above a score on a deal's board, by any other player."""
    among: Callable[[int, Collection[int]], Sequence[int]]
    """Returns these players' attempts on a deal's board, best first."""
    followed: Callable[[int], set[int]]
    """Returns the players that a player follows."""


results: Final = Provider[Results]()
