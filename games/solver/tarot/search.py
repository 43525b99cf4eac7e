"""Tarot: best-first tries, which after the third take turns with ever wider beams staged by progress.

Rules: ``games.rules.variants.tarot``. The stock is a row of cards to pick from: drawing and turning the waste over only
change which stock card can be played, so a move from the stock includes the draws it needs. A position stores what each
card lies on, so moving a run changes one entry. A top card goes to its foundation at once if no card will need to be
built on it.

A simpler game, in which open cards stay open (``games.solver.tarot.loss_estimate``), proves positions lost, which are
dropped, and measures how tangled the others are, which counts in their score.

Cards that are up, turned or out of the stock never go back, so their number can be a beam's stage: positions of equal
progress compete. That wins deals in which all of the best positions lead nowhere, so that best-first tries would stay
there for ever; on other deals best-first is quicker. Of positions that differ only in where open cards lie, a beam
follows only a few, so that they do not crowd out all others. Beams come in pairs that judge positions differently: what
one misses, the other may win.
"""

# ruff: noqa: PLR0917 -- compiled functions take their arrays by position

from __future__ import annotations

from collections.abc import Sequence

from games.solver.frontier import (
    COUNT,
    CUT,
    NODES,
    SEEN,
    Frontier,
    begin,
    close,
    cut,
    is_new,
    offer,
    pass_over,
    rank_of,
    take,
)
from games.solver.jit import jit, longs, longs_of
from games.solver.kernel_tools import MASK, Ints, random_keys
from games.solver.search_drivers import NO_MATTER, LoggedTries, Thrift, TryPlan
from games.solver.statuses import LOST, RUNNING, SPENT, WON
from games.solver.tarot.loss_estimate import ASIDE, HOST, TRUMP, VIEW, rounds_left
from games.solver.tarot.position import (
    BASE,
    CARDS,
    COST,
    DOWN,
    FROM_STOCK,
    GONE,
    HIDDEN,
    LEFT,
    LINKS,
    NEXT,
    PILES,
    ROW,
    SEQ,
    STOCK,
    TO_FOUNDATION,
    TOP,
    UP,
    WASTE,
    TarotContext,
    TarotStart,
    apply,
    list_moves,
    settle,
    suit_of,
    tables,
    tokens_of,
    waste_key,
)

SPLIT = CARDS * LINKS + CARDS
KIND = SPLIT + 40
ALIKE = 3
"""The most positions of one kind that a beam expands."""
HOPELESS = -1 << 29
"""Score of a position that is provably lost."""
FINER = 16
"""Rounds of the simpler game that weigh as much as one unit of the other terms."""


@jit
def stage_of(row: Ints, base: int) -> int:
    """Return the position's stage: the number of cards that are up, turned and out of the stock, plus a constant."""
    return CARDS + row[base + UP] - row[base + HIDDEN] - row[base + LEFT]


@jit
def key_of_kind(row: Ints, base: int, keys: Ints) -> int:
    """Return a key of the cards that are up, face down and in the stock, ignoring where open cards lie."""
    key = keys[KIND]
    for card in range(CARDS):
        below = row[base + card]
        if below >= STOCK:
            key += keys[card * LINKS + min(below, DOWN) - STOCK]
    return key


@jit
def is_crowded(front: Frontier, slot: int, keys: Ints) -> bool:
    """Return whether the try has expanded ``ALIKE`` positions of this one's kind; if not, count one more."""
    key = key_of_kind(front.rows, slot * ROW, keys)
    for number in range(ALIKE):
        if is_new(front, (key + number) & MASK):
            return False
    return not cut(front)


@jit
def score_of(row: Ints, base: int, deal: TarotContext) -> int:
    """Return the position's score by ``WEIGHTS``, or ``HOPELESS`` if it is provably lost."""
    weights = deal.weights
    rounds = rounds_of(row, base, deal) if weights[5] > 0 else 0
    if rounds < 0:
        return HOPELESS
    score = row[base + UP] * weights[0] - row[base + HIDDEN] * weights[1] - row[base + LEFT] * weights[2]
    for pile in range(PILES):
        if row[base + TOP + pile] < 0:
            score += weights[3]
    score -= weights[4] * inversions(row, base) + weights[5] * rounds // FINER
    return score - weights[6] * row[base + COST]


