"""Simulated annealing for Braid: whole games by a simple policy, with a few choices changed from game to game.

A game is a play-out with choices (``playout``). Before each game, one to three choices change at random. The
change is kept if the game ends better or not much worse; the tolerance falls during a try. The next try starts again
from the bare rule. See S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by Simulated Annealing" (1983).
"""

from __future__ import annotations

from math import log
from typing import Final

from games.solver.braid.loss_proof import is_hopeless
from games.solver.braid.order_proof import is_out_of_order
from games.solver.braid.playout import EVENTS, FROM_CELL, KINDS, play_out
from games.solver.braid.position import (
    CELLS,
    FILL,
    HOLDS,
    KEPT,
    LEFT,
    PARK,
    PARKED,
    ROW,
    RULE,
    BraidContext,
    BraidStart,
    load,
    make_deal,
    token,
)
from games.solver.braid.tangle_proof import is_tangled
from games.solver.jit import jit, longs, longs_of, shorts
from games.solver.kernel_tools import Ints, next_random
from games.solver.search_drivers import Search, wider
from games.solver.statuses import LOST, RUNNING, SPENT, WON

RANDOM, VALUE, GAMES, LENGTH, CHANGED, PLACES, BEFORE = 0, 1, 2, 3, 4, 5, 8
"""State of a try: random number, value of the current game, games so far and in all, then the number of choices changed
last, their places, and their previous values.
"""
WEIGHTS: Final = (20, 5, 1)
"""Weights in a game's value: a card up, a card left on the braid, and the progress of both at the ends of earlier
rounds.
"""
HOT, COLD = 15, 5
"""Mean loss of value that a change may cost, at the beginning and at the end of a try."""
LOSSES: Final = tuple(round(-64 * log((index + 0.5) / 256)) for index in range(256))
"""Accepted losses in 64ths of that mean: equally likely values of an exponential distribution."""
TRY = 20_000
"""Number of games in the shortest tries."""


@jit
def anneal(row: Ints, deal: BraidContext, state: Ints, losses: Ints, games: int) -> int:
    """Continue a try for up to ``games`` games and return ``WON``, ``SPENT`` or ``RUNNING``."""
    for _ in range(games):
        if state[GAMES] == state[LENGTH]:
            return SPENT
        if state[GAMES] > 0:
            change(deal, state)
        state[GAMES] += 1
        up, left, early = play_out(row, 0, deal, None)
        if up == 104:
            return WON
        value = up * deal.weights[0] - left * deal.weights[1] + early * deal.weights[2]
        if state[GAMES] == 1 or stands(state, losses, state[VALUE] - value):
            state[VALUE] = value
        else:
            take_back(deal, state)
    return RUNNING


@jit
def chance(state: Ints, count: int) -> int:
    """Return a random number below ``count``."""
    state[RANDOM] = next_random(state[RANDOM])
    return (state[RANDOM] >> 8) % count


@jit
def change(deal: BraidContext, state: Ints) -> None:
    """Change one to three choices: the fate of a card that came up, or whether a card waits for its twin."""
    state[CHANGED] = 1 + chance(state, 3)
    for index in range(state[CHANGED]):
        if deal.asked[0] == 0 or chance(state, 16) == 0:
            place = HOLDS + chance(state, 52)
            choice = 1 - deal.choices[place]
        else:
            place = deal.asked[1 + chance(state, deal.asked[0])]
            dice = chance(state, 10)
            choice = PARKED if dice < 4 else LEFT if dice < 8 else RULE if dice < 9 else KEPT
        state[PLACES + index] = place
        state[BEFORE + index] = deal.choices[place]
        deal.choices[place] = choice


@jit
def take_back(deal: BraidContext, state: Ints) -> None:
    """Undo the last change."""
    for index in range(state[CHANGED] - 1, -1, -1):
        deal.choices[state[PLACES + index]] = state[BEFORE + index]


@jit
def stands(state: Ints, losses: Ints, loss: int) -> bool:
    """Return whether to keep a change that lowers the game's value by ``loss``."""
    mean = HOT * (state[LENGTH] - state[GAMES]) + COLD * state[GAMES]
    return loss * 64 * state[LENGTH] <= mean * losses[chance(state, 256)]


class BraidAnnealing(Search):
    """Search for a win in repeated tries. Its ``nodes`` are games played."""

    def __init__(self, start: BraidStart, *, seed: int = 0) -> None:
        self.start, self.seed = start, seed
        self.deal = make_deal(start, WEIGHTS, RULE)
        self.row = shorts(ROW)
        load(start, self.row, self.deal)
        self.state, self.losses = longs(BEFORE + 3), longs_of(LOSSES)
        self.tries = self.earlier = 0
        lost = any(proves(self.row, 0, self.deal) for proves in (is_hopeless, is_tangled, is_out_of_order))
        self.status = LOST if lost else RUNNING
        self.begin()

    def begin(self) -> None:
        """Start the next try."""
        self.earlier += int(self.state[GAMES])
        self.state[RANDOM] = (self.seed * 7919 + self.tries + 1) & 0x7FFFFFFF
        self.state[GAMES], self.state[LENGTH] = 0, wider(TRY, self.tries)
        for place in range(len(self.deal.choices)):
            self.deal.choices[place] = RULE
        self.tries += 1

    @property
    def nodes(self) -> int:
        return self.earlier + int(self.state[GAMES])

    def run(self, nodes: int) -> int:
        stop = self.nodes + nodes
        while self.status == RUNNING and self.nodes < stop:
            result = anneal(self.row, self.deal, self.state, self.losses, stop - self.nodes)
            if result == SPENT:
                self.begin()
            else:
                self.status = result
        return self.status

    def tokens(self) -> list[str]:
        load(self.start, self.row, self.deal)
        moves = [int(move) for move in list(self.deal.log[1 : self.deal.log[0] + 1])]
        events = longs(EVENTS)
        play_out(self.row, 0, self.deal, events)
        moves += _moves([int(self.row[cell]) for cell in range(CELLS)], [int(event) for event in list(events)])
        return [token(move) for move in moves]


def _moves(cells: list[int], events: list[int]) -> list[int]:
    """Return the moves of a game from its events, given the cells at its start."""
    moves = []
    for event in events[1 : events[0] + 1]:
        move, kind = divmod(event, KINDS)
        if move == FROM_CELL:
            move = cells.index(kind)
            cells[move] = -1
        elif move == FILL:
            cell = cells.index(-1)
            cells[cell] = kind
            move = FILL + cell
        elif move == PARK:
            cell = max(cell for cell, held in enumerate(cells) if held < 0)
            cells[cell] = kind
            move = PARK + cell
        moves.append(move)
    return moves
