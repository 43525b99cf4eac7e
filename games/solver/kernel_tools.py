"""Building blocks of the kernels: position keys, a set of seen keys, a heap and a random stream.

A position's key is a sum of random 62-bit integers, one for each fact of the position. Two different positions have the
same key once in 2**62, so among ten million positions the chance of a wrong "seen" is about one in 100,000. A wrong
"won" is impossible: the rules replay every line.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from functools import lru_cache

from games.solver.jit import jit, longs, table_of

MASK = (1 << 62) - 1
RANDOM_MASK = (1 << 31) - 1

Ints = MutableSequence[int]


@lru_cache(maxsize=16)
def random_keys(count: int, stream: int) -> Ints:
    """Return ``count`` fixed 62-bit integers from splitmix64, different for each ``stream``."""
    keys = longs(count)
    state = (stream * 0x9E3779B97F4A7C15 + 0x1234567) & 0xFFFFFFFFFFFFFFFF
    for index in range(count):
        state = (state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        keys[index] = (z ^ (z >> 31)) & MASK
    return keys


@jit
def next_random(state: int) -> int:
    """Return the next of a stream of 31-bit integers. Use the high bits: the low ones repeat soon."""
    return (state * 1103515245 + 12345) & RANDOM_MASK


@jit
def add_key(table: Ints, key: int) -> int:
    """Add a key to an open-addressing hash set that has room; return 1 if it was new, 0 if it was there."""
    mask = len(table) - 1
    if key == 0:
        key = 1
    slot = (key ^ (key >> 29)) & mask
    while True:
        found = table[slot]
        if found == 0:
            table[slot] = key
            return 1
        if found == key:
            return 0
        slot = (slot + 1) & mask


@jit
def has_key(table: Ints, key: int) -> bool:
    """Return whether a key is in the hash set."""
    mask = len(table) - 1
    if key == 0:
        key = 1
    slot = (key ^ (key >> 29)) & mask
    while table[slot] != 0:
        if table[slot] == key:
            return True
        slot = (slot + 1) & mask
    return False


@jit
def rehash(old: Ints, new: Ints) -> None:
    """Add every key of ``old`` to ``new``."""
    for slot in range(len(old)):
        key = old[slot]
        if key != 0:
            add_key(new, key)


@jit
def clear(table: Ints) -> None:
    """Empty the set."""
    for slot in range(len(table)):
        table[slot] = 0


@jit
def heap_push(keys: Ints, values: Ints, size: int, key: int, value: int) -> int:
    """Add an entry to a min-heap of ``size`` entries and return the new size."""
    child = size
    while child > 0:
        parent = (child - 1) >> 1
        if keys[parent] <= key:
            break
        keys[child] = keys[parent]
        values[child] = values[parent]
        child = parent
    keys[child] = key
    values[child] = value
    return size + 1


@jit
def heap_pop(keys: Ints, values: Ints, size: int) -> int:
    """Remove the smallest entry, which the caller has read at index 0; return the new size."""
    size -= 1
    key = keys[size]
    value = values[size]
    hole = 0
    child = 1
    while child < size:
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[hole] = keys[child]
        values[hole] = values[child]
        hole = child
        child = 2 * hole + 1
    keys[hole] = key
    values[hole] = value
    return size


class SeenKeys:
    """A set of position keys that doubles up to ``limit`` slots, 8 bytes each."""

    def __init__(self, limit: int, size: int = 1 << 12) -> None:
        self.limit = limit
        self.table = table_of(min(size, limit))

    @property
    def room(self) -> int:
        """Number of keys that the set should hold before it grows."""
        return len(self.table) * 5 // 8

    def grow(self) -> bool:
        """Double the set; return False when it is at its limit."""
        if len(self.table) >= self.limit:
            return False
        table = table_of(len(self.table) * 2)
        rehash(self.table, table)
        self.table = table
        return True
