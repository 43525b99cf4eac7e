"""Stonewall, 52 cards.

Rules: frontend/templates/games/rules/stonewall.html, sections "The table" and "Moves".
"""

from __future__ import annotations

from typing import Final

from games.rules.cards import FRENCH, FRENCH_SUITS, RANK, RED, SUIT
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.pile_checks import check_cells, check_face_down, check_suit_foundations
from games.rules.table import Table
from games.rules.tokens import TO_FOUNDATION, TO_PILE, Move, Vocabulary

PILES: Final = 6
DEALT: Final = 6
RESERVE: Final = 6
CELLS: Final = 16
ON: Final = tuple(sum(1 << b for b in range(52) if RANK[b] == RANK[a] + 1 and RED[a] != RED[b]) for a in range(52))
"""For each card, the bit set of the cards it may be built on."""
_TAKES: Final = tuple(sum(1 << a for a in range(52) if ON[a] >> b & 1) for b in range(52))
"""For each card, the bit set of the cards that may be built on it."""
_STALE: Final = -1


class Stonewall(Table):
    """Six piles with every other card face down, and sixteen open reserve cards."""

    GAME = "stonewall"
    DECK = FRENCH
    VOCABULARY = Vocabulary(
        (*(f"t{pile}" for pile in range(PILES)), *(f"r{cell}" for cell in range(CELLS))), largest_unit=52
    )
    TABLEAU = PILES
    FOUNDATIONS = 4
    STOCK = False

    __slots__ = ("_next", "_reserve_cards", "_runs", "_where")

    def _deal(self, deck: list[int]) -> None:
        for index, pile in enumerate(self.tableau):
            pile[:] = deck[index * DEALT : (index + 1) * DEALT]
            for card in pile[::2]:
                self.hidden |= 1 << card
        for cell, card in enumerate(deck[PILES * DEALT :]):
            self.piles[RESERVE + cell].append(card)

    def recompute_derived(self) -> None:
        self.cards_up = sum(map(len, self.foundations))
        self._next = [suit * 13 + len(pile) if len(pile) < 13 else -1 for suit, pile in enumerate(self.foundations)]
        """The card each suit's foundation takes next, -1 when it is complete."""
        self._where = [-1] * 52
        """The pile or reserve cell that each card lies in."""
        for index, pile in enumerate(self.piles):
            for card in pile:
                self._where[card] = index
        self._reserve_cards = sum(1 << card for cell in self.piles[RESERVE:] for card in cell)
        """Bit set of the reserve's cards."""
        self._runs = [_STALE] * PILES
        """For each pile, the bit set of its top run; `_STALE` until it is computed."""

    def check_position(self) -> None:
        check_cells(self.piles[RESERVE:], "r")
        check_face_down(self.tableau, self.hidden)
        check_suit_foundations(self.foundations, (0, 13, 26, 39), (13,) * 4)

    def _run(self, pile: list[int]) -> int:
        """Return the length of the face-up sequence at the top of a pile."""
        length = 1
        above = pile[-1]
        for card in pile[-2::-1]:
            if self.hidden >> card & 1 or not ON[above] >> card & 1:
                break
            above = card
            length += 1
        return length

    def _open_cards(self) -> int:
        """Return the bit set of the cards that may be moved, alone or with the run on top of them."""
        cards = self._reserve_cards
        for index, run in enumerate(self._runs):
            if run == _STALE:
                pile = self.tableau[index]
                self._runs[index] = sum(1 << card for card in pile[-self._run(pile) :]) if pile else 0
            cards |= self._runs[index]
        return cards

    def _legal(self) -> list[str]:
        piles, where, to_foundation = self.piles, self._where, self.VOCABULARY.to_foundation
        legal = [to_foundation[where[card]] for card in self._next if card >= 0 and piles[where[card]][-1] == card]
        open_cards, to_pile = self._open_cards(), self.VOCABULARY.to_pile
        for target, onto in enumerate(self.tableau):
            if not onto:
                self._add_founders(legal, target)
                continue
            coming = open_cards & _TAKES[onto[-1]]
            while coming:
                card = coming.bit_length() - 1
                coming ^= 1 << card
                source = where[card]
                pile = piles[source]
                token = to_pile[source][target]
                legal.append(token if pile[-1] == card else f"{token}x{len(pile) - pile.index(card)}")
        return legal

    def _add_founders(self, legal: list[str], target: int) -> None:
        """Append the tokens that move a run or a reserve card to an empty pile."""
        to_pile = self.VOCABULARY.to_pile
        for source, pile in enumerate(self.tableau):
            longest = min(self._runs[source].bit_count(), len(pile) - 1)
            if longest > 0:
                token = to_pile[source][target]
                legal.append(token)
                legal += [f"{token}x{count}" for count in range(2, longest + 1)]
        legal += [to_pile[source][target] for source in range(RESERVE, RESERVE + CELLS) if self.piles[source]]

    def _allows(self, move: Move) -> bool:
        what, source, target, count = move
        pile = self.piles[source]
        if what == TO_FOUNDATION:
            return bool(pile) and self._next[SUIT[pile[-1]]] == pile[-1]
        if what != TO_PILE or target >= PILES or count > len(pile):
            return False
        if count > 1 and self._run(pile) < count:
            return False
        onto = self.tableau[target]
        if onto:
            return bool(ON[pile[-count]] >> onto[-1] & 1)
        return source >= PILES or count < len(pile)

    def _is_safe(self, source: int) -> bool:
        # No card left needs it to be built on; aces need no place.
        card = self.piles[source][-1]
        rank = RANK[card]
        others = [pile for suit, pile in enumerate(self.foundations) if RED[suit * 13] != RED[card]]
        return rank < 2 or all(len(pile) >= rank for pile in others)

    def _takes(self, card: int) -> bool:
        return self._next[SUIT[card]] == card

    def _do(self, move: Move) -> int:
        what, source, target, count = move
        pile = self.piles[source]
        card = pile[-1]
        if what == TO_FOUNDATION:
            trace = self._raise(pile.pop())
        else:
            trace = 0
            self._bring(pile, target, count)
        if source >= PILES:
            self._reserve_cards ^= 1 << card
            return trace
        self._runs[source] = _STALE
        if pile and self.hidden >> pile[-1] & 1:
            self.hidden ^= 1 << pile[-1]
            trace += 8
        return trace

    def _raise(self, card: int) -> int:
        suit = SUIT[card]
        self.foundations[suit].append(card)
        self._next[suit] = card + 1 if RANK[card] < 12 else -1
        self.cards_up += 1
        return suit

    def _bring(self, pile: list[int], target: int, count: int) -> None:
        """Move the top `count` cards of a pile or reserve cell to another."""
        unit = pile[-count:]
        del pile[-count:]
        self.piles[target] += unit
        for card in unit:
            self._where[card] = target
        if target < PILES:
            self._runs[target] = _STALE

    def _undo(self, move: Move, trace: int) -> None:
        what, source, target, count = move
        pile = self.piles[source]
        if trace >= 8:
            self.hidden |= 1 << pile[-1]
        if what == TO_FOUNDATION:
            card = self.foundations[trace & 7].pop()
            self._next[trace & 7] = card
            self.cards_up -= 1
            pile.append(card)
        else:
            self._bring(self.tableau[target], source, count)
            self._runs[target] = _STALE
        if source < PILES:
            self._runs[source] = _STALE
        else:
            self._reserve_cards |= 1 << pile[0]

    def _reason(self, move: Move) -> IllegalMoveReason:
        what, source, target, count = move
        if what not in (TO_FOUNDATION, TO_PILE):
            return IllegalMoveReason(Why.NO_SUCH_MOVE)
        name, pile = self.VOCABULARY.piles[source], self.piles[source]
        if not pile:
            return IllegalMoveReason(Why.NO_CARD, pile=name)
        if what == TO_FOUNDATION:
            card = pile[-1]
            names, suit = self.DECK.names, SUIT[card]
            return IllegalMoveReason(
                Why.NOT_YET, card=names[card], suit=FRENCH_SUITS[suit], next=names[self._next[suit]]
            )
        if target >= PILES:
            return IllegalMoveReason(Why.PILES_ONLY)
        run = self._run(pile)
        if count > run:
            return IllegalMoveReason(Why.NO_RUN, pile=name, count=run)
        onto = self.tableau[target]
        if not onto:
            return IllegalMoveReason(Why.WHOLE_PILE)
        card, names = pile[-count], self.DECK.names
        why = Why.SAME_COLOUR if RED[card] == RED[onto[-1]] else Why.NOT_ON
        return IllegalMoveReason(why, card=names[card], onto=names[onto[-1]])
