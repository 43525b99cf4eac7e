"""What ghosts ask of the boards, which build on games and register it (`LeaderboardsConfig.ready`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Score(NamedTuple):
    """What places are ranked by: more cards up, then less time, then fewer tokens."""

    cards_up: int
    elapsed_ms: int
    tokens: int

    @property
    def rank_key(self) -> tuple[int, int, int]:
        """The better of two scores has the smaller one."""
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
    """What boards know of a daily deal. Attempts and players are given by their ids."""

    leader: Callable[[int], int | None] = _nobody
    """The attempt that leads a deal's board."""
    next_better: Callable[[int, Score, int], int | None] = _none_better
    """The attempt on a deal's board that is just better than a score, of anybody but this player."""
    among: Callable[[int, Collection[int]], Sequence[int]] = _no_results
    """The attempts of these players on a deal's board, the best first."""
    followed: Callable[[int], set[int]] = _follows_nobody
    """The players whom a player follows."""


_registered: list[Results] = [Results()]


def register(known: Results) -> None:
    """Ask these from now on."""
    _registered[:] = [known]


def results() -> Results:
    """Whoever keeps the boards; without any, nobody has a result."""
    return _registered[0]
