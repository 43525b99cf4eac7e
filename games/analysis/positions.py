"""Position graph of a finished game, with the known verdict on each position.

Verdicts propagate, which saves most of the work: a position with a move to a winnable one is winnable too, and every
position reachable from a lost one is lost. An undo returns to an earlier position and adds no edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from games.rules import Table, from_position
from games.rules.tokens import UNDO, WORDS
from games.solver import check_solution

#: Verdicts on a position other than the number of moves of a winning line.
LOST: Final = -1
UNKNOWN: Final = -2


@dataclass(slots=True)
class Position:
    """Node of the graph: `text` is in the form of `Table.position`; `verdict` is the number of moves of a winning line,
    `LOST` or `UNKNOWN`; `before` and `after` hold the predecessors and successors with the moves' tokens.
    """

    text: str
    verdict: int = UNKNOWN
    before: list[tuple[int, str]] = field(default_factory=list)
    after: dict[str, int] = field(default_factory=dict)
    # Proof of a win: a line, or a move to a winnable position.
    line: tuple[str, ...] = ()
    step: tuple[str, int] | None = None


class Positions:
    """The distinct positions of a game, numbered in the order in which they were reached.

    `at[n]` is the number of the position after n tokens.
    """

    def __init__(self, table: Table, tokens: Sequence[str]) -> None:
        self._all: list[Position] = []
        self._numbers: dict[str, int] = {}
        self.at = [self._number(table)]
        for token in tokens:
            table.push(token)
            number = self._number(table)
            if token != WORDS[UNDO]:
                self._connect(self.at[-1], token, number)
            self.at.append(number)
            if table.is_won:
                self.won(number, ())

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, number: int) -> Position:
        return self._all[number]

    def _number(self, table: Table) -> int:
        text = table.position()
        if text not in self._numbers:
            self._numbers[text] = len(self._all)
            self._all.append(Position(text))
        return self._numbers[text]

    def _connect(self, number: int, token: str, following: int) -> None:
        if token not in self[number].after:
            self[number].after[token] = following
            self[following].before.append((number, token))

    def verdicts(self) -> list[int]:
        """Return the verdicts on the positions after 0, 1, 2… tokens."""
        return [self[number].verdict for number in self.at]

    def line(self, number: int) -> tuple[str, ...]:
        """Return the winning line from a winnable position."""
        tokens: list[str] = []
        position = self[number]
        while position.step is not None:
            tokens.append(position.step[0])
            position = self[position.step[1]]
        return (*tokens, *position.line)

    def anchors(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the positions with a winning line of their own, and the line; other winnable positions lead to them."""
        for number, position in enumerate(self._all):
            if position.line and position.step is None:
                yield number, position.line

    def follow(self, number: int, token: str) -> int:
        """Return the position after a legal move, adding it if it is new."""
        position = self[number]
        if token not in position.after:
            table = from_position(position.text)
            table.push(token)
            following = self._number(table)
            self._connect(number, token, following)
            if table.is_won:
                self.won(following, ())
            elif self[following].verdict >= 0:
                self._update_predecessors(following)
            elif position.verdict == LOST:
                self.lost(following)
            if (line := self.line(number))[:1] == (token,):
                self._win(following, line[1:])
        return position.after[token]

    def won(self, number: int, line: Sequence[str]) -> None:
        """Record a winning line, after the rules have checked it: all positions on it and before it are winnable.

        :raises TokensError: when the line does not win.
        """
        position = self[number]
        table = from_position(position.text)
        if not table.is_won:
            check_solution(table, line)
        self._win(number, tuple(line))
        for step, token in enumerate(line, start=1):
            table.push(token)
            reached = self._numbers.get(table.position())
            if reached is not None:
                self._win(reached, tuple(line[step:]))

    def _win(self, number: int, line: tuple[str, ...]) -> None:
        position = self[number]
        if position.verdict < 0 or len(line) < position.verdict:
            position.verdict, position.line, position.step = len(line), line, None
            self._update_predecessors(number)

    def _update_predecessors(self, number: int) -> None:
        waiting = [number]
        while waiting:
            number = waiting.pop()
            moves = self[number].verdict + 1
            for earlier, token in self[number].before:
                position = self[earlier]
                if position.verdict < 0 or moves < position.verdict:
                    position.verdict, position.line, position.step = moves, (), (token, number)
                    waiting.append(earlier)

    def lost(self, number: int) -> None:
        """Record that a position is lost, and with it every position reachable from it."""
        waiting = [number]
        while waiting:
            position = self[waiting.pop()]
            if position.verdict == UNKNOWN:
                position.verdict = LOST
                waiting.extend(position.after.values())
