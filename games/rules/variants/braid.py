"""Braid, 104 cards.

Rules: frontend/templates/games/rules/braid.html, sections "The table", "Moves" and "Variants".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from games.rules.cards import FRENCH_RANKS, RANK, SUIT, TWO_FRENCH
from games.rules.errors import PositionError
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.pile_checks import check_cells, check_rounded_foundations
from games.rules.table import Option, Table
from games.rules.tokens import DOWN, DRAW, ROUND, TO_FOUNDATION, TO_PILE, UP, Move, Vocabulary

INNER: Final = 4
CELLS: Final = 12
BRAID: Final = 12
WASTE: Final = 13
BRAID_CARDS: Final = 20

_UP: Final = tuple(SUIT[card] * 13 + (RANK[card] + 1) % 13 for card in range(52))
_DOWN: Final = tuple(SUIT[card] * 13 + (RANK[card] - 1) % 13 for card in range(52))
_STEPS: Final = {"up": _UP, "down": _DOWN}


class Braid(Table):
    """Twelve cells around a braid of twenty cards. All 104 cards must reach the eight foundations."""

    GAME = "braid"
    OPTIONS = (Option("direction", ("up", "either")), Option("redeals", (2, 3)))
    DECK = TWO_FRENCH
    VOCABULARY = Vocabulary((*(f"t{cell}" for cell in range(CELLS)), "r", "w", "s"))
    TABLEAU = CELLS
    FOUNDATIONS = 8

    __slots__ = ("_next", "_started", "_step", "_wants", "base", "direction", "reserve", "waste")

    def _deal(self, deck: list[int]) -> None:
        self.piles[BRAID][:] = deck[:BRAID_CARDS]
        for cell in range(CELLS):
            self.tableau[cell].append(deck[BRAID_CARDS + cell])
        self.foundations[0].append(deck[BRAID_CARDS + CELLS])
        self.stock[:] = deck[: BRAID_CARDS + CELLS : -1]
        self.rounds_left = int(self.options["redeals"])
        self.direction = "up" if self.options["direction"] == "up" else None

    def recompute_derived(self) -> None:
        self.reserve, self.waste = self.piles[BRAID], self.piles[WASTE]
        self.base = RANK[self.foundations[0][0]]
        self.cards_up = sum(map(len, self.foundations))
        self._started = sum(1 for pile in self.foundations if pile)
        self._next = [-1] * self.FOUNDATIONS
        """The card each foundation takes next; -1 if it is not started or complete, or no direction is chosen."""
        self._wants = [0] * 52
        """For each card, the number of foundations that take it next; for a base card, its copies not yet up."""
        self._aim()

    def _aim(self) -> None:
        """Recompute the cards that the foundations take: none until a direction is chosen."""
        self._wants[:] = [0] * 52
        self._next[:] = [-1] * self.FOUNDATIONS
        if self.direction is None:
            return
        self._step = _STEPS[self.direction]
        for suit in range(4):
            self._wants[suit * 13 + self.base] = 2
        for slot, pile in enumerate(self.foundations):
            if pile:
                self._wants[pile[0]] -= 1
                self._await(slot, pile[-1])

    def _await(self, slot: int, top: int) -> None:
        card = self._step[top]
        if RANK[card] == self.base:
            self._next[slot] = -1
        else:
            self._next[slot] = card
            self._wants[card] += 1

    def check_position(self) -> None:
        check_cells(self.tableau)
        check_rounded_foundations(self.foundations, -1 if self.direction == "down" else 1, suits=True)
        if self.direction is None and sum(map(len, self.foundations)) > 1:
            raise PositionError("nothing is built before a direction is chosen")

    def unseen_facts(self) -> dict[str, object]:
        facts: dict[str, object] = {"rounds": self.rounds_left}
        if self.options["direction"] == "either":
            facts["direction"] = self.direction or "open"
        return facts

    def restore_facts(self, facts: Mapping[str, str]) -> None:
        redeals = int(self.options["redeals"])
        rounds, direction = facts["rounds"], facts.get("direction", "up")
        if rounds not in map(str, range(redeals + 1)) or direction not in ("up", "down", "open"):
            raise PositionError("rounds or direction are out of range")
        self.rounds_left = int(rounds)
        self.direction = None if direction == "open" else direction

    def _legal(self) -> list[str]:
        if self.direction is None:
            return ["up", "down"]
        wants, to_foundation = self._wants, self.VOCABULARY.to_foundation
        legal = [to_foundation[source] for source, pile in enumerate(self.piles[:-1]) if pile and wants[pile[-1]]]
        to_waste_pile = self.VOCABULARY.to_pile[WASTE]
        filler = BRAID if self.reserve else WASTE
        for cell, pile in enumerate(self.tableau):
            if pile:
                continue
            if cell < INNER:
                if self.piles[filler]:
                    legal.append(self.VOCABULARY.to_pile[filler][cell])
            elif self.waste:
                legal.append(to_waste_pile[cell])
        if self.stock:
            legal.append("d")
        elif self.waste and self.rounds_left:
            legal.append("n")
        return legal

    def _allows(self, move: Move) -> bool:
        what, source, target, _ = move
        if self.direction is None:
            return what in (UP, DOWN)
        if what == TO_FOUNDATION:
            pile = self.piles[source]
            return source <= WASTE and bool(pile) and self._wants[pile[-1]] > 0
        if what == DRAW:
            return bool(self.stock)
        if what == TO_PILE:
            if target >= CELLS or self.tableau[target] or not self.piles[source]:
                return False
            if source == BRAID:
                return target < INNER
            return source == WASTE and (target >= INNER or not self.reserve)
        return what == ROUND and bool(self.waste and self.rounds_left) and not self.stock

    def _is_safe(self, source: int) -> bool:
        # Nothing is ever built on a card here, and its twin is up or can go up too, so their order does not matter.
        card = self.piles[source][-1]
        return self._wants[card] > 1 or any(card in pile for pile in self.foundations)

    def _takes(self, card: int) -> bool:
        return self._wants[card] > 0

    def _do(self, move: Move) -> int:
        what, source, target, _ = move
        if what == TO_FOUNDATION:
            return self._raise(self.piles[source].pop())
        if what == DRAW:
            self.waste.append(self.stock.pop())
        elif what == TO_PILE:
            self.tableau[target].append(self.piles[source].pop())
        elif what == ROUND:
            self.stock[:] = self.waste[::-1]
            self.waste.clear()
            assert self.rounds_left
            self.rounds_left -= 1
        else:
            self.direction = "up" if what == UP else "down"
            self._aim()
        return 0

    def _raise(self, card: int) -> int:
        """Put a card on the foundation that takes it, and return the foundation's number."""
        self._wants[card] -= 1
        if RANK[card] == self.base:
            slot = self._started
            self._started += 1
        else:
            slot = self._next.index(card)
        self.foundations[slot].append(card)
        self._await(slot, card)
        self.cards_up += 1
        return slot

    def _undo(self, move: Move, trace: int) -> None:
        what, source, target, _ = move
        if what == TO_FOUNDATION:
            self.piles[source].append(self._lower(trace))
        elif what == DRAW:
            self.stock.append(self.waste.pop())
        elif what == TO_PILE:
            self.piles[source].append(self.tableau[target].pop())
        elif what == ROUND:
            self.waste[:] = self.stock[::-1]
            self.stock.clear()
            assert self.rounds_left is not None
            self.rounds_left += 1
        else:
            self.direction = None
            self._aim()

    def _lower(self, slot: int) -> int:
        """Undo a play: take the top card off a foundation and return it."""
        awaited = self._next[slot]
        if awaited >= 0:
            self._wants[awaited] -= 1
        card = self.foundations[slot].pop()
        self._wants[card] += 1
        if self.foundations[slot]:
            self._next[slot] = card
        else:
            self._next[slot] = -1
            self._started -= 1
        self.cards_up -= 1
        return card

    def _shown(self, pile: int) -> tuple[int, int]:
        if pile == WASTE and self.waste:
            return 1, len(self.waste) - 1
        return super()._shown(pile)

    def _facts(self) -> dict[str, Any]:
        return {"base": FRENCH_RANKS[self.base], "direction": self.direction}

    def _reason(self, move: Move) -> IllegalMoveReason:
        what, source, target, _ = move
        if self.direction is None:
            return IllegalMoveReason(Why.DIRECTION_FIRST)
        if what in (UP, DOWN):
            return IllegalMoveReason(Why.DIRECTION_STANDS)
        if what == DRAW:
            return IllegalMoveReason(Why.STOCK_EMPTY)
        if what == ROUND:
            return self._no_round()
        name = self.VOCABULARY.piles[source]
        if source > WASTE or not self.piles[source]:
            return IllegalMoveReason(Why.NO_CARD, pile=name)
        card = self.DECK.names[self.piles[source][-1]]
        if what == TO_FOUNDATION:
            return IllegalMoveReason(Why.NO_FOUNDATION, card=card)
        if target >= CELLS:
            return IllegalMoveReason(Why.CELLS_ONLY)
        if self.tableau[target]:
            return IllegalMoveReason(Why.CELL_TAKEN, pile=f"t{target}")
        if target >= INNER:
            return IllegalMoveReason(Why.OUTER_CELL)
        return IllegalMoveReason(Why.INNER_CELL)

    def _no_round(self) -> IllegalMoveReason:
        if self.stock:
            return IllegalMoveReason(Why.STOCK_NOT_EMPTY)
        return IllegalMoveReason(Why.NO_REDEAL if self.waste else Why.WASTE_EMPTY)
