"""Stonewall: depth-first search with a set of seen positions; moves are made and taken back in one packed position.

Rules: ``games.rules.stonewall``. Three facts keep the search small. A card that no other card needs goes to its
foundation at once. Moving a reserve card to a pile gains nothing until a run is put on it, so such moves come as a
series on one pile, which a run from another pile ends. And the order of the piles does not matter: a key is a sum over
pairs (a card, what it lies on).
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from games.solver.jit import jit, longs, shorts
from games.solver.search import Exhaustive
from games.solver.states import FULL, LOST, RUNNING, SPENT, WON
from games.solver.tools import MASK, Ints, add_key, random_keys

BASE, RESERVE, GONE = 52, 53, 54
"""What a card may lie on besides a card: the table, the reserve, its foundation."""
PILES = 6
TOP, FOUND, DOWN, SIZE = 52, 58, 62, 114
"""A packed position: what each card lies on, tops of the piles (-1 none), foundation heights (S H D C), and for each
card whether it is face down."""
TO_FOUNDATION = 6
HIDDEN_KEYS = 55 * 52
LEVEL, SEEN, NODES, DONE, CUT, DEEPEST = range(6)
MOST_DEPTH = 3000
UNDO = 5
MOST_MOVES = 100
"""At most 52 moves to a space, 7 to each other pile, 4 to foundations."""


@dataclass(frozen=True)
class Start:
    """A position: piles bottom up as (card, face down), reserve cards by cell, foundation heights (S H D C)."""

    piles: Sequence[Sequence[tuple[int, bool]]]
    reserve: Mapping[int, int]
    found: Sequence[int]


class Stack(NamedTuple):
    """A search in progress.

    The position; the moves made; the moves to try (those of level n from first[n] to last[n]); the number of moves made
    before each level; the keys; and counters.
    """

    pos: Ints
    undo: Ints
    moves: Ints
    first: Ints
    last: Ints
    mark: Ints
    keys: Ints
    state: Ints


@jit
def is_red(card: int) -> bool:
    """Whether the card is a heart or a diamond."""
    return 13 <= card < 39


@jit
def goes_on(card: int, target: int) -> bool:
    """Whether the card may be built on the target."""
    return card % 13 + 1 == target % 13 and is_red(card) != is_red(target)


@jit
def is_safe(pos: Ints, card: int) -> bool:
    """Whether the card may go to its foundation at once, because every card it could carry can go up too."""
    rank = card % 13
    if rank < 2:
        return True
    # Suits 0 and 3 are black, 1 and 2 red; the partner of a suit is 3 minus it.
    suit = card // 13
    other = 1 if suit in (0, 3) else 0
    low = min(pos[FOUND + other], pos[FOUND + 3 - other])
    return low >= rank - 1 and pos[FOUND + 3 - suit] >= rank - 2


@jit
def make(pos: Ints, undo: Ints, done: int, source: int, card: int, target: int, keys: Ints) -> int:
    """Move the run that starts with ``card``, and note the move at ``undo[done]``; returns the change in the position's
    key.
    """
    below = pos[card]
    if below == RESERVE:
        source = PILES
    at = done * UNDO
    undo[at] = card
    undo[at + 1] = source
    undo[at + 2] = below
    undo[at + 3] = target
    undo[at + 4] = 0
    change = -keys[card * 55 + below]
    top = card
    if source < PILES:
        top = pos[TOP + source]
        if below < BASE:
            pos[TOP + source] = below
            if pos[DOWN + below] == 1:
                pos[DOWN + below] = 0
                undo[at + 4] = 1
                change -= keys[HIDDEN_KEYS + below]
        else:
            pos[TOP + source] = -1
    if target == TO_FOUNDATION:
        pos[card] = GONE
        pos[FOUND + card // 13] += 1
    else:
        onto = pos[TOP + target]
        if onto < 0:
            onto = BASE
        pos[card] = onto
        pos[TOP + target] = top
        change += keys[card * 55 + onto]
    return change


@jit
def take_back(pos: Ints, undo: Ints, done: int, keys: Ints) -> int:
    """Take back the move noted at ``undo[done]``; returns the change in the position's key."""
    at = done * UNDO
    card = undo[at]
    source = undo[at + 1]
    below = undo[at + 2]
    target = undo[at + 3]
    change = keys[card * 55 + below]
    top = card
    if target == TO_FOUNDATION:
        pos[FOUND + card // 13] -= 1
    else:
        onto = pos[card]
        change -= keys[card * 55 + onto]
        top = pos[TOP + target]
        pos[TOP + target] = onto if onto < BASE else -1
    pos[card] = below
    if source < PILES:
        pos[TOP + source] = top
        if undo[at + 4] == 1:
            pos[DOWN + below] = 1
            change += keys[HIDDEN_KEYS + below]
    return change


@jit
def settle(pos: Ints, undo: Ints, done: int, keys: Ints) -> int:
    """Make every safe foundation move; returns the number of moves noted."""
    busy = True
    while busy:
        busy = False
        for suit in range(4):
            card = suit * 13 + pos[FOUND + suit]
            if pos[FOUND + suit] == 13 or not is_safe(pos, card):
                continue
            source = source_of(pos, card)
            if source >= 0:
                make(pos, undo, done, source, card, TO_FOUNDATION, keys)
                done += 1
                busy = True
    return done


@jit
def source_of(pos: Ints, card: int) -> int:
    """The pile that has the card on top, ``PILES`` for the reserve, or -1."""
    if pos[card] == RESERVE:
        return PILES
    for pile in range(PILES):
        if pos[TOP + pile] == card:
            return pile
    return -1


@jit
def key_of(pos: Ints, keys: Ints) -> int:
    """The position's key."""
    key = 0
    for card in range(52):
        if pos[card] != GONE:
            key = (key + keys[card * 55 + pos[card]]) & MASK
            if pos[DOWN + card] == 1:
                key = (key + keys[HIDDEN_KEYS + card]) & MASK
    return key


@jit
def list_moves(pos: Ints, pending: int, moves: Ints, first: int) -> int:
    """Write the moves worth trying to ``moves`` from index ``first`` on, the most promising last; returns the end.

    If ``pending`` is a pile, all of them go to it. A move is card * 64 + source * 8 + target.
    """
    if pending >= 0:
        return list_runs(pos, pending, moves, list_reserve(pos, pending, moves, first))
    end = first
    empty = -1
    for target in range(PILES):
        if pos[TOP + target] >= 0:
            end = list_reserve(pos, target, moves, end)
        elif empty < 0:
            empty = target
    if empty >= 0:
        end = list_to_space(pos, empty, moves, end)
    for target in range(PILES):
        if pos[TOP + target] >= 0:
            end = list_runs(pos, target, moves, end)
    for suit in range(4):
        card = suit * 13 + pos[FOUND + suit]
        if pos[FOUND + suit] < 13 and source_of(pos, card) >= 0:
            moves[end] = card * 64 + source_of(pos, card) * 8 + TO_FOUNDATION
            end += 1
    return end


@jit
def list_reserve(pos: Ints, target: int, moves: Ints, end: int) -> int:
    """Write the moves of reserve cards to a pile; returns the end of the list."""
    onto = pos[TOP + target]
    if onto % 13 == 0:
        return end
    card = onto % 13 - 1
    step = 39
    if not is_red(onto):
        card += 13
        step = 13
    for reserved in (card, card + step):
        if pos[reserved] == RESERVE:
            moves[end] = reserved * 64 + PILES * 8 + target
            end += 1
    return end


@jit
def list_runs(pos: Ints, target: int, moves: Ints, end: int) -> int:
    """Write the moves of runs from other piles to a pile that is not empty; returns the end of the list."""
    onto = pos[TOP + target]
    for source in range(PILES):
        card = pos[TOP + source]
        if source == target or card < 0:
            continue
        while card % 13 + 1 < onto % 13 and continues(pos, card):
            card = pos[card]
        if goes_on(card, onto):
            moves[end] = card * 64 + source * 8 + target
            end += 1
    return end


@jit
def list_to_space(pos: Ints, target: int, moves: Ints, end: int) -> int:
    """Write the moves to an empty pile; returns the end of the list.

    They are those of reserve cards (except aces, which no card goes on) and of runs that leave something behind.
    """
    for card in range(52):
        if pos[card] == RESERVE and card % 13 > 0:
            moves[end] = card * 64 + PILES * 8 + target
            end += 1
    for source in range(PILES):
        card = pos[TOP + source]
        while card >= 0 and pos[card] < BASE:
            moves[end] = card * 64 + source * 8 + target
            end += 1
            if not continues(pos, card):
                break
            card = pos[card]
    return end


@jit
def continues(pos: Ints, card: int) -> bool:
    """Whether the card below belongs to the same run."""
    below = pos[card]
    return below < BASE and pos[DOWN + below] == 0 and goes_on(card, below)


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
        key = advance(stack, move, key)
        pending = -1
        if (move >> 3) & 7 == PILES and move & 7 != TO_FOUNDATION:
            pending = move & 7
        elif pos[FOUND] + pos[FOUND + 1] + pos[FOUND + 2] + pos[FOUND + 3] == 52:
            return WON
        elif add_key(seen, key) == 0:
            key = back_to(stack, before, key)
            continue
        else:
            state[SEEN] += 1
        if level + 2 >= state[DEEPEST]:
            state[CUT] = 1
            key = back_to(stack, before, key)
            continue
        state[LEVEL] = level + 1
        stack.mark[level + 1] = before
        first[level + 1] = last[level]
        last[level + 1] = list_moves(pos, pending, stack.moves, last[level])
    return RUNNING


@jit
def advance(stack: Stack, move: int, key: int) -> int:
    """Make a move, then all safe ones unless it took a reserve card to a pile; returns the new key."""
    source, target = (move >> 3) & 7, move & 7
    done = stack.state[DONE]
    key += make(stack.pos, stack.undo, done, source, move >> 6, target, stack.keys)
    stack.state[DONE] = done + 1
    if source == PILES and target != TO_FOUNDATION:
        return key & MASK
    settled = settle(stack.pos, stack.undo, done + 1, stack.keys)
    if settled > done + 1:
        stack.state[DONE] = settled
        return key_of(stack.pos, stack.keys)
    return key & MASK


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
            pos=shorts(SIZE), undo=shorts(UNDO * (MOST_DEPTH + 100)), moves=longs(MOST_DEPTH * MOST_MOVES),
            first=longs(MOST_DEPTH), last=longs(MOST_DEPTH), mark=longs(MOST_DEPTH),
            keys=random_keys(HIDDEN_KEYS + 52, 2), state=longs(6),
        )  # fmt: skip
        self._load(start)
        stack.state[DEEPEST] = deepest
        stack.state[DONE] = settle(stack.pos, stack.undo, 0, stack.keys)
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
