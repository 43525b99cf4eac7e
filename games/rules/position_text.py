"""Parser of one-line position texts, for tests, bug reports and the solver.

`Table.position` writes the text, hidden cards included:

    tarot draw=1 fool=trump | t0 *KC.4W | w 3P | s AW.M10.5C | …

The game comes first, with its non-default options. Then come the facts that the piles do not show (`rows=3`), then
every pile that is not empty: its cards from the bottom up, with a star before each face-down card. Only the stock is
written in drawing order. A position has no history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from games.rules.catalogue import RULES_VERSION, resolve
from games.rules.errors import OptionError, PositionError
from games.rules.table import OptionValue, Table

_WORDS: Final[dict[str, OptionValue]] = {"true": True, "false": False}
_LONGEST: Final = 2000


def read_position(text: object, *, version: int = RULES_VERSION) -> Table:
    """Parse one line of text into a table without history.

    :raises PositionError: when the line cannot be read, does not hold exactly the game's deck, or is plainly impossible
        (a foundation out of order, two cards in a cell).
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise PositionError(f"a position is one line of at most {_LONGEST} characters")
    head, *fields = text.split(" | ")
    table = _empty_table(head, version)
    facts: dict[str, str] = {}
    for field in fields:
        name, equals, fact = field.partition("=")
        if equals:
            facts[name] = fact
        else:
            _fill_pile(table, field)
    _check_cards(table)
    try:
        table.restore_facts(facts)
        table.check_position()
    except (KeyError, IndexError):
        raise PositionError("a fact or a pile of this game is missing") from None
    table.recompute_derived()
    if table.position() != text:
        raise PositionError("this is not the canonical spelling of the position")
    return table


def _empty_table(head: str, version: int) -> Table:
    name, *settings = head.split(" ")
    try:
        game, checked = resolve(name, read_options(settings), version=version)
    except OptionError as error:
        raise PositionError(str(error)) from None
    return game(checked)


def read_options(settings: Iterable[str]) -> dict[str, object]:
    """Parse options written as `NAME=VALUE`, as in a position text. Neither names nor values are checked."""
    options: dict[str, object] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        is_number = value.isascii() and value.isdigit() and len(value) < 4
        options[name] = int(value) if is_number else _WORDS.get(value, value)
    return options


def _fill_pile(table: Table, field: str) -> None:
    name, _, written = field.partition(" ")
    if name not in table.pile_names():
        raise PositionError(f"{table.GAME} has no pile {name[:12]!r}")
    pile = table.pile(name)
    if pile:
        raise PositionError(f"pile {name} is there twice")
    for word in written.split("."):
        card = table.DECK.number.get(word.removeprefix("*"))
        if card is None:
            raise PositionError(f"{word[:12]!r} in pile {name} is not a card of this deck")
        pile.append(card)
        if word[0] == "*":
            if not name.startswith("t"):
                raise PositionError("only tableau cards lie face down")
            table.hidden |= 1 << card
    if name == "s":
        pile.reverse()


def _check_cards(table: Table) -> None:
    """Check that the deck is complete, including Labyrinth's aces, which start on their foundations."""
    counts = Counter(card for name in table.pile_names() for card in table.pile(name))
    expected = Counter(table.DECK.cards) + Counter(table.CARDS_ON_FOUNDATIONS)
    for card in (counts - expected) | (expected - counts):
        fault = "too often" if counts[card] > expected[card] else "missing"
        raise PositionError(f"{table.DECK.names[card]} is {fault}")
