"""Puzzle: a position from which the player must find the only winning move, or in some games the only losing one.

All cards are known to the player. A position is a turn if its legal moves lead to two or more different positions;
between two turns, the forced moves are played automatically.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, Self

from games.rules import Table, from_position

MAX_TURNS: Final = 8
#: Games whose puzzles ask for the losing move: drawing never loses, as the waste can be turned over again and again.
ASK_FOR_LOSS: Final = frozenset({"tarot"})

Losses = Mapping[str, dict[str, Any] | None]
"""The losing moves of a turn. Those that lead to the same position are listed once. Each has its explanation, by
`prove_lost` or `try_games`, or None before a player first makes the move (`games.puzzles.losses.refutations`)."""


@dataclass(frozen=True)
class Puzzle:
    """A puzzle of a variant (docs/puzzles.md, "What a puzzle is").

    A puzzle from a player's game has no seed, as the game is stored; its history begins at a position of that game.
    """

    variant: str
    start: str
    line: tuple[str, ...]
    finish: tuple[str, ...] = ()
    losses: tuple[Losses, ...] = ()
    seed: str = ""
    history: tuple[str, ...] = ()
    wins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """Read a puzzle from the form that `to_json` returns."""
        line, finish, history = (tuple(row.get(key, "").split()) for key in ("line", "finish", "history"))
        wins = {token: tuple(tokens.split()) for token, tokens in row.get("wins", {}).items()}
        return cls(row["variant"], row["start"], line, finish, tuple(row["losses"]), row.get("seed", ""), history, wins)

    def to_json(self) -> dict[str, Any]:
        """Return the puzzle as JSON types; moves are separated by spaces. Without `wins`, they are left out."""
        row: dict[str, Any] = {
            "variant": self.variant,
            "start": self.start,
            "line": " ".join(self.line),
            "finish": " ".join(self.finish),
            "losses": [*self.losses],
            "seed": self.seed,
            "history": " ".join(self.history),
        }
        return row | {"wins": {token: " ".join(tokens) for token, tokens in self.wins.items()}} if self.wins else row

    @property
    def asks(self) -> Literal["win", "loss"]:
        """The kind of move that the player must find."""
        return "loss" if self.wins else "win"

    @cached_property
    def turns(self) -> tuple[int, ...]:
        """The indexes in `line` of the moves that the player must find."""
        table, turns = from_position(self.start), []
        for n, token in enumerate(self.line):
            if len(successors(table)) > 1:
                turns.append(n)
            table.push(token)
        return tuple(turns)

    def table_at(self, n: int) -> Table:
        """Return the table after `n` moves of the line."""
        table = from_position(self.start)
        for token in self.line[:n]:
            table.push(token)
        return table


def successors(table: Table) -> dict[str, str]:
    """Return the positions that can be reached in one move, each with the first legal move that leads to it."""
    found: dict[str, str] = {}
    for token in table.legal_moves():
        table.push(token)
        found.setdefault(table.position(), token)
        table.pop()
    return found
