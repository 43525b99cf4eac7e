"""What a player decided: which card was brought onto which, whatever the order and whatever was taken back.

A *decision* is a card (or the lowest of several moved together) that is put onto another card or onto an empty place.
Draws, redeals and foundations are none: who wins makes them all. Decisions are told by the kinds of cards, not by
piles, so moves that commute, equal piles and equal cards make no difference. A card that comes back to where it lay
before has made no way: what lies between is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Final

from games.rules import Table
from games.rules.tokens import TO_FOUNDATION

#: What a card is put onto where no card lies.
_EMPTY: Final = 0xFF

_DRAWS: Final = frozenset({"d", "n"})

#: The draw, among the possibilities of a moment.
_DRAW: Final = -1

#: What stands in place of a card for leaving a waste's card off the empty places that it could have had, even if it was
#: put on one later.
_LEFT: Final = 0xFE

#: Bits of a card left like that: half of all players would have waited, too.
_LEFT_BITS: Final = 1.0


def decision(table: Table, token: str) -> int | None:
    """The decision that a move is at this position; None for draws, redeals, foundations and the like."""
    move = table.VOCABULARY.read(token)
    if move.target < 0:
        return None
    onto = table.piles[move.target]
    return table.piles[move.source][-move.cards] << 8 | (onto[-1] if onto else _EMPTY)


def decisions(table: Table, tokens: Sequence[str]) -> list[int | None]:
    """For each of the tokens (no undo among them), played from the position of the table: its decision, if it is one
    that made some way. Changes the table.
    """
    made: list[int | None] = []
    ways: dict[int, list[tuple[int, int]]] = {}
    for n, token in enumerate(tokens):
        found = decision(table, token)
        made.append(found)
        if found is not None:
            _go(made, ways, n, found, _below(table, token))
        table.push(token)
    return made


def _below(table: Table, token: str) -> int:
    """What the moved card lies on; one that comes from elsewhere than a pile has nothing to come back to."""
    source, count = table.VOCABULARY.read(token)[1::2]
    pile = table.piles[source]
    if source >= table.TABLEAU:
        return -1
    return pile[-count - 1] if len(pile) > count else _EMPTY


def _go(made: list[int | None], ways: dict[int, list[tuple[int, int]]], n: int, found: int, below: int) -> None:
    """Add a card's move to its way, and leave out of `made` what a return makes idle."""
    card, onto = found >> 8, found & 0xFF
    way = ways.setdefault(card, [])
    if not way or made[way[-1][0]] is None or (made[way[-1][0]] or 0) & 0xFF != below:
        way.clear()  # the first move, or another card of the same kind
    way.append((n, below))
    for start, (_, origin) in enumerate(way):
        if origin == onto:
            for idle, _ in way[start:]:
                made[idle] = None
            del way[start:]
            return


def weighed(table: Table, tokens: Sequence[str], made: Sequence[int | None]) -> dict[int, float]:
    """The decisions in `made`, each with its weight in bits. Changes the table."""
    bits: dict[int, float] = {}
    left: set[int] = set()
    seen = {_piles(table)}
    for token, found in zip(tokens, made, strict=True):
        if found is not None and found not in bits:
            bits[found] = _surprise(table, found, seen)
        elif token in _DRAWS and (card := _left(table)) is not None:
            left.add(card)
        table.push(token)
        seen.add(_piles(table))
    return bits | dict.fromkeys((card << 8 | _LEFT for card in left), _LEFT_BITS)


def _piles(table: Table) -> tuple[object, ...]:
    return (*map(tuple, table.piles), table.rounds_left, *map(len, table.foundations))


def _left(table: Table) -> int | None:
    """The waste's card, if it could be put on an empty place."""
    index = table.VOCABULARY.index.get("w")
    if index is None or not table.piles[index] or all(table.tableau):
        return None
    spaces = (n for n, pile in enumerate(table.tableau) if not pile)
    names = table.VOCABULARY.to_pile[index]
    return table.piles[index][-1] if any(table.is_legal(names[space]) for space in spaces) else None


def _surprise(table: Table, made: int, seen: set[tuple[object, ...]]) -> float:
    """The bits of hearing that this was decided here, to one who knows what simple players do.

    None where it was the first possibility at hand or the most inviting one; the choice among equally inviting ones
    where it was one of those; else the choice among all. A draw is one possibility; a foundation is none, and neither
    is what leads back to a position seen before.
    """
    options: dict[int, int] = {}
    for token in table.legal_moves():
        found = decision(table, token)
        if found is None and token not in _DRAWS:
            continue
        option = _DRAW if found is None else found
        if option != made and _leads_back(table, token, seen):
            continue
        wish = _appeal(table, token)
        options[option] = min(wish, options.get(option, wish))
    best = min(options.values())
    wanted = [option for option, wish in options.items() if wish == best]
    if made in (next(iter(options)), wanted[0]):
        return 0.0
    return log2(len(wanted) if made in wanted else len(options))


def _leads_back(table: Table, token: str, seen: set[tuple[object, ...]]) -> bool:
    table.push(token)
    known = _piles(table) in seen
    table.pop()
    return known


def _appeal(table: Table, token: str) -> int:
    """How inviting a move looks to somebody who takes what lies at hand; the smallest number comes first.

    Moves that turn a card up come first, then cards of the waste and the reserve, then whole piles, then the stock, and
    last moves between face-up cards.
    """
    what, source, _, count = table.VOCABULARY.read(token)
    if what < TO_FOUNDATION:
        return 4
    if source >= table.TABLEAU:
        return 2
    pile = table.piles[source]
    if len(pile) == count:
        return 3
    return 1 if table.hidden >> pile[-count - 1] & 1 else 6
