"""Interface from ghosts to the boards, which build on `games` and register it (`LeaderboardsConfig.ready`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Score(NamedTuple):
    """The ranking criteria: more cards up, then less time, then fewer tokens."""

    cards_up: int
    elapsed_ms: int
    tokens: int

    @property
    def rank_key(self) -> tuple[int, int, int]:
        """Sort key; the better score has the smaller key."""
        return (-self.cards_up, self.elapsed_ms, self.tokens)


def _nobody(_deal_id: int) -> int | None:
    return None


def _none_better(_deal_id: int, _score: Score, _player_id: int) -> int | None:
    return None


def _no_results(_deal_id: int, _players: Collection[int]) -> Sequence[int]:
    return ()


def _follows_nobody(_player_id: int) -> set[int]:
    return set()


@dataclass(frozen=True, slots=True)
class Results:
    """Queries on the board of a daily deal. Attempts and players are given by their ids."""

    leader: Callable[[int], int | None] = _nobody
    """Returns the leading attempt on a deal's board."""
    next_better: Callable[[int, Score, int], int | None] = _none_better
    """Returns the attempt just above a score on a deal's board, by any other player."""
    among: Callable[[int, Collection[int]], Sequence[int]] = _no_results
    """Returns these players' attempts on a deal's board, best first."""
    followed: Callable[[int], set[int]] = _follows_nobody
    """Returns the players that a player follows."""


_registered: list[Results] = [Results()]


def register(known: Results) -> None:
    """Use these queries from now on."""
    _registered[:] = [known]


def results() -> Results:
    """Return the registered queries; the default ones return no results."""
    return _registered[0]
