"""Full shortening of a winning line: repeat all stages until none finds a shorter one.

It takes seconds, and the par of a daily deal comes from it; `quick_shortening` is the first stage alone.

Stages take turns until each has found nothing shorter than the current line:

- `shorten`: rewrites, and a shallower search from the start,
- searches from the start that prefer short lines (`Thrift`), at several prices per token and with other noise,
- the same from places along the line, the last ones first, to replace the end of the line,
- windows of a few moves (`shorten_locally`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from games.rules import Table, from_position
from games.solver.quick_shortening import Rewrite, dropped, improve, joined, shorten, without_detours
from games.solver.shorten_locally import replacing_windows, shorten_around
from games.solver.solver import check_solution
from games.solver.statuses import WON

PRICES: Final = {"braid": (8, 16), "plot": (8, 12, 16), "tarot": (6, 8, 10, 12)}
"""Prices per token to search at, lowest first. Stonewall and Labyrinth have no search with prices."""
NOISY: Final = 1
"""Searches with noise from the start at each price, besides the one without."""
NODES: Final = {"braid": 24_000, "plot": 60_000, "tarot": 20_000}
"""Positions that a search from the start may look at. A search from a place along the line may look at fewer, in
proportion to the tokens left (`_share`).
"""
SLACK: Final = 20
"""Tokens by which a line that a search finds may exceed the best: rewriting may still make it the shortest."""
ENDS: Final = (12, 20, 30, 45, 65, 90, 120, 160, 210, 270)
"""Distances from the end, in tokens, at which the searches along the line begin."""
PUSHED: Final = {"braid": 20, "plot": 3, "tarot": 5}
"""Tokens that Python pushes in the time that a search takes for a position."""
REWRITING: Final = 60_000
"""The most tokens to push when rewriting a line that a search has found; about a third is usual."""
EFFORT: Final = 10_000_000
"""Default effort, enough for nearly every deal; three to five seconds."""

Cancel = Callable[[], bool]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class ShortenedLine:
    """A winning line, and whether it is *settled*: every stage has looked at all of it and found nothing shorter."""

    tokens: tuple[str, ...]
    is_settled: bool


def shorten_fully(
    table: Table,
    tokens: Sequence[str],
    *,
    effort: int = EFFORT,
    cancel: Cancel | None = None,
    progress: Progress | None = None,
) -> ShortenedLine:
    """Return a winning line from the table's position with at most as many tokens as ``tokens``.

    The table does not change. ``effort`` bounds the work, in tokens pushed by Python or the time they take. The result
    is deterministic for a given effort unless ``cancel``, called now and then, returns true. ``progress`` receives the
    length so far after each stage. Shortening a settled line again changes nothing.

    :raises TokensError: when ``tokens`` do not win.
    """
    check_solution(table, tokens)
    work = _Work(table, effort, cancel)
    line = list(tokens)
    stages = (_rewritten, _searched, _with_other_end, _with_other_windows)
    idle = turn = 0
    while idle < len(stages) and work.goes_on():
        shorter = stages[turn % len(stages)](work, line)
        idle = 0 if len(shorter) < len(line) else idle + 1
        line = min(line, shorter, key=len)
        turn += 1
        if progress is not None:
            progress(len(line))
    check_solution(table, line)
    return ShortenedLine(tuple(line), idle == len(stages) and work.goes_on())


class _Work:
    """The position to win from, and the effort left."""

    def __init__(self, table: Table, effort: int, cancel: Cancel | None) -> None:
        self.table = table
        self.left = effort
        self.cancel = cancel

    def goes_on(self) -> bool:
        return self.left > 0 and not (self.cancel is not None and self.cancel())

    def spend(self, pushed: int) -> bool:
        """Deduct the tokens pushed, and return whether to go on."""
        self.left -= pushed
        return self.goes_on()

    def improve(self, line: list[str], *rewrites: Rewrite) -> list[str]:
        for rewrite in rewrites:
            line, self.left = improve(self.table, line, rewrite, self.left, self.cancel)
            line = without_detours(self.table, line)
        return line


def _rewritten(work: _Work, line: list[str]) -> list[str]:
    work.spend(REWRITING // 4)
    return list(shorten(work.table, line, cancel=work.cancel))


def _searched(work: _Work, line: list[str]) -> list[str]:
    """Return the line, or the shortest that searches from the start find."""
    for noise in range(NOISY + 1):
        for price in PRICES.get(work.table.GAME, ()):
            if not work.goes_on():
                return line
            line = min(line, _found(work, work.table, line, price, noise, NODES[work.table.GAME]), key=len)
    return line


def _with_other_end(work: _Work, line: list[str]) -> list[str]:
    """Return the line with its end replaced by shorter ones, from places further and further back."""
    for length in ENDS:
        if length >= len(line) or not work.goes_on():
            break
        start = len(line) - length
        table = from_position(work.table.position())
        for token in line[:start]:
            table.push(token)
        line = [*line[:start], *_end(work, table, line[start:])]
    return line


def _end(work: _Work, table: Table, rest: list[str]) -> list[str]:
    """Return the rest of a line from a place along it, or a shorter one."""
    if table.GAME in PRICES:
        nodes = _share(table, len(rest))
        ends = [_found(work, table, rest, price, 0, nodes) for price in PRICES[table.GAME]]
    else:
        work.spend(REWRITING // 4)
        ends = [list(shorten(table, rest, work=REWRITING, cancel=work.cancel))]
    return min([rest, *ends], key=len)


def _share(table: Table, length: int) -> int:
    """Return the positions that a search may look at when ``length`` tokens are left."""
    return max(1000, NODES[table.GAME] * length // 400)


def _found(work: _Work, table: Table, line: list[str], price: int, noise: int, nodes: int) -> list[str]:  # noqa: PLR0917
    """Return a line that a search from a position finds, rewritten, or else the given line; it may be longer."""
    from games.solver.search_drivers import Thrift  # noqa: PLC0415 - loads Numba: only who searches waits for it
    from games.solver.searches import thrifty_search  # noqa: PLC0415 - the same

    start, first = table, line[:0]
    if line[0] in {"up", "down"}:
        start, first = from_position(table.position()), line[:1]
        start.push(line[0])
    search = thrifty_search(start, Thrift(price, len(line) + SLACK), seed=noise)
    assert search is not None
    if noise:
        search.begin()
    search.run(nodes)
    work.spend(PUSHED[table.GAME] * search.nodes)
    if search.status != WON:
        return line
    work.spend(REWRITING // 2)
    return list(shorten(table, [*first, *search.tokens()], work=REWRITING, cancel=work.cancel))


def _with_other_windows(work: _Work, line: list[str]) -> list[str]:
    line = work.improve(line, joined, dropped, replacing_windows(work.table), joined)
    while work.goes_on():
        shorter = shorten_around(work.table, line, work.spend)
        if len(shorter) == len(line):
            break
        line = without_detours(work.table, shorter)
    return line
