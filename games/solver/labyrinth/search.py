"""Labyrinth: exhaustive depth-first search over the choices that matter.

Rules: ``games.rules.variants.labyrinth``. A play from any row but the first frees cards and blocks none, so it is made
at once; when the stock is empty, so is a play from the first row. That leaves two choices: which first-row card to
play, and when to deal.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.solver.jit import jit, longs, shorts, shorts_of
from games.solver.kernel_tools import MASK, Ints, add_key, random_keys
from games.solver.search_drivers import Exhaustive
from games.solver.statuses import FULL, LOST, RUNNING, WON

CELLS, SUITS = 48, 4
FOUND, ROWS, NEXT, ROW = CELLS, CELLS + SUITS, CELLS + SUITS + 1, CELLS + SUITS + 2
"""A packed position: 48 cells (-1 empty), heights of the foundations, rows dealt, stock cards used."""
DEAL = 8
DEPTH = 64
LEVEL, SEEN, NODES = 0, 1, 2


@dataclass(frozen=True)
class LabyrinthStart:
    """A position: cells (-1 empty), foundation heights (S H D C, ace = 1), rows dealt, the stock's next card first."""

    cells: Sequence[int]
    found: Sequence[int]
    rows: int
    stock: Sequence[int]


class LabyrinthStack(NamedTuple):
    """A search in progress.

    For each level, the position, the next move to try and the move made; the constants (stock, its size, most rows,
    keys); counters; and a log of cells played.
    """

    pool: Ints
    tried: Ints
    path: Ints
    stock: Ints
    size: int
    most: int
    keys: Ints
    state: Ints
    log: Ints


@jit
def is_open(pool: Ints, base: int, cell: int) -> bool:
    """Return whether the cell's card is free to be played."""
    rows = pool[base + ROWS]
    row = cell >> 3
    if row == 0 or row == rows - 1 or pool[base + cell - 8] < 0:
        return True
    return pool[base + cell + 8] < 0


