"""Equivalent positions of Stonewall, which count as one: reversible moves of runs lead from each to the other.

A run that lies on the next higher card, and so continues it, may be put on that card's twin (same rank and colour) if
the twin is on top of a pile, or into an empty pile, and may go back as long as nothing is put on the card it left. So:

- A pile that is one run is put on a card that takes it, which gains a space (``join``).
- A run that could lie on either of two twins has one place in the key (``twins``).
- Splitting off a run does not make a position of its own: the next move uses the card it left, which goes up or takes
  another card. Everything else could be done without the split. A move uses the top of only one pile that a split can
  clear, so one split before it is enough: a card goes up or onto a card, and whole runs move with all the cards on
  them.
"""

from __future__ import annotations

from games.solver.jit import jit
from games.solver.kernel_tools import Ints
from games.solver.stonewall.position import BASE, PILES, TAKERS, TO_FOUNDATION, TOP, TOPS, continues, goes_on, make


@jit
def pending_after(pos: Ints, was_pending: int, move: int) -> int:
    """Return the pile whose top the next move must use, or -1.

    That is the target of a reserve card, or the pile that a split leaves. While a pile is pending, a run that moves
    does not count as a split.
    """
    source, target = (move >> 3) & 7, move & 7
    if target == TO_FOUNDATION:
        return -1
    if source == PILES:
        return target
    if was_pending < 0 and continues(pos, move >> 6):
        return source
    return -1


@jit
def join(pos: Ints, undo: Ints, done: int, keys: Ints) -> int:
    """Put every pile that is one run on a card that takes it, and return the number of moves recorded."""
    pile = 0
    while pile < PILES:
        head = head_of(pos, pile)
        target = taker(pos, head) if head >= 0 else -1
        if target < 0:
            pile += 1
            continue
        make(pos, undo, done, pile, head, target, keys)
        done += 1
        pile = 0
    return done


@jit
def head_of(pos: Ints, pile: int) -> int:
    """Return the lowest card of a pile that is one run, else -1."""
    head = pos[TOP + pile]
    if head < 0:
        return -1
    while continues(pos, head):
        head = pos[head]
    return head if pos[head] == BASE else -1


@jit
def taker(pos: Ints, card: int) -> int:
    """Return a pile whose top takes the card, or -1."""
    if TAKERS[card] & pos[TOPS] == 0:
        return -1
    for pile in range(PILES):
        if pos[TOP + pile] >= 0 and goes_on(card, pos[TOP + pile]):
            return pile
    return -1


@jit
def twins(pos: Ints, keys: Ints) -> int:
    """Return the change to the key that puts each run on the twin of the lower suit if it could lie on either twin."""
    change = 0
    for pile in range(PILES):
        card = pos[TOP + pile]
        while card >= 0 and continues(pos, card):
            below = pos[card]
            twin = (3 - below // 13) * 13 + below % 13
            if twin < below and pos[TOPS] >> twin & 1 == 1:
                change += keys[card * 55 + twin] - keys[card * 55 + below]
            card = below
    return change
