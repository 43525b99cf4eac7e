"""Search for puzzles that ask for the only losing move with a card, in games where drawing cards never loses."""

from __future__ import annotations

from typing import Final

from games.puzzles.generation.proofs import Judge, prove_again, short_win
from games.puzzles.puzzle import Puzzle, successors
from games.rules import Table

#: The fewest moves with cards.
MIN_MOVES: Final = 3


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
    if not losing or losing == up:
        return None
    wins: dict[str, tuple[str, ...]] = {}
    for token in moves.keys() - set(losing):
        table.push(token)
        wins[token] = short_win(table, judge) or ()
        table.pop()
    losses, history = (dict.fromkeys(wins),), tuple(table.moves)
    return prove_again(Puzzle(variant, table.position(), tuple(losing), losses=losses, history=history, wins=wins))
