"""Plans: known winning lines, followed position by position until they end or the player leaves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from games.attempts.lifecycle import deal_table
from games.hints import search_results
from games.hints.position_search import PositionVerdict
from games.live.dead_ends import first_dead_end
from games.models import Attempt, Question
from games.rules import Record, Table, from_position
from games.solver.quick_shortening import signature, without_detours


class WinningPlan:
    """A winning line from the deal, indexed by the last step at which it reaches each position.

    The next move always leads to a later step, so every move along a plan shortens it.
    """

    def __init__(self, opening: Table, tokens: Sequence[str]) -> None:
        self._tokens = tuple(tokens)
        self._steps = {signature(opening): 0}
        for step, token in enumerate(tokens, 1):
            opening.push(token)
            self._steps[signature(opening)] = step

    def rest(self, table: Table) -> tuple[str, ...] | None:
        """Return the moves left from the table's position, or None if the plan does not pass through it."""
        step = self._steps.get(signature(table))
        return None if step is None else self._tokens[step:]


class Outlook:
    """The facts known without a search about a game after some of its tokens.

    The plan of the last question comes first, then the deal's own solution, then lines that searches found from earlier
    positions of the game. The order is fixed, so a game that follows a plan can only switch to one before it.
    """

    def __init__(self, attempt: Attempt, tokens: Sequence[str]) -> None:
        self._attempt = attempt
        self.tokens = tuple(tokens)
        self.table = self._after(tokens)

    @cached_property
    def question(self) -> Question | None:
        """Last question asked about the attempt."""
        return Question.objects.filter(attempt=self._attempt).first()

    def rest(self) -> tuple[str, ...] | None:
        """Return the moves left on the first plan that passes through this position, or None without one."""
        return next((rest for plan in self._plans() if (rest := plan.rest(self.table))), None)

    def settled(self) -> PositionVerdict | None:
        """Return the answer for this position if it needs no search, else None."""
        if self.table.is_won:
            return PositionVerdict(Question.Answer.YES)
        if self.first_lost is not None:
            return PositionVerdict(Question.Answer.NO)
        if (way := self.rest() or self._adapted()) is not None:
            return PositionVerdict(Question.Answer.YES, tuple(way))
        return self._verdicts[-1]

    @cached_property
    def first_lost(self) -> int | None:
        """Number of standing moves up to the first position known to be lost (all later ones are too), or None."""
        lost = (n for n, verdict in enumerate(self._verdicts) if verdict and verdict.answer == Question.Answer.NO)
        first = next(lost, None)
        return first_dead_end(self.table) if first is None else first

    def last_won(self) -> int | None:
        """Return the number of standing moves up to the last position on a plan, or None without one."""
        plans, copy = list(self._plans()), self._after(self.table.moves)
        while not any(plan.rest(copy) for plan in plans):
            if not copy.moves:
                return None
            copy.pop()
        return len(copy.moves)

    def visited(self) -> set[tuple[object, ...]]:
        """Return the signatures of all positions the game has been in, including undone ones."""
        copy = deal_table(self._attempt.deal)
        signatures = {signature(copy)}
        for token in self.tokens:
            copy.push(token)
            signatures.add(signature(copy))
        return signatures

    def _after(self, tokens: Sequence[str]) -> Table:
        table = deal_table(self._attempt.deal)
        for token in tokens:
            table.push(token)
        return table

    def _plans(self) -> Iterator[WinningPlan]:
        for line in self._lines():
            yield self._plan(line)
        yield from self._remembered

    def _lines(self) -> Iterator[tuple[str, ...]]:
        if self.question is not None and self.question.answer == Question.Answer.YES:
            yield (*self._after(self.tokens[: self.question.n]).moves, *self.question.way)
        if self._attempt.deal.solution is not None:
            yield Record.from_bytes(bytes(self._attempt.deal.solution)).tokens

    def _plan(self, line: Sequence[str]) -> WinningPlan:
        return WinningPlan(deal_table(self._attempt.deal), line)

    @cached_property
    def _remembered(self) -> list[WinningPlan]:
        moves = self.table.moves
        return [
            self._plan((*moves[:n], *verdict.way))
            for n, verdict in enumerate(self._verdicts)
            if verdict and verdict.way
        ]

    @cached_property
    def _verdicts(self) -> list[PositionVerdict | None]:
        """Cached verdicts of the positions after 0, 1, 2… standing moves."""
        copy = self._after(self.table.moves)
        positions = [copy.position()]
        while copy.moves:
            copy.pop()
            positions.append(copy.position())
        return search_results.recall(positions[::-1])

    def _adapted(self) -> list[str] | None:
        ways = (adapted(self.table, line) for line in self._lines())
        return next((way for way in ways if way is not None), None)


def adapted(table: Table, line: Sequence[str]) -> list[str] | None:
    """Return the rest of a line that the table has left, without moves no longer legal; None if that does not win.

    Detours that lead back to an earlier position are cut out.
    """
    copy, way = from_position(table.position()), []
    for token in line[in_common(table.moves, line) :]:
        if copy.is_legal(token):
            copy.push(token)
            way.append(token)
    return without_detours(table, way) if copy.is_won else None


def in_common(moves: Sequence[str], line: Sequence[str]) -> int:
    """Return the number of moves before the first that differs."""
    pairs = enumerate(zip(moves, line, strict=False))
    return next((n for n, (move, token) in pairs if move != token), min(len(moves), len(line)))
