"""Guide to the first moves of a newcomer's first game."""

from __future__ import annotations

from typing import Any

from games.attempts.lifecycle import deal_table, journal_of
from games.deals import first_game
from games.models import Attempt


def guide_at(attempt: Attempt) -> dict[str, Any] | None:
    """Return the suggested moves, each as `{"token", "why"}`, and the moves made so far; None without a guide."""
    if attempt.is_over or attempt.ranked or not first_game.is_first_game(attempt.deal):
        return None
    table = deal_table(attempt.deal)
    for move in journal_of(attempt.pk):
        table.push(move.token)
    return {"steps": first_game.guide(attempt.deal), "moves": list(table.moves)}
