"""Quick shortening of a winning line: search for a shallower one, cut detours, and drop moves that are not needed.

A shorter line may still exist, and `full_shortening` may find it. A deal's par is the length of the line after one of
the two (docs/difficulty.md, "Par").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from games.rules import RulesError, Table, from_position
from games.solver.solver import check_solution

_WORK = 400_000
"""The most tokens to push: a few seconds of work."""


def shorten(
    table: Table, tokens: Sequence[str], *, work: int = _WORK, cancel: Callable[[], bool] | None = None
) -> tuple[str, ...]:
    """Return a winning line from the table's position with at most as many tokens as ``tokens``.

    The table does not change. ``work`` bounds the tokens pushed. The result is deterministic unless ``cancel``, called
    now and then, returns true.

    :raises TokensError: when ``tokens`` do not win.
    """
    from games.solver.shorten_by_research import shorten_by_research  # noqa: PLC0415 - loads Numba: only who searches waits for it

    check_solution(table, tokens)
    line = without_detours(table, shorten_by_research(table, list(tokens), cancel))
    left = work
    for rewrite in (joined, dropped, joined):
        line, left = improve(table, line, rewrite, left, cancel)
        line = without_detours(table, line)
    check_solution(table, line)
    return tuple(line)


def without_detours(table: Table, tokens: list[str]) -> list[str]:
    """Return the line without the parts that return to an earlier position."""
    copy = from_position(table.position())
    last_seen = {signature(copy): 0}
    signatures = [signature(copy)]
    for index, token in enumerate(tokens, start=1):
        copy.push(token)
        signatures.append(signature(copy))
        last_seen[signatures[-1]] = index
    line = []
    index = 0
    while index < len(tokens):
        index = last_seen[signatures[index]]
        if index < len(tokens):
            line.append(tokens[index])
            index += 1
    return line


def signature(table: Table) -> tuple[object, ...]:
    """Return a value that is equal for equal positions, and cheap to compute."""
    piles = tuple(tuple(pile) for pile in (*table.piles, *table.foundations))
    return (piles, table.hidden, *table.unseen_facts().items())


Rewrite = Callable[[list[str], int], Iterator[list[str]]]


def joined(line: list[str], at: int) -> Iterator[list[str]]:
    """Yield the line with A-B and a later B-C replaced by A-C, in the place of the first and then of the second."""
    source, dash, target = line[at].partition("-")
    pile, _, unit = target.partition("x")
    if not dash or pile == "f":
        return
    for later in range(at + 1, min(len(line), at + 60)):
        start, _, end = line[later].partition("-")
        if start == pile and (not unit or end == "f" or end.endswith(f"x{unit}")):
            direct = f"{source}-{end}"
            yield [*line[:at], direct, *line[at + 1 : later], *line[later + 1 :]]
            yield [*line[:at], *line[at + 1 : later], direct, *line[later + 1 :]]
            return


def dropped(line: list[str], at: int) -> Iterator[list[str]]:
    """Yield the line without one token, then without it and one of the next three."""
    yield line[:at] + line[at + 1 :]
    for later in range(at + 1, min(at + 4, len(line))):
        yield line[:at] + line[at + 1 : later] + line[later + 1 :]


def improve(
    table: Table, line: list[str], rewrite: Rewrite, work: int, cancel: Callable[[], bool] | None
) -> tuple[list[str], int]:
    """Try a rewrite at every place, from the end backwards; return the line and the work left."""
    player = LineReplayer(table)
    at = len(line) - 1
    while at >= 0 and work > 0 and not (cancel is not None and cancel()):
        for candidate in rewrite(line, at):
            pushed, won = player.wins(candidate, at)
            work -= pushed
            if won is not None:
                line = won
                break
        at = min(at, len(line)) - 1
    return line, work


class LineReplayer:
    """Replayer of lines on one table that reuses their common beginning."""

    def __init__(self, table: Table) -> None:
        self.table = from_position(table.position())
        self.line: list[str] = []

    def wins(self, line: list[str], same: int) -> tuple[int, list[str] | None]:
        """Play a line; return the number of tokens pushed, and the part of the line that wins or None.

        The first ``same`` tokens are unchanged from the previous line.
        """
        while len(self.line) > same or self.line != line[: len(self.line)]:
            self.table.pop()
            self.line.pop()
        pushed = 0
        for token in line[len(self.line) :]:
            try:
                self.table.push(token)
            except RulesError:
                return pushed, None
            self.line.append(token)
            pushed += 1
            if self.table.is_won:
                return pushed, list(self.line)
        return pushed, None
