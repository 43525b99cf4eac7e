"""Explanations of the first moves of a first game, by the texts in the game's manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from django.utils.translation import gettext_lazy as _

from games.manifests import MANIFESTS
from games.rules import Table
from games.rules.tokens import TO_FOUNDATION, TO_PILE

#: Instruction for the first move with a card.
_HOW: Final = _("Drag it there, or tap both.")


def explain_moves(table: Table, line: Iterable[str]) -> Iterator[str]:
    """Play moves from the start of a game, yielding the explanation of each in the current language."""
    first_moves, seen, how = MANIFESTS[table.GAME].first_moves, Counter[str](), [str(_HOW)]
    texts = first_moves.texts
    for token in line:
        move = table.VOCABULARY.read(token)
        kinds = list(first_moves.kinds(table, move))
        said = [str(texts[kind][min(seen[kind], len(texts[kind]) - 1)]) for kind in kinds]
        if move.what in {TO_FOUNDATION, TO_PILE}:
            said, how = how + said, []
        yield " ".join(said) % {"draw": table.options.get("draw"), "passes": (table.rounds_left or 0) + 1}
        seen.update(kinds)
        table.push(token)
