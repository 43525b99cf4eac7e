"""Labyrinth, 52 cards.

Rules: frontend/templates/games/rules/labyrinth.html, sections "The table", "Which cards are free" and "Dealing rows".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from games.rules.cards import FRENCH_SUITS, FRENCH_WITHOUT_ACES, RANK, SUIT
from games.rules.errors import PositionError
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.pile_checks import check_cells, check_suit_foundations
from games.rules.table import Table
from games.rules.tokens import DRAW, TO_FOUNDATION, TO_PILE, Move, Vocabulary

ROW: Final = 8
CELLS: Final = 48
STOCK: Final = 48
_FIRST_ROW: Final = (1 << ROW) - 1


class Labyrinth(Table):
    """Rows of eight cards. A card is free in the first and last row, and next to a gap above or below it."""

    GAME = "labyrinth"
    DECK = FRENCH_WITHOUT_ACES
    VOCABULARY = Vocabulary((*(f"t{cell}" for cell in range(CELLS)), "s"))
    TABLEAU = CELLS
    FOUNDATIONS = 4
    CARDS_ON_FOUNDATIONS = (0, 13, 26, 39)

    __slots__ = ("_next", "_occupied", "_where", "rows")

    def _deal(self, deck: list[int]) -> None:
        for suit, ace in enumerate(self.CARDS_ON_FOUNDATIONS):
            self.foundations[suit].append(ace)
        for cell in range(ROW):
            self.tableau[cell].append(deck[cell])
        self.stock[:] = deck[: ROW - 1 : -1]
        self.rows = 1

    def recompute_derived(self) -> None:
        self.goal = 52
        self.cards_up = sum(map(len, self.foundations))
        self._next = [pile[-1] + 1 if RANK[pile[-1]] < 12 else -1 for pile in self.foundations]
        """The card each suit's foundation takes next, -1 when it is complete."""
        self._where = [-1] * 52
        """The cell of each card, -1 if it is in none."""
        self._occupied = 0
        """Bit set of the cells that hold a card."""
        for cell, pile in enumerate(self.tableau):
            if pile:
                self._where[pile[0]] = cell
                self._occupied |= 1 << cell

    def check_position(self) -> None:
        check_cells(self.tableau)
        check_suit_foundations(self.foundations, self.CARDS_ON_FOUNDATIONS, (13,) * 4)
        if not all(self.foundations):
            raise PositionError("the aces lie on the foundations")
        if any(self.tableau[ROW * self.rows :]):
            raise PositionError("a card lies below the last row")
        if self.stock and not all(self.tableau[:ROW]):
            raise PositionError("the stock fills every gap in the first row")

    def unseen_facts(self) -> dict[str, object]:
        return {"rows": self.rows}

    def restore_facts(self, facts: Mapping[str, str]) -> None:
        if facts["rows"] not in ("1", "2", "3", "4", "5", "6"):
            raise PositionError("there are 1 to 6 rows")
        self.rows = int(facts["rows"])

    def _free(self) -> int:
        """Return the bit set of the cells whose card may be played."""
        occupied, dealt = self._occupied, ROW * self.rows
        gaps = ~occupied & ((1 << dealt) - 1)
        return occupied & (_FIRST_ROW | _FIRST_ROW << dealt - ROW | gaps << ROW | gaps >> ROW)

    def _legal(self) -> list[str]:
        free, where, to_foundation = self._free(), self._where, self.VOCABULARY.to_foundation
        legal = []
        for card in self._next:
            if card >= 0:
                cell = where[card]
                if cell >= 0 and free >> cell & 1:
                    legal.append(to_foundation[cell])
        if self.stock:
            legal.append("d")
        return legal

    def _allows(self, move: Move) -> bool:
        what, source, _, _ = move
        if what == TO_FOUNDATION:
            if not self._occupied >> source & 1:
                return False
            card = self.tableau[source][0]
            return self._next[SUIT[card]] == card and bool(self._free() >> source & 1)
        return what == DRAW and bool(self.stock)

    def _is_safe(self, source: int) -> bool:
        # A gap only frees its neighbours, but the stock refills a gap in the first row, which changes later rows.
        return source >= ROW or not self.stock

    def _takes(self, card: int) -> bool:
        return self._next[SUIT[card]] == card

    def _do(self, move: Move) -> int:
        if move[0] == TO_FOUNDATION:
            return self._raise(move[1])
        first = ROW * self.rows
        self.rows += 1
        cards = min(ROW, len(self.stock))
        for cell in range(first, first + cards):
            self._place(cell)
        return cards

    def _place(self, cell: int) -> None:
        card = self.stock.pop()
        self.tableau[cell].append(card)
        self._where[card] = cell
        self._occupied |= 1 << cell

    def _take(self, cell: int) -> int:
        card = self.tableau[cell].pop()
        self._where[card] = -1
        self._occupied &= ~(1 << cell)
        return card

    def _raise(self, cell: int) -> int:
        """Play a cell's card and return the trace: its suit, plus 8 if the stock refilled the cell."""
        card = self._take(cell)
        suit = SUIT[card]
        self.foundations[suit].append(card)
        self._next[suit] = card + 1 if RANK[card] < 12 else -1
        self.cards_up += 1
        if cell < ROW and self.stock:
            self._place(cell)
            return suit + 8
        return suit

    def _undo(self, move: Move, trace: int) -> None:
        what, cell, _, _ = move
        if what == DRAW:
            self.rows -= 1
            first = ROW * self.rows
            for other in range(first + trace - 1, first - 1, -1):
                self.stock.append(self._take(other))
            return
        if trace >= 8:
            self.stock.append(self._take(cell))
        card = self.foundations[trace & 7].pop()
        self._next[trace & 7] = card
        self.tableau[cell].append(card)
        self._where[card] = cell
        self._occupied |= 1 << cell
        self.cards_up -= 1

    def _piles_of(self, token: str, trace: int) -> tuple[str, ...]:
        what, source, _, _ = self._known[token]
        names = self.VOCABULARY.piles
        if what == DRAW:
            first = ROW * (self.rows - 1)
            return ("s", *names[first : first + trace])
        touched = (names[source], f"f{trace & 7}")
        return (*touched, "s") if trace >= 8 else touched

    def _facts(self) -> dict[str, Any]:
        free = self._free()
        names = self.VOCABULARY.piles
        return {"rows": self.rows, "free": [names[cell] for cell in range(CELLS) if free >> cell & 1]}

    def _reason(self, move: Move) -> IllegalMoveReason:
        what, source, _, _ = move
        if what == DRAW:
            return IllegalMoveReason(Why.STOCK_EMPTY)
        if what == TO_PILE:
            return IllegalMoveReason(Why.FOUNDATIONS_ONLY)
        if what != TO_FOUNDATION:
            return IllegalMoveReason(Why.NO_SUCH_MOVE)
        if source == STOCK or not self.tableau[source]:
            return IllegalMoveReason(Why.NO_CARD, pile=self.VOCABULARY.piles[source])
        card = self.tableau[source][0]
        if not self._free() >> source & 1:
            return IllegalMoveReason(Why.LOCKED, card=self.DECK.names[card])
        names, suit = self.DECK.names, SUIT[card]
        return IllegalMoveReason(Why.NOT_YET, card=names[card], suit=FRENCH_SUITS[suit], next=names[self._next[suit]])