@jit
def fits(pool: Ints, base: int, cell: int) -> bool:
    """Return whether the cell has a card that its foundation takes next."""
    card = pool[base + cell]
    return card >= 0 and pool[base + FOUND + card // 13] == card % 13


@jit
def play(pool: Ints, base: int, cell: int, stock: Ints, size: int) -> None:
    """Play the cell's card; a first-row cell is refilled from the stock."""
    pool[base + FOUND + pool[base + cell] // 13] += 1
    pool[base + cell] = -1
    if cell < 8 and pool[base + NEXT] < size:
        pool[base + cell] = stock[pool[base + NEXT]]
        pool[base + NEXT] += 1


@jit
def deal(pool: Ints, base: int, stock: Ints, size: int) -> None:
    """Deal the next row."""
    first = pool[base + ROWS] * 8
    for cell in range(first, first + 8):
        if pool[base + NEXT] < size:
            pool[base + cell] = stock[pool[base + NEXT]]
            pool[base + NEXT] += 1
    pool[base + ROWS] += 1


@jit
def settle(pool: Ints, base: int, stock: Ints, size: int, log: Ints, logged: int) -> int:
    """Make every safe play, append its cell to ``log``, which has ``logged`` entries, and return the new number."""
    busy = True
    while busy:
        busy = False
        first = 8
        if pool[base + NEXT] >= size:
            first = 0
        for cell in range(first, pool[base + ROWS] * 8):
            if fits(pool, base, cell) and is_open(pool, base, cell):
                play(pool, base, cell, stock, size)
                log[logged] = cell
                logged += 1
                busy = True
    return logged


@jit
def key_of(pool: Ints, base: int, keys: Ints) -> int:
    """Return the position's key."""
    key = keys[CELLS * 53 + pool[base + ROWS]] + keys[CELLS * 53 + 8 + pool[base + NEXT]]
    for cell in range(CELLS):
        key = (key + keys[cell * 53 + pool[base + cell] + 1]) & MASK
    return key


@jit
def is_won(pool: Ints, base: int) -> bool:
    """Return whether all 52 cards are up."""
    return pool[base + FOUND] + pool[base + FOUND + 1] + pool[base + FOUND + 2] + pool[base + FOUND + 3] == 52


@jit
def explore(stack: LabyrinthStack, seen: Ints, room: int, nodes: int) -> int:
    """Continue the search for up to ``nodes`` positions and return a status from ``states``."""
    state, pool, tried = stack.state, stack.pool, stack.tried
    stop = state[NODES] + nodes
    while state[NODES] < stop:
        if state[SEEN] >= room:
            return FULL
        level = state[LEVEL]
        move = tried[level]
        if move > DEAL:
            if level == 0:
                return LOST
            state[LEVEL] = level - 1
            continue
        tried[level] += 1
        if not is_allowed(stack, level * ROW, move):
            continue
        state[NODES] += 1
        child = (level + 1) * ROW
        pool[child : child + ROW] = pool[child - ROW : child]
        stack.path[level] = move
        make(pool, child, move, stack.stock, stack.size)
        settle(pool, child, stack.stock, stack.size, stack.log, 0)
        won = is_won(pool, child)
        if won or add_key(seen, key_of(pool, child, stack.keys)) == 1:
            state[SEEN] += 1
            state[LEVEL] = level + 1
            tried[level + 1] = 0
            if won:
                return WON
    return RUNNING


@jit
def is_allowed(stack: LabyrinthStack, base: int, move: int) -> bool:
    """Return whether a move (a first-row cell, or the deal) is legal and within the rows allowed."""
    if move == DEAL:
        return stack.pool[base + NEXT] < stack.size and stack.pool[base + ROWS] < stack.most
    return fits(stack.pool, base, move)


@jit
def make(pool: Ints, base: int, move: int, stock: Ints, size: int) -> None:
    """Make a move."""
    if move == DEAL:
        deal(pool, base, stock, size)
    else:
        play(pool, base, move, stock, size)


class LabyrinthSearch(Exhaustive):
    """Exhaustive search that decides a position. At most ``most`` rows are dealt; fewer rows make a shorter line."""

    def __init__(self, start: LabyrinthStart, *, limit: int = 1 << 22, most: int = 6) -> None:
        super().__init__(limit)
        self.start = start
        self.stack = LabyrinthStack(
            pool=shorts(ROW * DEPTH, -1), tried=longs(DEPTH), path=longs(DEPTH), stock=shorts_of(start.stock),
            size=len(start.stock), most=most, keys=random_keys(CELLS * 53 + 64, 1), state=longs(3), log=longs(128),
        )  # fmt: skip
        self._load()
        if is_won(self.stack.pool, 0):
            self.status = WON

    def _load(self) -> int:
        """Put the settled starting position at level 0 and return the number of cells logged."""
        stack, pool = self.stack, self.stack.pool
        for cell, card in enumerate(self.start.cells):
            pool[cell] = card
        for suit, height in enumerate(self.start.found):
            pool[FOUND + suit] = height
        pool[ROWS] = self.start.rows
        pool[NEXT] = 0
        return settle(pool, 0, stack.stock, stack.size, stack.log, 0)

    @property
    def nodes(self) -> int:
        return int(self.stack.state[NODES])

    def explore(self, nodes: int) -> int:
        return explore(self.stack, self.seen.table, self.seen.room, nodes)

    def tokens(self) -> list[str]:
        stack = self.stack
        logged = self._load()
        for level in range(int(stack.state[LEVEL])):
            move = int(stack.path[level])
            make(stack.pool, 0, move, stack.stock, stack.size)
            stack.log[logged] = move if move < DEAL else -1
            logged = settle(stack.pool, 0, stack.stock, stack.size, stack.log, logged + 1)
        return ["d" if cell < 0 else f"t{cell}-f" for cell in list(stack.log[:logged])]
