"""Search for puzzles that ask for the only losing move with a card, in games where drawing cards never loses."""

from __future__ import annotations

from typing import Final

from games.puzzles.generation.proofs import Judge, is_lost
from games.puzzles.puzzle import Puzzle, successors
from games.rules import Table
from games.solver import shorten

#: The fewest moves with cards.
MIN_MOVES: Final = 3
#: Tokens that shortening a winning line may push.
_SHORTENING: Final = 2_000


def puzzle_at(variant: str, table: Table, judge: Judge) -> Puzzle | None:
    """Return the puzzle at a position, if exactly one move with a card loses, with its history from the first move.

    The search stops at the first undecided move. If the losing move is the only one to a foundation, the puzzle is too
    easy.
    """
    moves = {token: position for position, token in successors(table).items() if token not in ("d", "n")}
    if len(moves) < MIN_MOVES:
        return None
    losing: list[str] = []
    for token in moves:
        verdict = judge.after(table, token)
        if verdict is None or (losing and not verdict):
            return None
        if not verdict:
            losing.append(token)
    up = [token for token in moves if token.endswith("-f")]
    if not losing or losing == up or not is_lost(moves[losing[0]]):
        return None
    wins = {token: _win_after(table, token, judge) for token in moves if token not in losing}
    losses = (dict.fromkeys(wins),)
    return Puzzle(variant, table.position(), tuple(losing), losses=losses, history=tuple(table.moves), wins=wins)


def _win_after(table: Table, token: str, judge: Judge) -> tuple[str, ...]:
    table.push(token)
    try:
        tokens = judge.win(table)
        return shorten(table, tokens, work=_SHORTENING) if tokens else ()
    finally:
        table.pop()
