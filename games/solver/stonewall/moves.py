"""Move generator of Stonewall: the moves that are worth trying."""

from __future__ import annotations

from games.solver.jit import jit
from games.solver.kernel_tools import Ints
from games.solver.stonewall.position import (
    BASE,
    FOUND,
    PILES,
    RESERVED,
    TO_FOUNDATION,
    TOP,
    TOPS,
    continues,
    goes_on,
    is_red,
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
