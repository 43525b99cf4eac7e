"""Shortens a winning line a little at a time: other moves for a short window of it, all else staying as it is.

Two kinds of windows. One is left for other positions nearby and joins the line again at a later position; the other is
replaced by a single move, or by none, such that the rest can still be played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from games.rules import Table, from_position
from games.solver.shorten import Rewrite, signature

NEARBY: Final = 120
"""Positions looked at around each position of the line."""
LONGEST: Final = 5
"""The longest window that one move replaces."""

Spend = Callable[[int], bool]
"""Takes the tokens just pushed, and says whether more may be."""


def around(table: Table, line: list[str], spend: Spend) -> list[str]:
    """The line, with windows cut short by what lies near it: positions from the last backwards, each with the
    `NEARBY` positions that fewest moves lead to.
    """
    copy = from_position(table.position())
    places = {signature(copy): 0}
    for index, token in enumerate(line, start=1):
        copy.push(token)
        places[signature(copy)] = index
    for start in range(len(line) - 1, -1, -1):
        while len(copy.moves) > start:
            copy.pop()
        found = _shortcut(copy, start, places, spend)
        if found is not None:
            path, end = found
            return [*line[:start], *path, *line[end:]]
        if not spend(0):
            break
    return line


def _shortcut(
    table: Table, start: int, places: dict[tuple[object, ...], int], spend: Spend
) -> tuple[list[str], int] | None:
    """A path from the table's position, place ``start`` of the line, that is shorter than the line's to some later
    place; breadth first.
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


def replaced(table: Table) -> Rewrite:
    """A rewrite that tries every move that is legal at a place instead of a window of two to `LONGEST`."""
    copy = from_position(table.position())
    played: list[str] = []

    def rewrite(line: list[str], at: int) -> Iterator[list[str]]:
        same = 0
        while same < min(at, len(played)) and played[same] == line[same]:
            same += 1
        while len(played) > same:
            copy.pop()
            played.pop()
        for token in line[same:at]:
            copy.push(token)
            played.append(token)
        legal = copy.legal_moves()
        for length in range(2, min(LONGEST, len(line) - at) + 1):
            for token in legal:
                yield [*line[:at], token, *line[at + length :]]

    return rewrite
