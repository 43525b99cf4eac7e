"""Moves of Stonewall: those worth trying, safe ones to the foundations, and runs that may lie elsewhere.

*Safe* foundation moves are made at once: no card that still needs a place needs the card that goes up.
A reserve card needs no place: it can wait in the reserve until it goes up. It is put on a pile only so that another
card can lie on it. So a card that would lie on another does without if it is in the reserve, or goes up as soon as it
is uncovered, and all cards that would lie on it do without as well.

*Equivalent* positions count as one: reversible moves of runs lead from each to the other.
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
from games.solver.stonewall.position import (
    BASE,
    FOUND,
    PILES,
    RESERVED,
    TAKERS,
    TO_FOUNDATION,
    TOP,
    TOPS,
    continues,
    goes_on,
    heights,
    is_red,
    make,
    pile_of,
)

MOST_MOVES = 100
"""At most 52 moves to a space, 7 to each other pile, 4 to foundations."""

LOWER_RANKS = (1 << 12) - 1


@jit
def list_moves(pos: Ints, pending: int, moves: Ints, first: int) -> int:
    """Write the moves worth trying to ``moves`` from index ``first`` on, the most promising last; return the end.

    If ``pending`` is a pile, all of them use its top. A move is card * 64 + source * 8 + target.
    """
    if pending >= 0:
        return list_uses(pos, pending, moves, first)
    end = first
    empty = -1
    useful = useful_reserve(pos)
    for target in range(PILES):
        if pos[TOP + target] < 0:
            empty = target
        elif is_first_twin(pos, pos[TOP + target]):
            end = list_reserve(pos, target, useful, moves, end)
    if empty >= 0:
        end = list_to_space(pos, empty, useful, moves, end)
    for target in range(PILES):
        if pos[TOP + target] >= 0 and is_first_twin(pos, pos[TOP + target]):
            end = list_runs(pos, target, moves, end)
    for suit in range(4):
        card = suit * 13 + pos[FOUND + suit]
        if pos[FOUND + suit] < 13 and (pos[TOPS] | pos[RESERVED]) >> card & 1 == 1:
            moves[end] = card * 64 + pile_of(pos, card) * 8 + TO_FOUNDATION
            end += 1
    return end


@jit
def list_uses(pos: Ints, pile: int, moves: Ints, first: int) -> int:
    """Write the moves that use a pile's top, as a target or to go up, and return the end of the list."""
    end = list_runs(pos, pile, moves, list_reserve(pos, pile, useful_reserve(pos), moves, first))
    card = pos[TOP + pile]
    if card % 13 == pos[FOUND + card // 13]:
        moves[end] = card * 64 + pile * 8 + TO_FOUNDATION
        end += 1
    return end


@jit
def is_first_twin(pos: Ints, card: int) -> bool:
    """Return whether a top is the only one of its rank and colour, or the one of the lower suit.

    Cards that go on one of two such tops may go on the other.
    """
    twin = (3 - card // 13) * 13 + card % 13
    return card < twin or pos[TOPS] >> twin & 1 == 0


@jit
def useful_reserve(pos: Ints) -> int:
    """Return the reserve cards that a run can be put on, at once or after other reserve cards."""
    runs = 0
    for pile in range(PILES):
        card = pos[TOP + pile]
        while card >= 0:
            runs |= 1 << card
            card = pos[card] if continues(pos, card) else -1
    useful = pos[RESERVED] & can_take(runs)
    before = 0
    while useful != before:
        before = useful
        useful |= pos[RESERVED] & can_take(useful)
    return useful


@jit
def can_take(cards: int) -> int:
    """Return the cards that at least one of the given cards can lie on."""
    black = ((cards | cards >> 39) & LOWER_RANKS) << 1
    red = ((cards >> 13 | cards >> 26) & LOWER_RANKS) << 1
    return red | red << 39 | black << 13 | black << 26


@jit
def list_reserve(pos: Ints, target: int, useful: int, moves: Ints, end: int) -> int:
    """Write the moves of useful reserve cards to a pile and return the end of the list."""
    onto = pos[TOP + target]
    if onto % 13 == 0:
        return end
    card = onto % 13 - 1
    step = 39
    if not is_red(onto):
        card += 13
        step = 13
    for reserved in (card, card + step):
        if useful >> reserved & 1 == 1:
            moves[end] = reserved * 64 + PILES * 8 + target
            end += 1
    return end


@jit
def list_runs(pos: Ints, target: int, moves: Ints, end: int) -> int:
    """Write the moves of runs from other piles to a pile that is not empty; return the end of the list."""
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
def list_to_space(pos: Ints, target: int, useful: int, moves: Ints, end: int) -> int:
    """Write the moves to an empty pile, and return the end of the list.

    These are the moves of useful reserve cards and of runs that leave something behind.
    """
    for card in range(52):
        if useful >> card & 1 == 1:
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
def settle(pos: Ints, undo: Ints, done: int, keys: Ints) -> int:
    """Make every safe foundation move, and return the number of moves recorded."""
    busy = True
    while busy:
        busy = False
        for suit in range(4):
            card = suit * 13 + pos[FOUND + suit]
            if pos[FOUND + suit] == 13 or (pos[TOPS] | pos[RESERVED]) >> card & 1 == 0:
                continue
            if is_safe(heights(pos), pos[RESERVED], card):
                make(pos, undo, done, pile_of(pos, card), card, TO_FOUNDATION, keys)
                done += 1
                busy = True
    return done


@jit
def is_safe(up: int, kept: int, card: int) -> bool:
    """Return whether every card that could lie on this one, directly or on others, does without.

    ``up`` are the heights of the foundations, in four bits each, and ``kept`` are the cards in the reserve.
    """
    spare = True
    for lower in range(card % 13):
        # Colours alternate downwards from the card. Suits 0 and 3 are black, 1 and 2 red.
        suit = 1 if is_red(card) == ((card % 13 - lower) % 2 == 0) else 0
        spare = does_without(up, kept, suit, lower, spare) and does_without(up, kept, 3 - suit, lower, spare)
    return spare


@jit
def does_without(up: int, kept: int, suit: int, rank: int, spare: bool) -> bool:  # noqa: FBT001 -- compiled
    """Return whether the card needs no place to lie. ``spare`` is true if all cards that could lie on it do without."""
    height = up >> 4 * suit & 15
    return rank < height or (spare and (rank == height or kept >> (13 * suit + rank) & 1 == 1))


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
