"""Comparison of a replayed game with par and the best record of its deal."""

from __future__ import annotations

from dataclasses import dataclass

from games.ghosts import choice
from games.models import Attempt
from games.presentation.view_models import ShownAttempt, ShownPlayer
from games.replays import permissions


@dataclass(frozen=True, slots=True)
class Compared:
    """A game beside par and the best record of its deal. Either may be missing, and the best may be this game."""

    own: ShownAttempt
    par: int | None
    best: ShownAttempt | None
    best_player: ShownPlayer | None

    @property
    def is_best(self) -> bool:
        """True if this game is the best record."""
        return self.best is not None and self.best.public_id == self.own.public_id

    @property
    def is_won(self) -> bool:
        """True if the game was won."""
        return self.own.end == Attempt.End.WON


def compared(attempt: Attempt, player_id: int | None) -> Compared | None:
    """Return the game's comparison; None before its verdict, or if the player may not see its analysis."""
    if attempt.tokens is None or not permissions.may_be_shared(attempt, player_id):
        return None
    best = choice.leader_of(attempt.deal, player_id)
    return Compared(
        ShownAttempt.of(attempt),
        attempt.deal.par if attempt.deal.proven else None,
        None if best is None else ShownAttempt.of(best),
        None if best is None else ShownPlayer.of(best.player),
    )
