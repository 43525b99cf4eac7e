"""Check of a move at a puzzle."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from games.core.errors import ErrorCode, Refusal, refusal_of
from games.puzzles.open_view import Step, step_of, steps_of
from games.puzzles.puzzle import Puzzle, successors
from games.rules import InvalidTokenError, RulesError, Table, from_position
from games.rules.explanations import explain


def table_at(puzzle: Puzzle, turn: int) -> Table:
    """Return the table of a turn, counted from 0; after the last turn, the one at the end of the puzzle's line."""
    return puzzle.table_at(_index(puzzle, turn))


def position_at(puzzle: Puzzle, turn: int) -> Step:
    """Return what a player sees at a turn, or at the end."""
    return step_of(table_at(puzzle, turn))


def steps_after(puzzle: Puzzle, turn: int) -> list[Step]:
    """Return the right move of a turn and the forced ones after it."""
    n = _index(puzzle, turn)
    return list(steps_of(puzzle.table_at(n), puzzle.line[n : _index(puzzle, turn + 1)]))


def reasons_at(puzzle: Puzzle, turn: int, pile: str, cards: int, to: str) -> list[dict[str, str | int]]:
    """Return why cards cannot move at a turn (`games.rules.explanations.explain`).

    :raises Refusal: BAD_REQUEST for a pile that the game does not have.
    """
    try:
        reasons = explain(table_at(puzzle, turn), pile, cards, to)
    except InvalidTokenError as error:
        raise Refusal(ErrorCode.BAD_REQUEST, str(error)) from None
    return [reason.to_json() for reason in reasons]


def _index(puzzle: Puzzle, turn: int) -> int:
    return puzzle.turns[turn] if turn < len(puzzle.turns) else len(puzzle.line)


def loss_after(puzzle: Puzzle, turn: int, token: str) -> dict[str, Any] | None:
    """Return why a move is wrong: a `Lost` or `Tried` with the table's `goal`. None if it is right.

    A loss that has not been explained yet is empty (`games.puzzles.losses.explained_losses`). If the puzzle asks for
    the loss, the answer has the number of `moves` in which the wrong one wins.

    :raises Refusal: for a move that is not legal, and for drawing cards if the puzzle asks for the loss.
    """
    losing = losing_token(puzzle, turn, token)
    if losing and puzzle.wins:
        if losing not in puzzle.wins:
            raise Refusal(ErrorCode.ILLEGAL_MOVE, "drawing never loses here", token=token)
        return {"goal": puzzle.table_at(0).goal, "moves": 1 + len(puzzle.wins[losing])}
    lost = puzzle.losses[turn][losing] if losing else None
    return {"goal": puzzle.table_at(0).goal, **asdict(lost)} if lost else {} if losing else None


def losing_token(puzzle: Puzzle, turn: int, token: str) -> str:
    """Return the first move that leads to the same lost position as a move; empty if the move is right.

    :raises Refusal: for a move that is not legal.
    """
    n = puzzle.turns[turn]
    table = from_position(puzzle.table_at(n).position())  # without moves that `u` could undo
    following = successors(table)
    try:
        table.push(token)
    except RulesError as error:
        raise refusal_of(error, token=token) from None
    reached = table.position()
    return "" if reached == puzzle.table_at(n + 1).position() else following[reached]
