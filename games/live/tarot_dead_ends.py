"""Proofs of Tarot's dead ends, in which too many cards can be shifted to and fro for a search of all positions.

A proof forgets that cards cover each other: a card that was once the top of a pile counts as a top for good, and a pile
that was once empty as empty. If even so no card can go to a foundation and none turns up, there is nothing more to do.
"""

from __future__ import annotations

from games.rules import Table
from games.rules.variants.tarot import FITS


def is_proven(table: Table) -> bool:
    """Return True if no sequence of moves turns up a card or brings one to a foundation; False proves nothing.

    The player knows all cards that the proof uses, once the whole stock has been seen.
    """
    fits = FITS[table.options["fool"] == "wild"]
    wanted = set(table.wanted_cards())
    below = {
        card: pile[place - 1] if place else None
        for pile in table.tableau
        for place, card in enumerate(pile)
        if not table.hidden >> card & 1
    }
    tops = {pile[-1] for pile in table.tableau if pile}
    coming = set(_turned(table))
    has_space = not all(table.tableau)
    while not wanted & (tops | coming):
        known = len(tops), len(coming), has_space
        ends = sum(1 << top for top in tops)
        for card, under in below.items():
            goes = fits.on[card] & ends or (has_space and under is not None and fits.founds >> card & 1)
            if not goes or (under is None and fits.fixed >> card & 1):
                continue
            if under is None:
                has_space = True
            elif table.hidden >> under & 1:
                return False
            else:
                tops.add(under)
        placed = {card for card in coming if fits.on[card] & ends or (has_space and fits.founds >> card & 1)}
        tops |= placed
        if placed:  # from now on, other cards may turn up
            coming |= {*table.stock, *table.pile("w")}
        if known == (len(tops), len(coming), has_space):
            return True
    return False


def _turned(table: Table) -> list[int]:
    """Return the cards that come to lie on top of the waste while none is taken from it."""
    ahead, waste, step = table.stock[::-1], table.pile("w"), int(table.options["draw"])
    passes = (ahead, waste + ahead)
    return waste[-1:] + [
        cards[min(top, len(cards)) - 1] for cards in passes for top in range(step, len(cards) + step, step) if cards
    ]
