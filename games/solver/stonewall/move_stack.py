"""Position of Stonewall with a stack of the moves to try, shared by both searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.solver.jit import jit, longs, shorts
from games.solver.kernel_tools import Ints, random_keys
from games.solver.stonewall.moves import MOST_MOVES, join, list_moves, pending_after, settle
from games.solver.stonewall.outline import Outline, make_outline
from games.solver.stonewall.position import (
    BASE,
    DOWN,
    FOUND,
    GONE,
    KEY,
    KEYS,
    PILES,
    RESERVE,
    RESERVED,
    SIZE,
    TO_FOUNDATION,
    TOP,
    TOPS,
    UNDO,
    key_of,
    make,
    take_back,
)

LEVEL, DONE, BEFORE, COUNTERS = 0, 1, 2, 3


@dataclass(frozen=True)
class StonewallStart:
    """A position: piles bottom up as (card, face down), reserve cards by cell, foundation heights (S H D C)."""

    piles: Sequence[Sequence[tuple[int, bool]]]
    reserve: Mapping[int, int]
    found: Sequence[int]


class StonewallStack(NamedTuple):
    """The position; the moves made; the moves to try (level n has first[n] to last[n]); for each level, the number of
    moves made before it and the pile whose top must be used next; the keys; counters; and the outline.
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
    outline: Outline


def make_stack(start: StonewallStart, levels: int, outline: Outline | None = None) -> StonewallStack:
    """Create a stack with the starting position, its safe moves made, and room for ``levels`` choices in a row.

    ``outline`` is the position's outline, if it has been made.
    """
    pos = position_of(start)
    stack = StonewallStack(
        pos=pos, undo=shorts(UNDO * (PILES * levels + 100)), moves=longs(levels * MOST_MOVES),
        first=longs(levels), last=longs(levels), mark=longs(levels), pending=longs(levels, -1),
        keys=random_keys(KEYS, 2), state=longs(COUNTERS), outline=outline or make_outline(pos),
    )  # fmt: skip
    stack.state[DONE] = tidy(stack, 0)
    begin_choosing(stack)
    return stack


def position_of(start: StonewallStart) -> Ints:
    """Pack the position."""
    pos = longs(SIZE)
    for card in range(52):
        pos[card] = GONE
    for pile, cards in enumerate(start.piles):
        below = BASE
        for card, is_down in cards:
            pos[card], pos[DOWN + card] = below, int(is_down)
            below = card
        pos[TOP + pile] = below if below < BASE else -1
        pos[TOPS] |= 1 << below if below < BASE else 0
    for card in start.reserve.values():
        pos[card] = RESERVE
        pos[RESERVED] |= 1 << card
    for suit, height in enumerate(start.found):
        pos[FOUND + suit] = height
    pos[KEY] = key_of(pos, random_keys(KEYS, 2))
    return pos


@jit
def begin_choosing(stack: StonewallStack) -> None:
    """List the moves of the current position as the first level."""
    stack.state[LEVEL] = 0
    stack.first[0] = 0
    stack.last[0] = list_moves(stack.pos, -1, stack.moves, 0)


@jit
def choose(stack: StonewallStack) -> int:
    """Make the next move of the current level and all forced moves after it; return the pending pile, or -1.

    ``state[BEFORE]`` is set to the number of moves made before.
    """
    level = stack.state[LEVEL]
    stack.last[level] -= 1
    move = stack.moves[stack.last[level]]
    stack.state[BEFORE] = stack.state[DONE]
    pending = pending_after(stack.pos, stack.pending[level], move)
    make(stack.pos, stack.undo, stack.state[DONE], (move >> 3) & 7, move >> 6, move & 7, stack.keys)
    stack.state[DONE] += 1
    if pending < 0:
        stack.state[DONE] = tidy(stack, stack.state[DONE])
    return pending


@jit
def descend(stack: StonewallStack, pending: int) -> None:
    """List the moves of the position that ``choose`` has reached, as the next level."""
    level = stack.state[LEVEL] + 1
    stack.state[LEVEL] = level
    stack.mark[level] = stack.state[BEFORE]
    stack.pending[level] = pending
    stack.first[level] = stack.last[level - 1]
    stack.last[level] = list_moves(stack.pos, pending, stack.moves, stack.last[level - 1])


@jit
def ascend(stack: StonewallStack) -> bool:
    """Go back to the last level with moves left to try; return False when there is none."""
    level = stack.state[LEVEL]
    while stack.last[level] == stack.first[level]:
        if level == 0:
            return False
        back_to(stack, stack.mark[level])
        level -= 1
        stack.state[LEVEL] = level
    return True


@jit
def next_child(stack: StonewallStack) -> bool:
    """Go on to the next position in which nothing is pending; return False when there is none."""
    while ascend(stack):
        pending = choose(stack)
        if pending < 0:
            return True
        descend(stack, pending)
    return False


@jit
def tidy(stack: StonewallStack, done: int) -> int:
    """Make all safe moves and joins after the first ``done`` moves, and return the number of moves recorded."""
    return join(stack.pos, stack.undo, settle(stack.pos, stack.undo, done, stack.keys), stack.keys)


@jit
def back_to(stack: StonewallStack, done: int) -> None:
    """Take back all moves but the first ``done``."""
    while stack.state[DONE] > done:
        stack.state[DONE] -= 1
        take_back(stack.pos, stack.undo, stack.state[DONE], stack.keys)


@jit
def is_won(pos: Ints) -> bool:
    """Return whether all cards are up."""
    return pos[FOUND] + pos[FOUND + 1] + pos[FOUND + 2] + pos[FOUND + 3] == 52


def tokens_of(start: StonewallStart, stack: StonewallStack) -> list[str]:
    """Return the moves made, as tokens of the rules."""
    piles = [[card for card, _ in cards] for cards in start.piles]
    slots = {card: cell for cell, card in start.reserve.items()}
    tokens = []
    for at in range(0, int(stack.state[DONE]) * UNDO, UNDO):
        card, source, target = (int(stack.undo[at + offset]) for offset in (0, 1, 3))
        count = 1
        name = f"r{slots[card]}" if source == PILES else f"t{source}"
        run = [card]
        if source < PILES:
            count = len(piles[source]) - piles[source].index(card)
            run = piles[source][-count:]
            del piles[source][-count:]
        if target < PILES:
            piles[target] += run
        tokens.append(f"{name}-{'f' if target == TO_FOUNDATION else f't{target}'}" + (f"x{count}" if count > 1 else ""))
    return tokens
