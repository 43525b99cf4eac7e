"""The Plot, 104 cards.

Rules: frontend/templates/games/rules/plot.html, sections "The table", "The goal", "Phase one" and "Moves".
"""

from __future__ import annotations

from typing import Any, Final

from games.rules.cards import FRENCH_RANKS, RANK, TWO_FRENCH
from games.rules.errors import PositionError
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.pile_checks import check_rounded_foundations
from games.rules.table import Table
from games.rules.tokens import DRAW, TO_FOUNDATION, TO_PILE, Move, Vocabulary

PILES: Final = 12
RESERVE: Final = 12
WASTE: Final = 13
RESERVE_CARDS: Final = 13
FULL: Final = 13


class Plot(Table):
    """A reserve, twelve piles and eight foundations; the first foundation must be full before the others start."""

    GAME = "plot"
    DECK = TWO_FRENCH
    VOCABULARY = Vocabulary((*(f"t{pile}" for pile in range(PILES)), "r", "w", "s"))
    TABLEAU = PILES
    FOUNDATIONS = 8

    __slots__ = ("_next_ranks", "base", "reserve", "waste")

    def _deal(self, deck: list[int]) -> None:
        self.piles[RESERVE][:] = deck[RESERVE_CARDS - 1 :: -1]
        self.foundations[0].append(deck[RESERVE_CARDS])
        first = RESERVE_CARDS + 1
        for pile in range(PILES):
            self.tableau[pile].append(deck[first + pile])
        self.stock[:] = deck[: first + PILES - 1 : -1]

    def recompute_derived(self) -> None:
        self.reserve, self.waste = self.piles[RESERVE], self.piles[WASTE]
        self.base = RANK[self.foundations[0][0]]
        self.cards_up = sum(map(len, self.foundations))
        unstarted = self.base if self.phase == 2 else -1
        self._next_ranks = [
            unstarted if not pile else -1 if len(pile) == FULL else (RANK[pile[-1]] + 1) % 13
            for pile in self.foundations
        ]
        """The rank each foundation takes next, -1 for one that is full or may not be started yet."""

    def check_position(self) -> None:
        check_rounded_foundations(self.foundations, 1, suits=False)
        if self.phase == 1 and any(self.foundations[1:]):
            raise PositionError("no other foundation starts before the first is full")

    @property
    def phase(self) -> int:
        """1 until the first foundation is full, then 2."""
        return 2 if len(self.foundations[0]) == FULL else 1

    def _legal(self) -> list[str]:
        to_foundation, to_pile = self.VOCABULARY.to_foundation, self.VOCABULARY.to_pile
        next_ranks, open_rank = self._next_ranks, self._open_rank()
        tops: list[list[int]] = [[] for _ in range(14)]
        spaces = []
        for target, pile in enumerate(self.tableau):
            if pile:
                tops[RANK[pile[-1]]].append(target)
            else:
                spaces.append(target)
        tops[13] = tops[0]
        legal = []
        builds = []
        for source, pile in enumerate(self.piles[:-1]):
            if not pile:
                continue
            rank = RANK[pile[-1]]
            if rank in next_ranks:
                legal.append(to_foundation[source])
            if rank != open_rank and source != RESERVE:
                names = to_pile[source]
                builds += [names[target] for target in tops[rank + 1]]
        legal += builds
        if spaces and self.waste and (open_rank < 0 or RANK[self.waste[-1]] == open_rank):
            names = to_pile[WASTE]
            legal += [names[target] for target in spaces]
        if self.stock:
            legal.append("d")
        return legal

    def _open_rank(self) -> int:
        """Return the base rank in phase one, when its cards may only go to a space; -1 afterwards."""
        return -1 if len(self.foundations[0]) == FULL else self.base

    def _allows(self, move: Move) -> bool:
        what, source, target, _ = move
        if what == DRAW:
            return bool(self.stock)
        if source > WASTE or not self.piles[source]:
            return False
        if what == TO_FOUNDATION:
            return RANK[self.piles[source][-1]] in self._next_ranks
        if what != TO_PILE or source == RESERVE or target >= PILES:
            return False
        rank, open_rank = RANK[self.piles[source][-1]], self._open_rank()
        pile = self.tableau[target]
        if pile:
            return rank != open_rank and (rank + 1) % 13 == RANK[pile[-1]]
        return source == WASTE and open_rank in (-1, rank)

    def _is_safe(self, source: int) -> bool:
        # Every card that could be built on it is already up.
        place = (RANK[self.piles[source][-1]] - self.base) % 13
        return place > 0 and all(len(pile) >= place for pile in self.foundations)

    def _takes(self, card: int) -> bool:
        return RANK[card] in self._next_ranks

    def _do(self, move: Move) -> int:
        what, source, target, _ = move
        if what == DRAW:
            self.waste.append(self.stock.pop())
            return 0
        card = self.piles[source].pop()
        if what == TO_FOUNDATION:
            return self._raise(card)
        self.tableau[target].append(card)
        return 0

    def _raise(self, card: int) -> int:
        rank = RANK[card]
        slot = self._next_ranks.index(rank)
        pile = self.foundations[slot]
        pile.append(card)
        self.cards_up += 1
        self._next_ranks[slot] = -1 if len(pile) == FULL else (rank + 1) % 13
        if slot == 0 and len(pile) == FULL:
            self._next_ranks[1:] = [self.base] * (self.FOUNDATIONS - 1)
        return slot

    def _undo(self, move: Move, trace: int) -> None:
        what, source, target, _ = move
        if what == DRAW:
            self.stock.append(self.waste.pop())
        elif what == TO_FOUNDATION:
            self.piles[source].append(self._lower(trace))
        else:
            self.piles[source].append(self.tableau[target].pop())

    def _lower(self, slot: int) -> int:
        pile = self.foundations[slot]
        if slot == 0 and len(pile) == FULL:
            self._next_ranks[1:] = [-1] * (self.FOUNDATIONS - 1)
        card = pile.pop()
        self._next_ranks[slot] = RANK[card]
        self.cards_up -= 1
        return card

    def _shown(self, pile: int) -> tuple[int, int]:
        size = len(self.piles[pile])
        if pile in (RESERVE, WASTE) and size:
            return 1, size - 1
        return super()._shown(pile)

    def _facts(self) -> dict[str, Any]:
        return {"base": FRENCH_RANKS[self.base], "phase": self.phase}

    def _reason(self, move: Move) -> IllegalMoveReason:
        what, source, target, _ = move
        if what == DRAW:
            return IllegalMoveReason(Why.STOCK_EMPTY)
        if what not in (TO_FOUNDATION, TO_PILE):
            return IllegalMoveReason(Why.NO_SUCH_MOVE)
        if source > WASTE or not self.piles[source]:
            return IllegalMoveReason(Why.NO_CARD, pile=self.VOCABULARY.piles[source])
        card = self.DECK.names[self.piles[source][-1]]
        if what == TO_FOUNDATION:
            if RANK[self.piles[source][-1]] == self.base:
                return IllegalMoveReason(Why.BASE_LATER, card=card)
            return IllegalMoveReason(Why.NO_FOUNDATION, card=card)
        if source == RESERVE:
            return IllegalMoveReason(Why.RESERVE_UP)
        if target >= PILES:
            return IllegalMoveReason(Why.PILES_ONLY)
        return self._why_not(card, source, target)

    def _why_not(self, card: str, source: int, target: int) -> IllegalMoveReason:
        base = FRENCH_RANKS[self.base]
        if not self.tableau[target]:
            if source != WASTE:
                return IllegalMoveReason(Why.SPACE_FROM_WASTE)
            return IllegalMoveReason(Why.SPACE_FOR_BASE, base=base)
        if self.phase == 1 and card[0] == base:
            return IllegalMoveReason(Why.BASE_ON_PILE, card=card)
        return IllegalMoveReason(Why.NOT_ON, card=card, onto=self.DECK.names[self.tableau[target][-1]])
