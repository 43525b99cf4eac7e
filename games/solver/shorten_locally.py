"""Local shortening of a winning line: replace a short window of it by other moves, and leave the rest as it is.

There are two kinds of windows. In one, a path through nearby positions joins the line again at a later position. The
other is replaced by a single move such that the rest can still be played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from games.rules import Table, from_position
from games.solver.quick_shortening import LineReplayer, Rewrite, signature

NEARBY: Final = 120
"""Positions looked at around each position of the line."""
LONGEST: Final = 5
"""The longest window that one move replaces."""

Spend = Callable[[int], bool]
"""Callback that takes the number of tokens just pushed, and returns whether more may be."""


def shorten_around(table: Table, line: list[str], spend: Spend) -> list[str]:
    """Return the line, with one window cut short through nearby positions.

    Positions are tried from the last backwards, each with the `NEARBY` positions that the fewest moves lead to.
    """
    copy = from_position(table.position())
    places = {signature(copy): 0}
    for index, token in enumerate(line, start=1):
        copy.push(token)
        places[signature(copy)] = index
    for start in range(len(line) - 1, -1, -1):
        while len(copy.moves) > start:
            copy.pop()
        shorter = _shortcut(copy, start, places, spend)
        if shorter is not None:
            path, end = shorter
            return [*line[:start], *path, *line[end:]]
        if not spend(0):
            break
    return line


def _shortcut(
    table: Table, start: int, places: dict[tuple[object, ...], int], spend: Spend
) -> tuple[list[str], int] | None:
    """Search breadth first for a path to a later place of the line that is shorter than the line's own.

    The table's position is place ``start`` of the line. Return the path and the place it reaches.
    """
    seen = {signature(table)}
    paths: list[list[str]] = [[]]
    at = 0
    while at < len(paths) and len(seen) < NEARBY:
        path = paths[at]
        at += 1
        for token in path:
            table.push(token)
        legal = table.legal_moves()
        for token in legal:
            table.push(token)
            sign = signature(table)
            table.pop()
            if sign in seen:
                continue
            if places.get(sign, 0) > start + len(path) + 1:
                for _ in path:
                    table.pop()
                return [*path, token], places[sign]
            seen.add(sign)
            paths.append([*path, token])
        for _ in path:
            table.pop()
        spend(2 * len(path) + 2 * len(legal))
    return None


def replacing_windows(table: Table) -> Rewrite:
    """Return a rewrite that replaces a window of two to `LONGEST` tokens by each move that is legal there."""
    player = LineReplayer(table)

    def rewrite(line: list[str], at: int) -> Iterator[list[str]]:
        player.wins(line[:at], at)
        legal = player.table.legal_moves()
        for length in range(2, min(LONGEST, len(line) - at) + 1):
            for token in legal:
                yield [*line[:at], token, *line[at + length :]]

    return rewrite
