"""Refutation of a losing move: the game after it, played on until nothing more goes up."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Final

from games.core.errors import ErrorCode, Refusal
from games.puzzles.models import PuzzleTry, StoredPuzzle
from games.puzzles.move_check import loss_after
from games.puzzles.open_view import Step, steps_of
from games.puzzles.puzzle import Puzzle
from games.rules import from_position
from games.solver.simulated_players import Skill, skilled_game

#: Simulated games after the move, the best of which is shown. Together they take up to a third of a second.
GAMES: Final = 60
_SKILL: Final = Skill(slips=0.1)


def refutation(player: int | None, stored: StoredPuzzle, turn: int, token: str) -> list[Step]:
    """Return a losing move and the moves of a good game after it, up to the last card that goes up.

    :raises Refusal: FORBIDDEN unless the try is over or this was the player's last move; BAD_REQUEST for a move that
        does not lose; or the rules' error for an illegal one.
    """
    tries = PuzzleTry.objects.filter(player=player, puzzle=stored) if player else []
    if not any(row.solved_at or row.failed_at or (row.last_move or [])[::2] == [turn, token] for row in tries):
        raise Refusal(ErrorCode.FORBIDDEN, "solve the puzzle first")
    puzzle = Puzzle.from_json(stored.contents)
    if turn not in range(len(puzzle.turns)) or loss_after(puzzle, turn, token) is None:
        raise Refusal(ErrorCode.BAD_REQUEST, "this move does not lose")
    position = puzzle.table_at(puzzle.turns[turn]).position()
    return list(steps_of(from_position(position), best_game(position, token)))


@lru_cache(256)
def best_game(position: str, token: str) -> tuple[str, ...]:
    """Return the move and the game after it that gets the most cards up, always the same one."""
    chance = Random(position + token)  # noqa: S311 - repeatable, and nothing secret
    best: tuple[str, ...] = ()
    most_up = -1
    for _ in range(GAMES):
        table = from_position(position)
        table.push(token)
        skilled_game(table, _SKILL, chance)
        if table.cards_up > most_up:
            best, most_up = _to_last_up(position, table.moves), table.cards_up
    return best


def _to_last_up(position: str, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out the moves after the last card that went up."""
    table = from_position(position)
    cards_up = []
    for token in tokens:
        table.push(token)
        cards_up.append(table.cards_up)
    return tokens[: cards_up.index(cards_up[-1]) + 1]
