"""Dead ends: positions from which no moves with the cards seen so far lead to anything new.

This is a wider question than `Table.is_stuck`: cards may still be movable, but only to and fro.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from games.live import tarot_dead_ends
from games.rules import RecordFullError, Table
from games.rules.cards import RANK
from games.rules.variants.braid import INNER

#: Positions to search before giving up, which blocks the event loop for up to 25 ms. Larger dead ends are rare, except
#: in Tarot (`tarot_dead_ends`).
LIMIT: Final = 300

_TURNS: Final = ("d", "n")

_Run = list[str]
_Layout = tuple[object, ...]


def is_dead_end(table: Table) -> bool:
    """Return True if no sequence of moves turns up a card not seen yet or brings a card to a foundation.

    The search stops where a move would turn up a card, so hidden cards don't influence the answer. It is false after
    `LIMIT` positions. The table is restored, except that `view_changes` no longer describes the last push.
    """
    if table.is_won or not table.stock_is_known:
        return False
    if table.GAME == "tarot" and tarot_dead_ends.is_proven(table):
        return True
    standing = len(table.moves)
    try:
        return not _leads_on(table)
    except RecordFullError:
        return False
    finally:
        for _ in range(len(table.moves) - standing):
            table.pop()


def first_dead_end(table: Table) -> int | None:
    """Return the number of standing moves after which the game was first at a dead end; None if it is not at one."""
    if not is_dead_end(table):
        return None
    moves = table.moves
    try:
        # A dead end only leads to more dead ends.
        return bisect_left(range(len(moves)), True, key=lambda number: is_dead_end(_after(table, moves[:number])))
    finally:
        _after(table, moves)


def _after(table: Table, moves: tuple[str, ...]) -> Table:
    """Take moves back or replay them until just these stand; one list begins with the other."""
    for _ in range(len(table.moves) - len(moves)):
        table.pop()
    for token in moves[len(table.moves) :]:
        table.push(token)
    return table


def _leads_on(table: Table) -> bool:
    """Return whether moves lead to progress, or to too many positions to tell."""
    seen = {_layout(table)}
    played: list[_Run] = []
    branches = [_branches(table, seen)]
    while branches:
        ahead = branches[-1]
        if ahead is None or len(seen) > LIMIT:
            return True
        if ahead:
            played.append(ahead.pop())
            _push(table, played[-1])
            branches.append(_branches(table, seen))
        else:
            branches.pop()
            if played:
                _pop(table, played.pop())
    return False


def _branches(table: Table, seen: set[_Layout]) -> list[_Run] | None:
    """Return the moves to positions not yet `seen`, and add those; None if a move makes progress."""
    runs, branches, hidden = _runs(table), [], table.hidden
    if any(run[-1].endswith("-f") for run in runs):
        return None
    for run in runs:
        _push(table, run)
        layout, turns_up = _layout(table), table.hidden != hidden
        _pop(table, run)
        if turns_up:
            return None
        if layout not in seen:
            seen.add(layout)
            branches.append(run)
    return branches


def _runs(table: Table) -> list[_Run]:
    """Return the legal moves. With unlimited rounds, each card of the stock can be turned up before it is played."""
    legal = table.legal_moves()
    if table.rounds_left is not None:
        return [[token] for token in legal]
    runs = [[token] for token in legal if token not in _TURNS]
    turns: list[str] = []
    places = {len(table.pile("w"))}
    while legal[-1:] and legal[-1] in _TURNS:
        turns.append(legal[-1])
        table.push(legal[-1])
        if len(table.pile("w")) in places:
            break
        places.add(len(table.pile("w")))
        legal = table.legal_moves()
        runs += [[*turns, token] for token in legal if token.startswith("w-")]
    _pop(table, turns)
    return runs


def _push(table: Table, run: _Run) -> None:
    for token in run:
        table.push(token)


def _pop(table: Table, run: _Run) -> None:
    for _ in run:
        table.pop()


def _layout(table: Table) -> _Layout:
    """Return a value that is equal only for positions that differ in no move ahead but in names of piles or suits."""
    alike = INNER if table.GAME == "braid" else 0
    piles = [tuple(pile) for pile in table.piles]
    if table.GAME == "plot":
        piles = [tuple(RANK[card] for card in pile) for pile in piles]
    rest = piles[table.TABLEAU :]
    if table.rounds_left is None:
        waste, stock = rest
        draws_one = table.options["draw"] == 1
        rest = [(*waste, *stock[::-1]), () if draws_one else (len(waste),)]
    return (*sorted(piles[:alike]), *sorted(piles[alike : table.TABLEAU]), *rest, table.rounds_left)
