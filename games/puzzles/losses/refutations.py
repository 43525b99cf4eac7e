"""Refutation of a wrong move: the game after it, won if the puzzle asks for the loss, or else played on until nothing
more goes up.
"""

from __future__ import annotations

from games.core.errors import ErrorCode, Refusal
from games.puzzles.losses.tried_games import best_game
from games.puzzles.models import MissedPuzzle, PuzzleTry, StoredPuzzle
from games.puzzles.move_check import losing_token, loss_after
from games.puzzles.open_view import Step, steps_of
from games.puzzles.puzzle import Puzzle


def refutation(player: int | None, stored: StoredPuzzle, turn: int, token: str) -> list[Step]:
    """Return a wrong move and the moves of a good game after it, up to the last card that goes up.

    :raises Refusal: FORBIDDEN unless the try is over, or this was the player's last move or mistake; BAD_REQUEST for a
        move that is right; or the rules' error for an illegal one.
    """
    tries = PuzzleTry.objects.filter(player=player, puzzle=stored) if player else []
    known = any(row.solved_at or row.failed_at or (row.last_move or [])[::2] == [turn, token] for row in tries)
    if not known and not MissedPuzzle.objects.filter(player=player, puzzle=stored, turn=turn, token=token).exists():
        raise Refusal(ErrorCode.FORBIDDEN, "solve the puzzle first")
    puzzle = Puzzle.from_json(stored.contents)
    if turn not in range(len(puzzle.turns)) or loss_after(puzzle, turn, token) is None:
        raise Refusal(ErrorCode.BAD_REQUEST, "this move is right")
    table = puzzle.table_at(puzzle.turns[turn])
    win = puzzle.wins.get(losing_token(puzzle, turn, token))
    (after,) = steps_of(table, [token])
    return [after, *steps_of(table, best_game(table.position()) if win is None else win)]