@jit
def rounds_of(row: Ints, base: int, deal: TarotContext) -> int:
    """Return the rounds left in the simpler game, with a wild Fool set aside; negative if lost even with the Fool."""
    if not deal.wild:
        return rounds_left(row, base, deal.draw, deal.kinds, TRUMP, deal.marks)
    rounds = rounds_left(row, base, deal.draw, deal.kinds, ASIDE, deal.marks)
    if rounds < 0 and rounds_left(row, base, deal.draw, deal.kinds, HOST, deal.marks) >= 0:
        return -1 - rounds
    return rounds


@jit
def inversions(row: Ints, base: int) -> int:
    """Return how many tableau cards lie under a higher card of their own suit."""
    total = 0
    for pile in range(PILES):
        highest = 0
        card = row[base + TOP + pile]
        while 0 <= card < BASE:
            # The highest card so far of each suit, 7 bits each.
            shift = suit_of(card) * 7
            if (highest >> shift) & 127 > card:
                total += 1
            else:
                highest += (card - ((highest >> shift) & 127)) << shift
            card = row[base + card] % DOWN
    return total


@jit
def explore(front: Frontier, deal: TarotContext, width: int, noise: int, nodes: int) -> int:
    """Continue one try for up to ``nodes`` positions; it is a beam if ``width`` is not 0.

    Return ``WON``, ``LOST``, ``SPENT`` or ``RUNNING``.
    """
    rows, state = front.rows, front.state
    stop = state[NODES] + nodes
    while state[NODES] < stop:
        slot = take(front, width if width > 0 else 1 << 60)
        if slot < 0:
            return LOST if state[CUT] == 0 else SPENT
        if width > 0 and is_crowded(front, slot, deal.keys):
            pass_over(front, slot)
            continue
        count = list_moves(rows, slot * ROW, deal)
        for index in range(count):
            child = begin(front)
            if child == -2 or is_full(front):
                return SPENT
            if child < 0:
                break
            if step(front, deal, slot, child, deal.moves[index], width, noise) and rows[child * ROW + UP] == deal.goal:
                return WON
        close(front, slot)
    return RUNNING


@jit
def is_full(front: Frontier) -> bool:
    """Return whether no more positions may be remembered; positions found to be lost count too."""
    return front.state[COUNT] + front.state[SEEN] >= len(front.parents)


@jit
def step(front: Frontier, deal: TarotContext, slot: int, child: int, move: int, width: int, noise: int) -> bool:
    """Build the child that a move leads to in slot ``child`` and return whether the position is new."""
    rows, base, at = front.rows, slot * ROW, child * ROW
    rows[at : at + ROW] = rows[base : base + ROW]
    deal.log[0] = 0
    rows[at + COST] += tokens_of(rows, at, move, deal.draw)
    key = front.facts[slot] + apply(rows, at, move, deal.keys)
    key = (key + settle(rows, at, deal)) & MASK
    rows[at + COST] += deal.log[0]
    front.facts[child] = key
    if rows[at + COST] + deal.goal - rows[at + UP] > deal.weights[7]:
        return cut(front)
    if not is_new(front, (key + deal.keys[SPLIT + waste_key(rows, at, deal.draw)]) & MASK):
        return False
    stage = stage_of(rows, at) if width > 0 else 0
    score = score_of(rows, at, deal)
    if score == HOPELESS:
        front.state[SEEN] += 1
        return False
    offer(front, slot, child, move, rank_of(front, stage, score, noise))
    return True


WEIGHTS = (8, 20, 5, 10, 8, 4)
"""Weights in the score: a card up, a card face down, a stock card, a space, a card under a higher one of its suit, and
``FINER`` rounds of the simpler game."""
TANGLED = 3
"""Factor of the last weight in the second beam of a pair."""
FIRST, WIDTH, NOISE = 8000, 60, 40
ALONE = 3
"""Best-first tries before the first beam: their lines are shorter, and most deals need no more."""
TURN = 3
"""Then each turn has two beams and a best-first try, all twice as large as in the turn before."""
KEPT = 2500
"""Positions kept per position of a beam's width. Few are open at once, so a beam may keep twice as many as other tries.
"""


