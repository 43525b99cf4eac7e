"""Exhaustive search with the rules alone: it shares no code with `games.solver`, so it can check its proofs."""

from __future__ import annotations

from typing import Any, Final

from games.manifests import MANIFESTS
from games.rules import Table, from_position

MAX_POSITIONS: Final = 5_000


def prove_lost(position: str, limit: int = MAX_POSITIONS) -> dict[str, Any] | None:
    """Return the proof that a position is lost; None if it can be won or more than `limit` positions can be reached.

    `most_up` is the highest number of cards that can be on the foundations together. `ends` names the last card of each
    foundation that no line of play completes; it is empty in games whose foundations have no fixed suits.
    """
    table = from_position(position)
    seen = {_facts(table)}
    highest = [[*up] for up in table.foundations]
    most_up = 0
    untried = [table.legal_moves()]
    while untried:
        if table.is_won or len(seen) > limit:
            return None
        if not untried[-1]:
            untried.pop()
            if untried:
                table.pop()
            continue
        table.token_count = 0  # a line may be longer than a record
        table.push(untried[-1].pop())
        facts = _facts(table)
        if facts in seen:
            table.pop()
            continue
        seen.add(facts)
        most_up = max(most_up, table.cards_up)
        highest = [max(pair, key=len) for pair in zip(highest, [[*up] for up in table.foundations], strict=True)]
        untried.append(table.legal_moves())
    sizes = zip(highest, MANIFESTS[table.GAME].suit_sizes, strict=False)
    ends = [table.DECK.names[cards[-1]] for cards, size in sizes if 0 < len(cards) < size]
    return {"most_up": max(most_up, table.cards_up), "ends": ends}


def _facts(table: Table) -> tuple[object, ...]:
    """Return everything that tells two positions apart."""
    piles = (*map(tuple, table.piles), *map(tuple, table.foundations))
    return (*piles, table.hidden, table.rounds_left, *table.unseen_facts().values())
