"""Tarot Solitaire, 78 cards.

Rules: frontend/templates/games/rules/tarot.html, sections "The table", "What a card is worth in the piles", "Building",
"The stock" and "Variants".
"""

from __future__ import annotations

from typing import Final

from games.rules.cards import TAROT
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.pile_checks import check_face_down, check_suit_foundations
from games.rules.table import Option, Options, Table
from games.rules.tokens import DRAW, ROUND, TO_FOUNDATION, TO_PILE, Move, Vocabulary

PILES: Final = 9
WASTE: Final = 9
FOOL: Final = 56
MAGICIAN: Final = 57
WORLD: Final = 77
KING: Final = 14
TRUMPS: Final = 4
_CARDS: Final = range(78)


def is_trump(card: int) -> bool:
    """Return whether a card is a trump, the Fool included."""
    return card >= FOOL


def value(card: int) -> int:
    """Return a card's value in the tableau, 1 to 14; 0 for the Fool, which is wild or goes on no pile at all.

    A trump above 10 counts the sum of its digits (rules page, "What a card is worth in the piles").
    """
    if not is_trump(card):
        return card % 14 + 1
    number = card - FOOL
    return number if number <= 10 else number // 10 + number % 10


def family(card: int) -> int:
    """Return 0 for wands and swords, 1 for cups and pentacles, 2 for trumps; piles alternate between families."""
    return 2 if is_trump(card) else card // 14 % 2


def _builds(card: int, on: int, *, wild: bool) -> bool:
    """Return whether `card` may be built on `on` in the tableau."""
    if FOOL in (card, on):
        return wild and card != on
    if family(card) == family(on):
        return False
    return value(card) == value(on) - 1 or (value(card), value(on)) == (10, 2)


def _bits(cards: list[int]) -> int:
    return sum(1 << card for card in cards)


class Fits:
    """Tables of which card goes on which, as bit sets of cards; `wild` is true if the Fool is wild."""

    def __init__(self, *, wild: bool) -> None:
        self.on = tuple(_bits([b for b in _CARDS if _builds(a, b, wild=wild)]) for a in _CARDS)
        """For each card, the cards it goes on."""
        self.takes = tuple(_bits([a for a in _CARDS if _builds(a, b, wild=wild)]) for b in _CARDS)
        """For each card, the cards that go on it."""
        self.fixed = _bits([*range(KING - 1, FOOL, KING), WORLD])
        """The cards that leave the bottom of a pile only for a foundation."""
        self.founds = self.fixed | (1 << FOOL if wild else 0)
        """The cards that an empty pile takes."""


