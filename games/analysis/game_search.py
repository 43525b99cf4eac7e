"""Search that analyses one game, in a process of its own (`games.core.search_process`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import msgspec

from games.analysis.findings import Findings, Turn, share_known, turns_of
from games.analysis.positions import LOST, UNKNOWN, Positions
from games.rules import from_position
from games.solver import Budget, Solution, Unwinnable, load, shorten, solve

NICENESS: Final = 10
MEMORY: Final = 256
#: Node budgets of the successive passes (iterative deepening): all positions are tried with a small budget first, in an
#: order that settles as many others as possible, and those still unknown with the next larger one.
EFFORTS: Final = (3_000, 30_000, 300_000, 3_000_000)
#: Tokens that shortening a line may push, which takes some tenths of a second.
SHORTENING: Final = 20_000
#: Share of the time reserved for finding the moves that would still have won.
RESERVED: Final = 0.25
#: Number of turning points, from the last one back, whose alternative moves are searched, and node budgets per move.
TURNS: Final = 4
MOVE_EFFORT: Final = 30_000
LAST_EFFORT: Final = 300_000
#: Seconds between two reports.
PAUSE: Final = 1.0


class Task(msgspec.Struct):
    """A game to analyse: its opening position and tokens, a known winning line from the opening, the findings of an
    earlier search that did not finish, and the time limit in seconds.
    """

    position: str
    tokens: list[str]
    line: list[str] = []
    known: Findings | None = None
    seconds: float = 40.0


class AnalysisReport(msgspec.Struct):
    """The findings so far, and the share of the work done."""

    share: float
    findings: Findings
    is_last: bool = False


class AnalysisSearch:
    """One analysis: the knowledge about the game's positions, and the time limit."""

    def __init__(self, task: Task) -> None:
        self.positions = Positions(from_position(task.position), task.tokens)
        self.turns: list[Turn] = []
        if task.line:
            self.positions.won(self.positions.at[0], task.line)
        if task.known is not None:
            self._recall(task.known)
        load(from_position(task.position))
        self._started_at = time.monotonic()
        self._seconds = task.seconds

    def _recall(self, findings: Findings) -> None:
        for n, line in findings.lines.items():
            self.positions.won(self.positions.at[n], line.split())
        for number, verdict in zip(self.positions.at, findings.verdicts, strict=True):
            if verdict == LOST:
                self.positions.lost(number)

    @property
    def _spent(self) -> float:
        return (time.monotonic() - self._started_at) / self._seconds

    def run(self) -> Iterator[AnalysisReport]:
        """Search until everything is known or the time is up, yielding reports."""
        reported = time.monotonic()
        for _ in self._steps():
            if time.monotonic() - reported >= PAUSE:
                yield self.report()
                reported = time.monotonic()
        self.turns = self._turns()
        yield self.report(is_last=True)

    def _steps(self) -> Iterator[None]:
        for effort in EFFORTS:
            tried: set[int] = set()
            while self._spent < 1 - RESERVED and (number := next_to_try(self.positions, tried)) is not None:
                tried.add(number)
                self._try(number, effort, self._seconds * (1 - RESERVED - self._spent))
                yield
        for turn in self._turns()[: -TURNS - 1 : -1]:
            for effort in (MOVE_EFFORT, LAST_EFFORT):
                for number in self._moves(turn).values():
                    if self._spent < 1 and self.positions[number].verdict == UNKNOWN:
                        self._try(number, effort, self._seconds * (1 - self._spent))
                        yield

    def _try(self, number: int, effort: int, seconds: float) -> None:
        table = from_position(self.positions[number].text)
        result = solve(table, Budget(nodes=effort, seconds=max(0.01, seconds), memory=MEMORY))
        if isinstance(result, Solution):
            self.positions.won(number, shorten(table, result.tokens, work=SHORTENING))
        elif isinstance(result, Unwinnable):
            self.positions.lost(number)

    def _turns(self) -> list[Turn]:
        turns = turns_of(self.positions.verdicts())
        for turn in turns[-TURNS:]:
            verdicts = {token: self.positions[number].verdict for token, number in self._moves(turn).items()}
            winning = [(token, moves + 1) for token, moves in verdicts.items() if moves >= 0]
            turn.better = sorted(winning, key=lambda move: move[1])
            turn.unknown = list(verdicts.values()).count(UNKNOWN)
        return turns

    def _moves(self, turn: Turn) -> dict[str, int]:
        """Return the legal moves at a turning point, each with the number of the position it leads to."""
        number = self.positions.at[turn.n]
        legal = from_position(self.positions[number].text).legal_moves()
        return {token: self.positions.follow(number, token) for token in legal}

    def report(self, *, is_last: bool = False) -> AnalysisReport:
        """Return a report of the current findings."""
        verdicts = self.positions.verdicts()
        share = 1.0 if is_last else max(share_known(verdicts), min(1.0, self._spent))
        places = {number: n for n, number in reversed(list(enumerate(self.positions.at)))}
        lines = {places[number]: " ".join(line) for number, line in self.positions.anchors() if number in places}
        return AnalysisReport(round(share, 2), Findings(verdicts, lines, self.turns), is_last)


def next_to_try(positions: Positions, tried: set[int]) -> int | None:
    """Return the middle of the longest path through unknown, untried positions (bisection); None if none is left.

    Either verdict there settles half of the path. Between two equally good positions, the later one is returned, which
    is easier to search.
    """
    numbers = range(len(positions))
    free = [positions[number].verdict == UNKNOWN and number not in tried for number in numbers]
    behind, ahead = [0] * len(free), [0] * len(free)
    for number in numbers:
        if free[number]:
            behind[number] = 1 + max((behind[other] for other, _ in positions[number].before), default=0)
    for number in reversed(numbers):
        if free[number]:
            ahead[number] = 1 + max((ahead[other] for other in positions[number].after.values()), default=0)
    best = max(numbers, key=lambda number: (min(behind[number], ahead[number]), number), default=0)
    return best if free[best] else None


def analyse(task: Task) -> Iterator[AnalysisReport]:
    """Analyse a game, and yield partial reports from time to time, then the final one."""
    return AnalysisSearch(task).run()
