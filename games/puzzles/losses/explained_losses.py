"""Explanations of losses, made when a player first needs them, and then stored with the puzzle."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from games.puzzles.losses.exhaustive_search import prove_lost
from games.puzzles.losses.tried_games import try_games
from games.puzzles.models import StoredPuzzle
from games.puzzles.move_check import losing_token, loss_after
from games.puzzles.puzzle import Puzzle, written_loss


def explain(stored: StoredPuzzle, turn: int, token: str) -> dict[str, Any]:
    """Return why a losing move loses, as `loss_after` does, and store it for the players to come.

    It takes up to a second of work: call it outside of transactions.
    """
    puzzle = Puzzle.from_json(stored.contents)
    first = losing_token(puzzle, turn, token)
    table = puzzle.table_at(puzzle.turns[turn])
    table.push(first)
    position = table.position()
    loss = written_loss(prove_lost(position) or try_games(position))
    with transaction.atomic():
        row = StoredPuzzle.objects.select_for_update(no_key=True).get(pk=stored.pk)
        row.contents["losses"][turn][first] = loss
        row.save(update_fields=["contents"])
    return loss_after(Puzzle.from_json(row.contents), turn, token) or {}
