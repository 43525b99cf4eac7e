"""Base class of the games: playing tokens, undoing them, and showing what the player may see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from games.rules.cards import Deck
from games.rules.errors import IllegalMoveError, OptionError, PositionError, RecordFullError, quoted
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.tokens import DRAW, ROUND, TO_FOUNDATION, TO_PILE, UNDO, Move, Vocabulary

MAX_TOKENS: Final = 5000

OptionValue = bool | int | str
Options = dict[str, OptionValue]
View = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of a game, with its allowed choices. The first choice is the default."""

    name: str
    choices: tuple[OptionValue, ...]

    @property
    def default(self) -> OptionValue:
        """The standard choice."""
        return self.choices[0]

    def check(self, value: object) -> OptionValue:
        """Return the choice that equals `value` and has its type.

        :raises OptionError: when none does.
        """
        for choice in self.choices:
            if type(choice) is type(value) and choice == value:
                return choice
        allowed = ", ".join(str(choice).lower() for choice in self.choices)
        raise OptionError(f"{self.name} is one of {allowed}; not {quoted(value)}")


class Table(ABC):
    """A game in progress.

    A pile is a list of card integers with the top card last, and stays the same list for the table's whole life. In the
    stock, the last element is the next card to be drawn. `piles` holds every pile that a token may name, in the order
    of `VOCABULARY.piles`; `foundations` holds the rest.

    A subclass deals its game, decides which moves are legal, and does and undoes one move. Doing a move returns a small
    integer, its trace, which is enough to undo it; the trace of a foundation move has the foundation's number in its
    lowest three bits. Tokens and traces are the only history.
    """

    GAME: ClassVar[str]
    OPTIONS: ClassVar[tuple[Option, ...]] = ()
    DECK: ClassVar[Deck]
    VOCABULARY: ClassVar[Vocabulary]
    TABLEAU: ClassVar[int]
    FOUNDATIONS: ClassVar[int]
    STOCK: ClassVar[bool] = True
    CARDS_ON_FOUNDATIONS: ClassVar[tuple[int, ...]] = ()
    """Cards that are not shuffled but lie on the foundations from the start."""

    __slots__ = (
        "_known",
        "_tokens",
        "_touched",
        "_traces",
        "cards_up",
        "foundations",
        "goal",
        "hidden",
        "options",
        "piles",
        "rounds_left",
        "stock",
        "tableau",
        "token_count",
    )

    def __init__(self, options: Options) -> None:
        """Create an empty table, to be filled by `dealt` or by the position parser."""
        self.options = options
        self.piles: list[list[int]] = [[] for _ in self.VOCABULARY.piles]
        self.tableau = self.piles[: self.TABLEAU]
        self.foundations: list[list[int]] = [[] for _ in range(self.FOUNDATIONS)]
        self.stock: list[int] = self.piles[-1] if self.STOCK else []
        self.hidden = 0
        """Bit set of the face-down tableau cards (only single-deck games have any)."""
        self.rounds_left: int | None = 0
        """Number of times the waste may still be turned over; None if there is no limit."""
        self.goal = len(self.DECK.cards)
        self.cards_up = 0
        self.token_count = 0
        """Tokens played so far, undos included."""
        self._known = self.VOCABULARY.known
        self._tokens: list[str] = []
        self._traces: list[int] = []
        self._touched: tuple[str, ...] = ()

    @classmethod
    def dealt(cls, options: Options, deck: Sequence[int]) -> Self:
        """Deal a table from `deck`, a complete deck of card integers in deck order."""
        table = cls(options)
        table._deal(list(deck))
        table.recompute_derived()
        return table

    @classmethod
    def checked_options(cls, options: Mapping[str, object] | None) -> Options:
        """Check the given options and fill in the defaults.

        :raises OptionError: for an option that the game does not have, or a value that is not among its choices.
        """
        values = {} if options is None else options
        if not isinstance(values, Mapping):
            raise OptionError("options are names with values")
        names = {option.name for option in cls.OPTIONS}
        for name in values:
            if name not in names:
                raise OptionError(f"{cls.GAME} has no option {quoted(name)}")
        return {
            option.name: option.check(values[option.name]) if option.name in values else option.default
            for option in cls.OPTIONS
        }

    # Implemented by each game.

    @abstractmethod
    def _deal(self, deck: list[int]) -> None:
        """Lay out a complete deck; cards are dealt from the front of the list."""

    @abstractmethod
    def recompute_derived(self) -> None:
        """Compute everything that the game derives from its piles and facts."""

    @abstractmethod
    def _legal(self) -> list[str]:
        """Return the legal tokens of a game that is not won."""

    @abstractmethod
    def _allows(self, move: Move) -> bool:
        """Return whether a move is legal in a game that is not won."""

    @abstractmethod
    def _reason(self, move: Move) -> IllegalMoveReason:
        """Return why a move is illegal, without revealing anything hidden."""

    @abstractmethod
    def _is_safe(self, source: int) -> bool:
        """Return whether a pile's top card, which has a legal foundation move, is of no further use in the pile."""

    @abstractmethod
    def _takes(self, card: int) -> bool:
        """Return whether a foundation takes a card next, from wherever it lies."""

    @abstractmethod
    def _do(self, move: Move) -> int:
        """Do a legal move and return its trace."""

    @abstractmethod
    def _undo(self, move: Move, trace: int) -> None:
        """Undo the last move, given its trace."""

    @abstractmethod
    def check_position(self) -> None:
        """Check piles read from a position text against the layout of the game.

        :raises PositionError: when they violate it.
        """

    def unseen_facts(self) -> dict[str, object]:
        """Return the facts that a position text needs besides the piles, by name."""
        return {}

    def restore_facts(self, facts: Mapping[str, str]) -> None:
        """Set the facts that `unseen_facts` returned, given as text.

        :raises KeyError: when one is missing.
        :raises PositionError: when one is unknown or impossible.
        """
        if facts:
            raise PositionError(f"{self.GAME} has no fact {next(iter(facts))[:20]!r}")

    def _facts(self) -> dict[str, Any]:
        """Return the facts that the view shows besides the piles."""
        return {}

    def _shown(self, pile: int) -> tuple[int, int]:
        """Return how many cards of a pile a view lists, from the top, and how many it leaves out below them."""
        size = len(self.piles[pile])
        return (0, size) if self.STOCK and pile == len(self.piles) - 1 else (size, 0)

    # Playing.

    def legal_moves(self) -> list[str]:
        """Return the legal tokens, `u` not included, in an order that depends only on the position."""
        return [] if self.cards_up == self.goal else self._legal()

    def safe_moves(self, legal: Sequence[str] | None = None) -> list[str]:
        """Return the legal foundation moves that are safe: a winnable game stays winnable after them.

        `legal` is the result of `legal_moves` for this position, if the caller already has it.
        """
        read = self.VOCABULARY.read
        tokens = self.legal_moves() if legal is None else legal
        return [token for token in tokens if token.endswith("-f") and self._is_safe(read(token).source)]

    def wanted_cards(self) -> list[int]:
        """Return the different cards that a foundation takes next, hidden ones included, in deck order."""
        return [card for card in sorted({card for pile in self.piles for card in pile}) if self._takes(card)]

    def is_legal(self, token: object) -> bool:
        """Return whether `token` is one of `legal_moves()`. Accepts any value and never raises."""
        try:
            move = self.VOCABULARY.read(token)
        except ValueError:
            return False
        return move[0] != UNDO and self.cards_up != self.goal and self._allows(move)

    def push(self, token: str) -> None:
        """Play a token. `u` undoes the last move that has not been undone, and counts as a token itself.

        :raises InvalidTokenError: when it is not a token of this game.
        :raises IllegalMoveError: when it is not legal here; the table does not change.
        :raises RecordFullError: when 5,000 tokens have been played.
        """
        try:
            move = self._known[token]
        except (KeyError, TypeError):
            move = self.VOCABULARY.read(token)
        if self.token_count >= MAX_TOKENS:
            raise RecordFullError(token, IllegalMoveReason(Why.RECORD_FULL, limit=f"{MAX_TOKENS:,}"))
        if self.cards_up == self.goal:
            raise IllegalMoveError(token, IllegalMoveReason(Why.WON))
        if move[0] == UNDO:
            if not self._tokens:
                raise IllegalMoveError(token, IllegalMoveReason(Why.NOTHING_TO_UNDO))
            self._take_back()
        elif self._allows(move):
            self._traces.append(self._do(move))
            self._tokens.append(token)
            self._touched = ()
        else:
            raise IllegalMoveError(token, self._reason(move))
        self.token_count += 1

    def why_not(self, token: str) -> IllegalMoveReason | None:
        """Return why a move other than `u` would be refused; None if it is legal.

        :raises InvalidTokenError: when it is not a token of this game.
        """
        move = self.VOCABULARY.read(token)
        if self.cards_up == self.goal:
            return IllegalMoveReason(Why.WON)
        return None if self._allows(move) else self._reason(move)

    def pop(self) -> str:
        """Take back the last move as if it had never been played, and return its token.

        :raises IllegalMoveError: when there is no move to take back.
        """
        if not self._tokens:
            raise IllegalMoveError("u", IllegalMoveReason(Why.NOTHING_TO_UNDO))
        self.token_count -= 1
        return self._take_back()

    def _take_back(self) -> str:
        token, trace = self._tokens[-1], self._traces[-1]
        self._touched = self._piles_of(token, trace)
        self._undo(self._known[token], trace)
        self._traces.pop()
        return self._tokens.pop()

    @property
    def moves(self) -> tuple[str, ...]:
        """The tokens played and not undone, oldest first."""
        return tuple(self._tokens)

    @property
    def can_undo(self) -> bool:
        """True if `u` would be accepted."""
        return bool(self._tokens) and self.cards_up != self.goal and self.token_count < MAX_TOKENS

    @property
    def is_won(self) -> bool:
        """True if all the cards that the game needs are on the foundations."""
        return self.cards_up == self.goal

    @property
    def is_stuck(self) -> bool:
        """True if the game is not won and no move is legal.

        This is only a report: the game goes on, and the player may undo.
        """
        return self.cards_up != self.goal and not self._legal()

    @property
    def stock_is_known(self) -> bool:
        """True if the moves not undone have turned up every card of the stock once."""
        return not self.stock or "n" in self._tokens

    # Showing.

    def view(self) -> View:
        """Return everything the player may see, and nothing else, as JSON types.

        `piles` maps each pile's name to its cards from the bottom up, with None for a face-down card. `under` counts
        the cards below the listed ones, which the player may not see at all; piles without such cards are left out.
        """
        names = self.pile_names()
        piles, under = self._written_piles(names)
        return {
            "game": self.GAME,
            "options": dict(self.options),
            "piles": piles,
            "under": {name: count for name, count in under.items() if count},
            **self._small_facts(),
        }

    def view_changes(self) -> View:
        """Return the part of the view that the last push or pop changed.

        It has the piles that changed, each with its `under` count even if that is 0, and all facts besides the piles.
        """
        touched = self._touched
        if not touched and self._tokens:
            touched = self._piles_of(self._tokens[-1], self._traces[-1])
        piles, under = self._written_piles(touched)
        return {"piles": piles, "under": under, **self._small_facts()}

    @classmethod
    def pile_names(cls) -> tuple[str, ...]:
        """Return the names of all piles: first the piles that tokens may use, then the foundations."""
        return (*cls.VOCABULARY.piles, *(f"f{slot}" for slot in range(cls.FOUNDATIONS)))

    def _small_facts(self) -> dict[str, Any]:
        return {
            "cards_up": self.cards_up,
            "goal": self.goal,
            "won": self.cards_up == self.goal,
            "moves": self.token_count,
            "can_undo": self.can_undo,
            "rounds_left": self.rounds_left,
            **self._facts(),
        }

    def _written_piles(self, names: Iterable[str]) -> tuple[dict[str, list[str | None]], dict[str, int]]:
        written, hidden = self.DECK.names, self.hidden
        index = self.VOCABULARY.index
        piles: dict[str, list[str | None]] = {}
        under = {}
        for name in names:
            place = index.get(name)
            if place is None:
                piles[name] = [written[card] for card in self.foundations[int(name[1:])]]
                under[name] = 0
                continue
            listed, under[name] = self._shown(place)
            cards = self.piles[place][under[name] :] if listed else []
            piles[name] = [None if hidden >> card & 1 else written[card] for card in cards]
        return piles, under

    def _piles_of(self, token: str, trace: int) -> tuple[str, ...]:
        """Return the names of the piles that a move changed."""
        what, source, target, _ = self._known[token]
        names = self.VOCABULARY.piles
        if what == TO_FOUNDATION:
            return names[source], f"f{trace & 7}"
        if what == TO_PILE:
            return names[source], names[target]
        return ("w", "s") if what in (DRAW, ROUND) else ()

    def pile(self, name: str) -> list[int]:
        """Return a pile's card integers, bottom first; in the stock the next card is last.

        The list is the table's own, not a copy.
        """
        place = self.VOCABULARY.index.get(name)
        return self.foundations[int(name[1:])] if place is None else self.piles[place]

    def position(self) -> str:
        """Return the position as one line, hidden cards included. `position` describes and parses the form."""
        options = "".join(
            f" {option.name}={str(self.options[option.name]).lower()}"
            for option in self.OPTIONS
            if self.options[option.name] != option.default
        )
        fields = [self.GAME + options]
        fields += [f"{name}={fact}" for name, fact in self.unseen_facts().items()]
        for name in self.pile_names():
            cards = self.pile(name)
            if cards:
                fields.append(f"{name} {self._write_pile(cards[::-1] if name == 's' else cards)}")
        return " | ".join(fields)

    def _write_pile(self, cards: Iterable[int]) -> str:
        names, hidden = self.DECK.names, self.hidden
        return ".".join(f"*{names[card]}" if hidden >> card & 1 else names[card] for card in cards)

    def __repr__(self) -> str:
        # The position is left out: a table in a log line must not reveal hidden cards.
        return f"<{type(self).__name__} {self.cards_up}/{self.goal} after {self.token_count} tokens>"
