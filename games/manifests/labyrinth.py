"""Manifest of Labyrinth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext_lazy as _

from games.manifests.lesson import Lesson, line, suit, top
from games.manifests.manifest import FirstMoves, Kindred, Kinds, Likeness, Manifest, PictureLayout, Spot, VariantFacts
from games.rules.tokens import DRAW, Move
from games.rules.variants import labyrinth

_TEXTS: Final = {
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
        _("No free card can go up, so deal a new row. It locks the one above."),
        _("No free card can go up."),
    ),
}


def _kinds(table: labyrinth.Labyrinth, move: Move) -> Kinds:
    if move.what == DRAW:
        yield "row"
    elif move.source < labyrinth.ROW:
        yield "first row"
    else:
        yield "last row" if move.source >= labyrinth.ROW * (table.rows - 1) else "gap"


def _spots() -> Iterator[Spot]:
    for k in range(4):
        yield Spot(f"f{k}", k % 2, k // 2)
    yield Spot("s", 0.5, 5)
    for k in range(48):
        yield Spot(f"t{k}", 2.4 + k % 8, k // 8)


_LESSON: Final = Lesson(
    line(
        "labyrinth",
        {
            **{f"t{c}": card for c, card in enumerate(["6S", "KH", "QD", "QS", "9S", "KS", "TS", "JH", "8S", "9H"])},
            "s": "7S.QH.TH.KD.JS.5S",
            **{f"f{slot}": suit(*last) for slot, last in enumerate(("S4", "H8", "DJ", "CK"))},
        },
        "rows=2",
    ),
    (
        lambda table: table.unseen_facts() == {"rows": 2} and top(table, "t9") == "9H",
        lambda table: table.unseen_facts() == {"rows": 2} and top(table, "t2") == "QD",
        lambda table: bool(table.stock),
        lambda table: not table.is_won,
    ),
)

MANIFEST: Final = Manifest(
    variants={
        "labyrinth": VariantFacts(
            title=_("Labyrinth"),
            summary=_("Rows of eight, and only the cards beside a gap are free. When do you deal the next row?"),
            grade_thresholds=(76.1, 79.8, 84.2, 88.5),
            median_par=52,
            looking_factor=1.58,
            delay_correlation=0.35,
            likeness=Likeness(0.51, 0.09, 0.70),
            puzzle_points=-807.0,
        ),
    },
    kindred=Kindred(
        _("Mahjong Solitaire"),
        "labyrinth",
        _(
            "Like Mahjong Solitaire, only cards with an open side can go. But they go up in their suits, not in "
            "pairs, and you decide when new ones come. Start with a first game, which explains its moves."
        ),
    ),
    appeal="simplicity",
    picture=PictureLayout(10.4, 6, tuple(_spots())),
    first_moves=FirstMoves(_TEXTS, _kinds),
    lesson=_LESSON,
    is_short=True,
    suit_sizes=(13,) * 4,
)
