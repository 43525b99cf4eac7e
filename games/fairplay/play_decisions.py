"""Decisions of a player: which card went onto which, regardless of order and undone moves.

A *decision* moves a card (or the lowest of several moved together) onto another card or an empty place. Draws, redeals
and foundation moves are not decisions, because every winner makes them all. Decisions are identified by the kinds of
cards and not by piles, so commuting moves, equal piles and equal cards make no difference. If a card returns to where
it was before, the moves in between are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Final

from games.rules import Table
from games.solver.simulated_players import wish

#: Target of a move onto an empty place.
_EMPTY: Final = 0xFF

_DRAWS: Final = frozenset({"d", "n"})

#: Key of the draw among the options of a position.
_DRAW: Final = -1

#: Stands in for the target card when the player left the waste's card off an available empty place, even if the card
#: went onto one later.
_LEFT: Final = 0xFE

#: Weight of such a wait, in bits: half of all players would have waited, too.
_LEFT_BITS: Final = 1.0


def decision(table: Table, token: str) -> int | None:
    """Return the decision that a move makes in this position; None for draws, redeals and foundation moves."""
    move = table.VOCABULARY.read(token)
    if move.target < 0:
        return None
    onto = table.piles[move.target]
    return table.piles[move.source][-move.cards] << 8 | (onto[-1] if onto else _EMPTY)


def distinct_decisions(table: Table) -> set[int]:
    """Return the different decisions among the moves that led to this position. Leaves the table as it was."""
    tokens, found = table.moves, set()
    for _token in tokens:
        table.pop()
    for token in tokens:
        found.add(decision(table, token))
        table.push(token)
    return {choice for choice in found if choice is not None}


def decisions(table: Table, tokens: Sequence[str]) -> list[int | None]:
    """Return the decision of each token, or None if it makes none or its card later returns to where it was.

    The tokens start at the table's position and contain no undo. Changes the table.
    """
    results: list[int | None] = []
    paths: dict[int, list[tuple[int, int]]] = {}
    for n, token in enumerate(tokens):
        choice = decision(table, token)
        results.append(choice)
        if choice is not None:
            _add_to_path(results, paths, n, choice, _below(table, token))
        table.push(token)
    return results


def _below(table: Table, token: str) -> int:
    """Return the card under the moved card, or -1 for a card that does not come from the tableau and cannot return."""
    source, count = table.VOCABULARY.read(token)[1::2]
    pile = table.piles[source]
    if source >= table.TABLEAU:
        return -1
    return pile[-count - 1] if len(pile) > count else _EMPTY


def _add_to_path(
    results: list[int | None], paths: dict[int, list[tuple[int, int]]], n: int, choice: int, below: int
) -> None:
    """Append a move to its card's path, and clear the decisions in `results` that a return makes pointless."""
    card, onto = choice >> 8, choice & 0xFF
    path = paths.setdefault(card, [])
    if not path or results[path[-1][0]] is None or (results[path[-1][0]] or 0) & 0xFF != below:
        path.clear()  # the first move, or another card of the same kind
    path.append((n, below))
    for start, (_, origin) in enumerate(path):
        if origin == onto:
            for idle, _ in path[start:]:
                results[idle] = None
            del path[start:]
            return


def weighed(table: Table, tokens: Sequence[str], choices: Sequence[int | None]) -> dict[int, float]:
    """Return the decisions in `choices`, each with its weight in bits. Changes the table."""
    bits: dict[int, float] = {}
    left_off: set[int] = set()
    seen = {_piles(table)}
    for token, choice in zip(tokens, choices, strict=True):
        if choice is not None and choice not in bits:
            bits[choice] = _surprise(table, choice, seen)
        elif token in _DRAWS and (card := _left(table)) is not None:
            left_off.add(card)
        table.push(token)
        seen.add(_piles(table))
    return bits | dict.fromkeys((card << 8 | _LEFT for card in left_off), _LEFT_BITS)


def _piles(table: Table) -> tuple[object, ...]:
    return (*map(tuple, table.piles), table.rounds_left, *map(len, table.foundations))


def _left(table: Table) -> int | None:
    """Return the waste's card if it could go onto an empty place, or None."""
    index = table.VOCABULARY.index.get("w")
    if index is None or not table.piles[index] or all(table.tableau):
        return None
    spaces = (n for n, pile in enumerate(table.tableau) if not pile)
    names = table.VOCABULARY.to_pile[index]
    return table.piles[index][-1] if any(table.is_legal(names[space]) for space in spaces) else None


def _surprise(table: Table, choice: int, seen: set[tuple[object, ...]]) -> float:
    """Return the surprise of a decision in bits, measured against simple players.

    It is 0 for the first option and for the first of the most attractive ones, log2 of the number of most attractive
    options for the rest of those, and log2 of the number of all options otherwise. A draw counts as one option.
    Foundation moves and moves that lead back to an earlier position do not count.
    """
    options: dict[int, int] = {}
    for token in table.legal_moves():
        key = decision(table, token)
        if key is None and token not in _DRAWS:
            continue
        option = _DRAW if key is None else key
        table.push(token)
        leads_back = _piles(table) in seen
        table.pop()
        if option == choice or not leads_back:
            rank = wish(table, token)
            options[option] = min(rank, options.get(option, rank))
    best = min(options.values())
    best_options = [option for option, rank in options.items() if rank == best]
    if choice in (next(iter(options)), best_options[0]):
        return 0.0
    return log2(len(best_options) if choice in best_options else len(options))