class TarotSearch(LoggedTries):
    """Search for a win in repeated tries.

    ``limit`` bounds the positions a try may keep; ``weights`` are the weights of the score, ``thrift`` is the cost of
    long lines.
    """

    ROW, UP = ROW, UP

    def __init__(
        self,
        start: TarotStart,
        *,
        seed: int = 0,
        limit: int = 1 << 20,
        weights: Sequence[int] = WEIGHTS,
        thrift: Thrift = NO_MATTER,
    ) -> None:
        super().__init__(seed)
        self.start, self.limit = start, limit
        self.deal = TarotContext(
            start.draw, start.wild, 77 if start.wild else 78, *tables(wild=start.wild), random_keys(KIND + 1, 5),
            longs_of([*weights, *thrift]), longs(256), longs(2048), longs(VIEW),
        )  # fmt: skip
        self.goal, self.log = self.deal.goal, self.deal.log
        self.second = self._weighing(TANGLED * weights[-1])
        # With a wild Fool, most deals need no more than a quick look.
        self.first = self._weighing(0) if start.wild else self.deal
        self.begin()

    def plan(self, number: int) -> TryPlan:
        noise = NOISE if number else 0
        if number < ALONE:
            return self._best_first(int(FIRST * 1.2**number), noise)
        turn, place = divmod(number - ALONE, TURN)
        if place == TURN - 1:
            return self._best_first(2 * FIRST << turn, noise)
        width = max(1, min(WIDTH << turn, 2 * self.limit // KEPT))
        return TryPlan(width, noise, width * 40, width * KEPT)

    def _best_first(self, nodes: int, noise: int) -> TryPlan:
        nodes = min(self.limit // 4, nodes)
        return TryPlan(0, noise, nodes, nodes)

    def _weighing(self, rounds: int) -> TarotContext:
        """Return the deal with another weight for the rounds of the simpler game; with 0 they are not computed."""
        scores = list(self.deal.weights)
        scores[5] = rounds
        return self.deal._replace(weights=longs_of(scores))

    def explore(self, plan: TryPlan, nodes: int) -> int:
        number = self.tries - 1
        deal = self.first if number == 0 else self.deal
        if plan.width > 0 and (number - ALONE) % TURN == 1:
            deal = self.second
        return explore(self.front, deal, plan.width, plan.noise, nodes)

    def load(self) -> int:
        rows, start, keys = self.front.rows, self.start, self.deal.keys
        self._piles = [[card for card, _ in cards] for cards in start.piles]
        for card in range(CARDS):
            rows[card] = GONE
        rows[HIDDEN], key = 0, 0
        for pile, cards in enumerate(start.piles):
            below = BASE
            for card, is_down in cards:
                rows[card] = below + DOWN * is_down
                rows[HIDDEN] += int(is_down)
                key += int(keys[card * LINKS + below]) + is_down * int(keys[CARDS * LINKS + card])
                below = card
            rows[TOP + pile] = below if below < BASE else -1
        for suit, card in enumerate(start.wanted):
            rows[NEXT + suit] = card
        for place, card in enumerate([*start.waste, *start.stock]):
            rows[card] = STOCK
            rows[SEQ + place] = card
            key += int(keys[card * LINKS + STOCK])
        rows[WASTE], rows[LEFT] = len(start.waste), len(start.waste) + len(start.stock)
        rows[UP] = self.deal.goal - sum(map(len, start.piles)) - int(rows[LEFT])
        if start.wild:
            rows[UP] += 1
        self.deal.log[0] = 0
        key = (key + settle(rows, 0, self.deal)) & MASK
        rows[COST] = self.deal.log[0]
        return key

    def make(self, move: int) -> None:
        apply(self.front.rows, 0, move, self.deal.keys)
        self.log[0] = 0
        settle(self.front.rows, 0, self.deal)

    def written(self, move: int) -> list[str]:
        """Return the tokens of a move with the draws it needs, and apply it to the piles of cards."""
        card, source, target = move >> 8, move >> 4 & 15, move & 15
        run, unit, name, draws = [card], "", f"t{source}", []
        if source == FROM_STOCK:
            draws = self._draws(card)
            name = "w"
        else:
            pile = self._piles[source]
            run = pile[pile.index(card) :]
            del pile[-len(run) :]
            unit = f"x{len(run)}" if len(run) > 1 else ""
        if target == TO_FOUNDATION:
            return [*draws, f"{name}-f"]
        self._piles[target] += run
        return [*draws, f"{name}-t{target}{unit}"]

    def _draws(self, card: int) -> list[str]:
        """Return the draws that bring a stock card to the top of the waste."""
        rows, draw = self.front.rows, self.start.draw
        waste, left = int(rows[WASTE]), int(rows[LEFT])
        place = next(place for place in range(left) if rows[SEQ + place] == card) + 1
        if place == waste:
            return []
        if place > waste and ((place - waste) % draw == 0 or place == left):
            return ["d"] * -((waste - place) // draw)
        return ["d"] * -((waste - left) // draw) + ["n"] + ["d"] * -(-place // draw)
