"""Explanations of the first moves of a first game: the rule that a move shows, and what it leaves behind.

A game's function names the kinds of a move. Each kind has a text for its first time, and a shorter one for later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.rules import Table
from games.rules.cards import RANK
from games.rules.tokens import DOWN, DRAW, TO_FOUNDATION, TO_PILE, UP, Move
from games.rules.variants import braid, labyrinth, plot, tarot
from games.rules.variants.stonewall import Stonewall

Kinds: TypeAlias = Iterator[str]

_LABYRINTH: Final = {
    "first row": (
        _("Suits go up from the ace. Any card of the first row is free, and the stock fills its gap."),
        _("The first row is always free, and the stock fills the gap."),
    ),
    "last row": (
        _("The last row is free as well, until you deal the next one."),
        _("It's in the last row, so it's free."),
    ),
    "gap": (_("A card is also free if the place above or below it is empty, as here."),),
    "row": (
        _("Nothing else goes up. A new row locks the one above it, so always get out what you can first."),
        _("Nothing else goes up."),
    ),
}

_PLOT: Final = {
    "up": (
        _("The first foundation takes the next rank, whatever the suit. The others can't start until it's full."),
        _("The next rank for the first foundation."),
    ),
    "reserve": (_("The top of the reserve only goes to foundations, so take every chance to send it up."),),
    "base": (_("A base-rank card can't go up yet, but a space takes it from the waste."),),
    "builds": (
        _("Piles build down by one, whatever the suit."),
        _("One lower, whatever the suit."),
    ),
    "clears": (
        _("That leaves a space, for now only for base-rank cards from the waste."),
        _("That leaves another space."),
    ),
    "draw": (
        _("There's nothing useful to move. You go through the stock only once."),
        _("There's nothing useful to move."),
    ),
}

_BRAID: Final = {
    "direction": (_("You choose once, for all foundations. Look which way more cards can go up at once."),),
    "up": (
        _("Foundations take the next card of their suit."),
        _("The next card of its suit."),
    ),
    "base": (
        _("It has the base rank, so it starts another foundation."),
        _("The base rank again: it starts another foundation."),
    ),
    "waste": (
        _("The top of the waste can go up at any time."),
        _("Straight up from the waste."),
    ),
    "braid": (
        _("That frees the next card of the braid. Once the braid is gone, the rest is much easier."),
        _("The braid gets shorter."),
    ),
    "inner clears": (_("That empties an inner cell, for the end of the braid."),),
    "outer clears": (
        _("That empties an outer cell, for the top of the waste."),
        _("Another outer cell is empty."),
    ),
    "inner": (_("Inner cells have a golden rim. They take the end of the braid."),),
    "outer": (
        _("Outer cells only take the top of the waste. The card can go up from there later."),
        _("It can go up from the cell later."),
    ),
    "draw": (
        _("Nothing goes up. You can go through the stock %(passes)s times."),
        _("Nothing goes up."),
    ),
}

_TAROT: Final = {
    "up": (
        _("Suits go up from ace to king. Page, knight and queen follow the ten."),
        _("The next card of its suit."),
    ),
    "trump up": (_("Trumps go up on their own foundation, in the order of their numbers."),),
    "builds": (
        _("Piles build down by one: cups and pentacles on wands and swords, or the other way round."),
        _("One lower, from the other two suits."),
    ),
    "run": (_("The cards on it come along."),),
    "trump": (
        _("A trump goes on any minor card that is one higher."),
        _("It goes on any minor card that is one higher."),
    ),
    "digits": (
        _("The gold disc says what a trump above ten plays as: the sum of its digits."),
        _("The gold disc counts: one lower than the card below."),
    ),
    "on trump": (_("A trump takes any minor card that is one lower."),),
    "fool": (
        _("The Fool goes on any card, and any card goes on him. He never goes up."),
        _("Any card goes with the Fool."),
    ),
    "ten": (_("A ten can also go on a two, as if it were an ace."),),
    "space": (_("An empty pile takes a king or the World."),),
    "waste": (_("The top of the waste can go to a pile or up at any time."),),
    "turns": (_("A hidden card turns up."),),
    "clears": (_("That empties the pile, so a king or the World can go there."),),
    "draw": (_("There's nothing useful to move. %(draw)s cards turn up, and you may play the last one."),),
    "draw one": (
        _("There's nothing useful to move. You can go through the stock as often as you like."),
        _("There's nothing useful to move."),
    ),
}

_STONEWALL: Final = {
    "up": (
        _("Foundations go up from ace to king, one for each suit."),
        _("The next card of its suit."),
    ),
    "reserve": (
        _("You can play a card from the reserve, the row of single cards, at any time, but not put it back."),
        _("The reserve has the right card."),
    ),
    "builds": (
        _("Piles build down in alternating colours. An empty pile takes any card."),
        _("One lower, in the other colour."),
    ),
    "run": (
        _("Cards in order move together."),
        _("The cards on it come along."),
    ),
    "turns": (_("A hidden card turns up."),),
}

_TEXTS: Final[Mapping[str, Mapping[str, tuple[Promise, ...]]]] = {
    "braid": _BRAID,
    "labyrinth": _LABYRINTH,
    "plot": _PLOT,
    "stonewall": _STONEWALL,
    "tarot": _TAROT,
}
#: Instruction for the first move with a card.
_HOW: Final = _("Drag it there, or tap both.")


def explain_moves(table: Table, line: Iterable[str]) -> Iterator[str]:
    """Play moves from the start of a game, yielding the explanation of each in the current language."""
    texts, seen, how = _TEXTS[table.GAME], Counter[str](), [str(_HOW)]
    for token in line:
        move = table.VOCABULARY.read(token)
        kinds = list(_KINDS[table.GAME](table, move))
        said = [str(texts[kind][min(seen[kind], len(texts[kind]) - 1)]) for kind in kinds]
        if move.what in {TO_FOUNDATION, TO_PILE}:
            said, how = how + said, []
        yield " ".join(said) % {"draw": table.options.get("draw"), "passes": (table.rounds_left or 0) + 1}
        seen.update(kinds)
        table.push(token)


def _labyrinth_kinds(table: labyrinth.Labyrinth, move: Move) -> Kinds:
    if move.what == DRAW:
        yield "row"
    elif move.source < labyrinth.ROW:
        yield "first row"
    else:
        yield "last row" if move.source >= labyrinth.ROW * (table.rows - 1) else "gap"


def _plot_kinds(table: plot.Plot, move: Move) -> Kinds:
    if move.what == DRAW:
        yield "draw"
    elif move.what == TO_FOUNDATION:
        yield "reserve" if move.source == plot.RESERVE else "up"
    else:
        yield "builds" if table.piles[move.target] else "base"
    yield from _left_behind(table, move)


def _braid_kinds(table: braid.Braid, move: Move) -> Kinds:
    if move.what in {UP, DOWN}:
        yield "direction"
    elif move.what == DRAW:
        yield "draw"
    elif move.what == TO_PILE:
        yield "inner" if move.target < braid.INNER else "outer"
    else:
        yield "base" if RANK[table.piles[move.source][-1]] == table.base else "up"
        if move.source >= braid.BRAID:
            yield "braid" if move.source == braid.BRAID else "waste"
        else:
            yield "inner clears" if move.source < braid.INNER else "outer clears"


def _tarot_kinds(table: tarot.Tarot, move: Move) -> Kinds:
    if move.what == DRAW:
        yield "draw" if table.options["draw"] != 1 else "draw one"
        return
    card = table.piles[move.source][-move.cards]
    if move.what == TO_FOUNDATION:
        yield "trump up" if tarot.is_trump(card) else "up"
    else:
        yield _tarot_build(card, table.piles[move.target])
        if move.cards > 1:
            yield "run"
    if move.source == tarot.WASTE:
        yield "waste"
    yield from _left_behind(table, move)


def _tarot_build(card: int, onto: list[int]) -> str:
    """Return the kind of a move to a pile with these cards."""
    if not onto:
        return "space"
    if tarot.FOOL in {card, onto[-1]}:
        return "fool"
    if tarot.is_trump(card):
        return "digits" if card - tarot.FOOL > 10 else "trump"
    if (tarot.value(card), tarot.value(onto[-1])) == (10, 2):
        return "ten"
    return "on trump" if tarot.is_trump(onto[-1]) else "builds"


def _stonewall_kinds(table: Stonewall, move: Move) -> Kinds:
    if move.what == TO_FOUNDATION:
        yield "up"
    else:
        yield "builds" if move.source < table.TABLEAU else "reserve"
        if move.cards > 1:
            yield "run"
    yield from _left_behind(table, move)


def _left_behind(table: Table, move: Move) -> Kinds:
    """Yield what a move does to the pile that it takes cards from."""
    if 0 <= move.source < table.TABLEAU:
        below = table.piles[move.source][: -move.cards]
        if not below:
            yield "clears"
        elif table.hidden >> below[-1] & 1:
            yield "turns"


_KINDS: Final[Mapping[str, Callable[..., Kinds]]] = {
    "braid": _braid_kinds,
    "labyrinth": _labyrinth_kinds,
    "plot": _plot_kinds,
    "stonewall": _stonewall_kinds,
    "tarot": _tarot_kinds,
}