FITS: Final = {True: Fits(wild=True), False: Fits(wild=False)}
_SLOT: Final = tuple(min(card // 14, TRUMPS) for card in _CARDS)
_LAST: Final = frozenset((*range(KING - 1, FOOL, KING), WORLD))


class Tarot(Table):
    """Nine piles of a tarot deck, four suits and the trumps to build up, and any number of passes through the stock."""

    GAME = "tarot"
    OPTIONS = (Option("first_row", (True, False)), Option("draw", (2, 1, 3)), Option("fool", ("wild", "trump")))
    DECK = TAROT
    VOCABULARY = Vocabulary((*(f"t{pile}" for pile in range(PILES)), "w", "s"), largest_unit=78)
    TABLEAU = PILES
    FOUNDATIONS = 5

    __slots__ = ("_draw", "_fits", "_next", "_up", "_where", "waste")

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.rounds_left = None
        self.waste = self.piles[WASTE]
        wild = options["fool"] == "wild"
        self.goal = 77 if wild else 78
        self._fits = FITS[wild]
        self._draw = int(options["draw"])

    def _deal(self, deck: list[int]) -> None:
        place = 0
        if self.options["first_row"]:
            for pile in self.tableau:
                pile.append(deck[place])
                self.hidden |= 1 << deck[place]
                place += 1
        for last in range(PILES - 1, -1, -1):
            for pile in self.tableau[: last + 1]:
                pile.append(deck[place])
                self.hidden |= 1 << deck[place]
                place += 1
            self.hidden &= ~(1 << deck[place - 1])
        self.stock[:] = deck[: place - 1 : -1]

    def recompute_derived(self) -> None:
        self.cards_up = sum(map(len, self.foundations))
        lowest = (0, 14, 28, 42, self._lowest_trump)
        self._next = [
            first if not pile else -1 if pile[-1] in _LAST else pile[-1] + 1
            for first, pile in zip(lowest, self.foundations, strict=True)
        ]
        """The card each foundation takes next, -1 when it is complete."""
        self._where = [-1] * 78
        """The pile each tableau card lies in."""
        self._up = 0
        """Bit set of the face-up tableau cards."""
        for index, pile in enumerate(self.tableau):
            for card in pile:
                self._where[card] = index
                self._up |= 1 << card
        self._up &= ~self.hidden

    @property
    def _lowest_trump(self) -> int:
        return MAGICIAN if self.goal == 77 else FOOL

    def check_position(self) -> None:
        check_face_down(self.tableau, self.hidden)
        trumps = 78 - self._lowest_trump
        check_suit_foundations(self.foundations, (0, 14, 28, 42, self._lowest_trump), (14, 14, 14, 14, trumps))

    def _legal(self) -> list[str]:
        piles, where, to_foundation = self.piles, self._where, self.VOCABULARY.to_foundation
        top_of_waste = self.waste[-1] if self.waste else -1
        legal = []
        for card in self._next:
            if card >= 0:
                if card == top_of_waste:
                    legal.append(to_foundation[WASTE])
                elif where[card] >= 0 and piles[where[card]][-1] == card:
                    legal.append(to_foundation[where[card]])
        self._add_builds(legal, top_of_waste)
        if self.stock:
            legal.append("d")
        elif self.waste:
            legal.append("n")
        return legal

    def _add_builds(self, legal: list[str], top_of_waste: int) -> None:
        """Append the tokens that move cards to piles: for each pile, the open cards that it takes."""
        takes, fixed, to_pile = self._fits.takes, self._fits.fixed, self.VOCABULARY.to_pile
        where, tableau = self._where, self.tableau
        open_cards = self._up if top_of_waste < 0 else self._up | 1 << top_of_waste
        for target, onto in enumerate(tableau):
            coming = open_cards & (takes[onto[-1]] if onto else self._fits.founds)
            while coming:
                card = coming.bit_length() - 1
                coming ^= 1 << card
                if card == top_of_waste:
                    legal.append(to_pile[WASTE][target])
                    continue
                source = where[card]
                pile = tableau[source]
                if source == target or (pile[0] == card and (not onto or fixed >> card & 1)):
                    continue
                if pile[-1] == card:
                    legal.append(to_pile[source][target])
                else:
                    legal.append(f"{to_pile[source][target]}x{len(pile) - pile.index(card)}")

    def _allows(self, move: Move) -> bool:
        what, source, target, count = move
        if what == TO_PILE:
            return self._allows_build(source, target, count)
        if what == TO_FOUNDATION:
            pile = self.piles[source]
            return source <= WASTE and bool(pile) and self._next[_SLOT[pile[-1]]] == pile[-1]
        if what == DRAW:
            return bool(self.stock)
        return what == ROUND and bool(self.waste) and not self.stock

    def _allows_build(self, source: int, target: int, count: int) -> bool:
        pile = self.piles[source]
        if target >= PILES or source > WASTE or count > len(pile) or (source == WASTE and count > 1):
            return False
        card = pile[-count]
        if self.hidden >> card & 1:
            return False
        whole = source < PILES and count == len(pile)
        onto = self.tableau[target]
        if onto:
            return bool(self._fits.on[card] >> onto[-1] & 1) and not (whole and self._fits.fixed >> card & 1)
        return not whole and bool(self._fits.founds >> card & 1)

    def _is_safe(self, source: int) -> bool:
        # Only the Fool, which goes on any card, could still be built on it. If more than one card is drawn at a
        # time, taking one off the waste changes which cards turn up later.
        if source == WASTE and self._draw > 1:
            return False
        takes = self._fits.takes[self.piles[source][-1]] & ~(1 << FOOL)
        return all(not 0 <= self._next[_SLOT[card]] <= card for card in _CARDS if takes >> card & 1)

    def _takes(self, card: int) -> bool:
        return self._next[_SLOT[card]] == card

    def _do(self, move: Move) -> int:
        what, source, target, count = move
        if what == DRAW:
            return self._turn()
        if what == ROUND:
            self.stock[:] = self.waste[::-1]
            self.waste.clear()
            return 0
        pile = self.piles[source]
        if what == TO_FOUNDATION:
            trace = self._raise(pile.pop(), source)
        else:
            trace = 0
            self._bring(pile, target, count, fresh=source == WASTE)
        if source < PILES and pile and self.hidden >> pile[-1] & 1:
            self.hidden ^= 1 << pile[-1]
            self._up |= 1 << pile[-1]
            trace += 8
        return trace

    def _turn(self) -> int:
        """Draw from the stock; the trace is the number of cards drawn."""
        count = min(self._draw, len(self.stock))
        for _ in range(count):
            self.waste.append(self.stock.pop())
        return count

    def _raise(self, card: int, source: int) -> int:
        slot = _SLOT[card]
        self.foundations[slot].append(card)
        self._next[slot] = -1 if card in _LAST else card + 1
        self.cards_up += 1
        if source < PILES:
            self._up ^= 1 << card
            self._where[card] = -1
        return slot

    def _bring(self, pile: list[int], target: int, count: int, *, fresh: bool) -> None:
        onto = self.tableau[target]
        if count == 1:
            card = pile.pop()
            onto.append(card)
            self._where[card] = target
            if fresh:
                self._up |= 1 << card
            return
        unit = pile[-count:]
        del pile[-count:]
        onto += unit
        for card in unit:
            self._where[card] = target

    def _undo(self, move: Move, trace: int) -> None:
        what, source, target, count = move
        if what == DRAW:
            for _ in range(trace):
                self.stock.append(self.waste.pop())
            return
        if what == ROUND:
            self.waste[:] = self.stock[::-1]
            self.stock.clear()
            return
        pile = self.piles[source]
        if trace >= 8:
            self.hidden |= 1 << pile[-1]
            self._up ^= 1 << pile[-1]
        if what == TO_FOUNDATION:
            self._lower(pile, trace & 7, source)
            return
        if source == WASTE:
            self._put_back(target)
        else:
            self._bring(self.tableau[target], source, count, fresh=False)

    def _lower(self, pile: list[int], slot: int, source: int) -> None:
        card = self.foundations[slot].pop()
        pile.append(card)
        self._next[slot] = card
        self.cards_up -= 1
        if source < PILES:
            self._up |= 1 << card
            self._where[card] = source

    def _put_back(self, target: int) -> None:
        card = self.tableau[target].pop()
        self.waste.append(card)
        self._up ^= 1 << card
        self._where[card] = -1

    @property
    def is_stuck(self) -> bool:
        """True if only `d` and `n` will be legal for the rest of this pass and one full pass after it.

        False until every card of the stock has been turned up once: before that, the answer would reveal hidden cards.
        """
        if self.is_won or not self.stock_is_known:
            return False
        if any(token not in ("d", "n") for token in self._legal()):
            return False
        ahead = self.stock[::-1]
        around = self.waste + ahead
        step = self._draw
        turned = [
            cards[min(top, len(cards)) - 1] for cards in (ahead, around) for top in range(step, len(cards) + step, step)
        ]
        return not any(self._waste_plays(card) for card in turned)

    def _waste_plays(self, card: int) -> bool:
        """Return whether a card could go from the waste to the tableau or a foundation in their current state."""
        if self._next[_SLOT[card]] == card:
            return True
        on, founds = self._fits.on[card], self._fits.founds
        return any(on >> pile[-1] & 1 if pile else founds >> card & 1 for pile in self.tableau)

    def _shown(self, pile: int) -> tuple[int, int]:
        if pile == WASTE:
            listed = min(self._draw, len(self.waste))
            return listed, len(self.waste) - listed
        return super()._shown(pile)

    def _reason(self, move: Move) -> IllegalMoveReason:
        what, source, target, count = move
        if what == DRAW:
            return IllegalMoveReason(Why.STOCK_EMPTY)
        if what == ROUND:
            return IllegalMoveReason(Why.STOCK_NOT_EMPTY if self.stock else Why.WASTE_EMPTY)
        if what not in (TO_FOUNDATION, TO_PILE):
            return IllegalMoveReason(Why.NO_SUCH_MOVE)
        name, pile = self.VOCABULARY.piles[source], self.piles[source]
        if source > WASTE or not pile:
            return IllegalMoveReason(Why.NO_CARD, pile=name)
        if what == TO_FOUNDATION:
            if pile[-1] == FOOL and self.options["fool"] == "wild":
                return IllegalMoveReason(Why.FOOL_UP, card=self.DECK.names[FOOL])
            awaited = self._next[_SLOT[pile[-1]]]
            following = self.DECK.names[awaited] if awaited >= 0 else ""
            return IllegalMoveReason(Why.NO_FOUNDATION, card=self.DECK.names[pile[-1]], next=following)
        if target >= PILES:
            return IllegalMoveReason(Why.PILES_ONLY)
        open_cards = 1 if source == WASTE else sum(not self.hidden >> card & 1 for card in pile)
        if count > open_cards:
            return IllegalMoveReason(Why.FEWER_OPEN, pile=name, count=open_cards)
        return self._why_not(self.DECK.names[pile[-count]], target, whole=count == len(pile) and source < PILES)

    def _why_not(self, card: str, target: int, *, whole: bool) -> IllegalMoveReason:
        onto = self.tableau[target]
        if not onto:
            if whole:
                return IllegalMoveReason(Why.WHOLE_PILE)
            return IllegalMoveReason(Why.NOT_ON_SPACE, card=card)
        if whole and self._fits.fixed >> self.DECK.number[card] & 1:
            return IllegalMoveReason(Why.KEPT_BELOW, card=card)
        alike = family(self.DECK.number[card]) == family(onto[-1])
        return IllegalMoveReason(Why.SAME_FAMILY if alike else Why.NOT_ON, card=card, onto=self.DECK.names[onto[-1]])
