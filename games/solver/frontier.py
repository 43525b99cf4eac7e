"""The open positions of a staged best-first search, in bounded memory.

Packed positions live in numbered slots. A slot is reused once its position has been expanded; what remains is a node,
with its parent and the move that led to it, from which the line is read. The heap orders slots by stage, then by score,
and only the best ``width`` positions of each stage are expanded. ``CUT`` is set whenever a position is dropped: a
search that ends without ``CUT`` has looked at everything.
"""

from __future__ import annotations

from typing import NamedTuple

from games.solver.jit import jit, longs, shorts
from games.solver.kernel_tools import Ints, add_key, clear, heap_pop, heap_push, next_random

SIZE, FREE, NODES, CUT, STAGE, TAKEN, SEEN, RANDOM, COUNT = range(9)
SCORE_BITS = 32
SCORE_ZERO = 1 << 30


class Frontier(NamedTuple):
    """The arrays of a search, with one entry for each slot, node or key; ``state`` holds the counters named above."""

    rows: Ints
    heap: Ints
    slots: Ints
    free: Ints
    owner: Ints
    facts: Ints
    parents: Ints
    moves: Ints
    seen: Ints
    state: Ints


def make_frontier(row: int, slots: int, nodes: int) -> Frontier:
    """Create an empty frontier.

    It has room for ``slots`` open positions of ``row`` 16-bit integers, and for ``nodes`` positions in all.
    """
    size = 1 << 10
    while size < nodes * 3 // 2:
        size *= 2
    return Frontier(
        rows=shorts(row * slots), heap=longs(slots), slots=longs(slots), free=longs(slots), owner=longs(slots),
        facts=longs(slots), parents=longs(nodes), moves=longs(nodes), seen=longs(size), state=longs(9),
    )  # fmt: skip


@jit
def reset(front: Frontier, random: int) -> None:
    """Empty the frontier and put slot 0, which the caller fills, on the heap as the root, node 0."""
    state = front.state
    clear(front.seen)
    total = len(front.free)
    for slot in range(total):
        front.free[slot] = total - 1 - slot
    state[FREE] = total - 1
    state[SIZE] = heap_push(front.heap, front.slots, 0, 0, 0)
    state[CUT] = 0
    state[STAGE] = 0
    state[TAKEN] = 0
    state[SEEN] = 0
    state[RANDOM] = random
    state[COUNT] = 1
    front.owner[0] = 0
    front.facts[0] = 0
    front.parents[0] = -1


@jit
def take(front: Frontier, width: int) -> int:
    """Take the best open position of the current stage and return its slot, or -1 when none is left."""
    state = front.state
    while state[SIZE] > 0:
        stage = front.heap[0] >> SCORE_BITS
        slot = front.slots[0]
        state[SIZE] = heap_pop(front.heap, front.slots, state[SIZE])
        if stage != state[STAGE]:
            state[STAGE] = stage
            state[TAKEN] = 0
        if state[TAKEN] < width:
            state[TAKEN] += 1
            return slot
        state[CUT] = 1
        close(front, slot)
    return -1


@jit
def begin(front: Frontier) -> int:
    """Return a slot to build a child in; -1 when all slots are taken, -2 when no more positions may be kept."""
    state = front.state
    state[NODES] += 1
    if state[COUNT] >= len(front.parents):
        state[CUT] = 1
        return -2
    if state[FREE] == 0:
        state[CUT] = 1
        return -1
    return front.free[state[FREE] - 1]


@jit
def cut(front: Frontier) -> bool:
    """Drop the position being built and return False."""
    front.state[CUT] = 1
    return False


@jit
def is_new(front: Frontier, key: int) -> bool:
    """Record a position's key as seen, and return whether it is new."""
    return add_key(front.seen, key) == 1


@jit
def offer(front: Frontier, parent: int, child: int, move: int, rank: int) -> None:
    """Put the child in the slot that ``begin`` returned on the heap, with a ``rank`` from ``rank_of``."""
    state = front.state
    state[FREE] -= 1
    node = state[COUNT]
    state[COUNT] += 1
    front.parents[node] = front.owner[parent]
    front.moves[node] = move
    front.owner[child] = node
    state[SIZE] = heap_push(front.heap, front.slots, state[SIZE], rank, child)


@jit
def rank_of(front: Frontier, stage: int, score: int, noise: int) -> int:
    """Return a position's heap key: earlier stages first, then higher scores. Up to ``noise`` is added to the score."""
    if noise > 0:
        front.state[RANDOM] = next_random(front.state[RANDOM])
        score += (front.state[RANDOM] >> 8) % noise
    return (stage << SCORE_BITS) + SCORE_ZERO - score


@jit
def close(front: Frontier, slot: int) -> None:
    """Free the slot of an expanded position."""
    front.free[front.state[FREE]] = slot
    front.state[FREE] += 1


@jit
def pass_over(front: Frontier, slot: int) -> None:
    """Free the slot of a position that cannot be won, and let another take its place among the stage's best."""
    front.state[TAKEN] -= 1
    close(front, slot)


def line(front: Frontier, node: int) -> list[int]:
    """Return the moves from the root to a node."""
    moves = []
    while node > 0:
        moves.append(int(front.moves[node]))
        node = int(front.parents[node])
    return moves[::-1]
