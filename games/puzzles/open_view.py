"""View of a puzzle's table, on which every card is known.

It is the player's view with the face-down cards turned up, and the hidden cards of stock, waste and reserve listed next
to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from games.rules import Table

Step = dict[str, Any]
"""`view`, the `legal` moves, `face_down` (names of the turned-up cards that lie face down), `hidden` (the names of the
cards of `s`, `w` and `r` that the view leaves out, from the top), and the `token` that led here, or None."""


def step_of(table: Table, token: str | None = None) -> Step:
    """Return what a player sees of a puzzle's position."""
    view = table.view()
    names = table.DECK.names
    face_down = []
    for pile, cards in view["piles"].items():
        if None in cards:
            everything = [names[card] for card in table.pile(pile)]
            face_down += [name for name, card in zip(everything, cards, strict=True) if card is None]
            view["piles"][pile] = everything
    hidden = {
        pile: [names[card] for card in reversed(table.pile(pile)[: view["under"][pile]])]
        for pile in ("s", "w", "r")
        if pile in view["under"]
    }
    return {"token": token, "view": view, "legal": table.legal_moves(), "face_down": face_down, "hidden": hidden}


def steps_of(table: Table, tokens: Iterable[str]) -> Iterator[Step]:
    """Play moves, and yield the view after each."""
    for token in tokens:
        table.push(token)
        yield step_of(table, token)
