"""Stonewall: depth-first search with a set of seen positions; moves are made and taken back in one packed position.

Rules: ``games.rules.stonewall``. Five facts keep the search small. A card that no other card needs goes to its
foundation at once. Moving a reserve card to a pile gains nothing until a run is put on it, so such moves come as a
series on one pile, which a run from another pile ends. The order of the piles does not matter: a key is a sum over
pairs (a card, what it lies on). Positions that lead to each other by moves of runs are one (``stonewall_runs``). And
many losses show long before the last move (``stonewall_loss``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.solver.jit import jit, longs, shorts
from games.solver.search import Exhaustive
from games.solver.states import FULL, LOST, RUNNING, SPENT, WON
from games.solver.stonewall_loss import is_hopeless
from games.solver.stonewall_moves import MOST_MOVES, list_moves
from games.solver.stonewall_position import (
    BASE,
    DOWN,
    FOUND,
    GONE,
    KEYS,
    PILES,
    RESERVE,
    SIZE,
    TO_FOUNDATION,
    TOP,
    UNDO,
    key_of,
    make,
    settle,
    take_back,
)
from games.solver.stonewall_runs import join, pending_after, twins
from games.solver.tools import MASK, Ints, add_key, random_keys

LEVEL, SEEN, NODES, DONE, CUT, DEEPEST = range(6)
MOST_DEPTH = 3000


@dataclass(frozen=True)
class Start:
    """A position: piles bottom up as (card, face down), reserve cards by cell, foundation heights (S H D C)."""

    piles: Sequence[Sequence[tuple[int, bool]]]
    reserve: Mapping[int, int]
    found: Sequence[int]


class Stack(NamedTuple):
    """A search in progress.

    The position; the moves made; the moves to try (those of level n from first[n] to last[n]); the number of moves made
    before each level, and the pile whose top must be used next; the keys; counters; and room for the proof of a loss.
    """

    pos: Ints
    undo: Ints
    moves: Ints
    first: Ints
    last: Ints
    mark: Ints
    pending: Ints
    keys: Ints
    state: Ints
    heights: Ints


@jit
def explore(stack: Stack, seen: Ints, room: int, nodes: int) -> int:
    """Continue the search for up to ``nodes`` positions; returns a state of ``tools``."""
    pos, state, first, last = stack.pos, stack.state, stack.first, stack.last
    stop = state[NODES] + nodes
    key = key_of(pos, stack.keys)
    while state[NODES] < stop:
        if state[SEEN] >= room:
            return FULL
        level = state[LEVEL]
        if last[level] == first[level]:
            if level == 0:
                return LOST if state[CUT] == 0 else SPENT
            key = back_to(stack, stack.mark[level], key)
            state[LEVEL] = level - 1
            continue
        last[level] -= 1
        move = stack.moves[last[level]]
        before = state[DONE]
        state[NODES] += 1
        pending = pending_after(pos, stack.pending[level], move)
        key = advance(stack, move, key, pending)
        if pending < 0:
            if pos[FOUND] + pos[FOUND + 1] + pos[FOUND + 2] + pos[FOUND + 3] == 52:
                return WON
            if is_dead_end(stack, seen, key):
                key = back_to(stack, before, key)
                continue
        if level + 2 >= state[DEEPEST]:
            state[CUT] = 1
            key = back_to(stack, before, key)
            continue
        state[LEVEL] = level + 1
        stack.mark[level + 1] = before
        stack.pending[level + 1] = pending
        first[level + 1] = last[level]
        last[level + 1] = list_moves(pos, pending, stack.moves, last[level])
    return RUNNING


@jit
def is_dead_end(stack: Stack, seen: Ints, key: int) -> bool:
    """Whether the position, or one that is the same for the search, was seen before, or is lost at sight."""
    if add_key(seen, (key + twins(stack.pos, stack.keys)) & MASK) == 0:
        return True
    stack.state[SEEN] += 1
    return is_hopeless(stack.pos, stack.heights)


@jit
def advance(stack: Stack, move: int, key: int, pending: int) -> int:
    """Make a move, then all safe ones and joins unless it is half of something (``pending``); returns the new key."""
    done = stack.state[DONE]
    key += make(stack.pos, stack.undo, done, (move >> 3) & 7, move >> 6, move & 7, stack.keys)
    stack.state[DONE] = done + 1
    if pending >= 0:
        return key & MASK
    tidied = tidy(stack, done + 1)
    if tidied > done + 1:
        stack.state[DONE] = tidied
        return key_of(stack.pos, stack.keys)
    return key & MASK


@jit
def tidy(stack: Stack, done: int) -> int:
    """Make all safe moves and joins after the first ``done`` moves; returns the number of moves noted."""
    return join(stack.pos, stack.undo, settle(stack.pos, stack.undo, done, stack.keys), stack.keys)


@jit
def back_to(stack: Stack, done: int, key: int) -> int:
    """Take back all moves but the first ``done``; returns the new key."""
    while stack.state[DONE] > done:
        stack.state[DONE] -= 1
        key += take_back(stack.pos, stack.undo, stack.state[DONE], stack.keys)
    return key & MASK


class StonewallSearch(Exhaustive):
    """Decides a position.

    At most ``deepest`` choices are made in a row: fewer make a shorter line, but do not prove a loss.
    """

    def __init__(self, start: Start, *, limit: int = 1 << 22, deepest: int = MOST_DEPTH) -> None:
        super().__init__(limit)
        self.start = start
        self.stack = stack = Stack(
            pos=shorts(SIZE), undo=shorts(UNDO * (PILES * MOST_DEPTH + 100)), moves=longs(MOST_DEPTH * MOST_MOVES),
            first=longs(MOST_DEPTH), last=longs(MOST_DEPTH), mark=longs(MOST_DEPTH), pending=longs(MOST_DEPTH, -1),
            keys=random_keys(KEYS, 2), state=longs(6), heights=longs(4),
        )  # fmt: skip
        self._load(start)
        stack.state[DEEPEST] = deepest
        stack.state[DONE] = tidy(stack, 0)
        stack.last[0] = list_moves(stack.pos, -1, stack.moves, 0)
        if sum(stack.pos[FOUND : FOUND + 4]) == 52:
            self.status = WON

    def _load(self, start: Start) -> None:
        pos = self.stack.pos
        for card in range(52):
            pos[card] = GONE
        for pile, cards in enumerate(start.piles):
            below = BASE
            for card, is_down in cards:
                pos[card], pos[DOWN + card] = below, int(is_down)
                below = card
            pos[TOP + pile] = below if below < BASE else -1
        for card in start.reserve.values():
            pos[card] = RESERVE
        for suit, height in enumerate(start.found):
            pos[FOUND + suit] = height

    @property
    def nodes(self) -> int:
        return int(self.stack.state[NODES])

    @property
    def depth(self) -> int:
        """The number of choices made on the way to the current position."""
        return int(self.stack.state[LEVEL])

    def explore(self, nodes: int) -> int:
        return explore(self.stack, self.seen.table, self.seen.room, nodes)

    def moves_made(self) -> list[tuple[int, int, int]]:
        """The moves made, as (card, source pile or 6, target pile or 6)."""
        undo, end = self.stack.undo, int(self.stack.state[DONE]) * UNDO
        return [(int(undo[at]), int(undo[at + 1]), int(undo[at + 3])) for at in range(0, end, UNDO)]

    def tokens(self) -> list[str]:
        piles = [[card for card, _ in cards] for cards in self.start.piles]
        slots = {card: cell for cell, card in self.start.reserve.items()}
        tokens = []
        for card, source, target in self.moves_made():
            count = 1
            name = f"r{slots[card]}" if source == PILES else f"t{source}"
            run = [card]
            if source < PILES:
                count = len(piles[source]) - piles[source].index(card)
                run = piles[source][-count:]
                del piles[source][-count:]
            if target < PILES:
                piles[target] += run
            tokens.append(
                f"{name}-{'f' if target == TO_FOUNDATION else f't{target}'}" + (f"x{count}" if count > 1 else "")
            )
        return tokens
