"""Manifest of Braid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext_lazy as _

from games.manifests.lesson import Lesson, goes_up, line, suit, top
from games.manifests.manifest import FirstMoves, Kindred, Kinds, Likeness, Manifest, PictureLayout, Spot, VariantFacts
from games.rules.cards import RANK
from games.rules.tokens import DOWN, DRAW, TO_PILE, UP, Move
from games.rules.variants import braid

_TEXTS: Final = {
    "direction": (_("You choose once, for all foundations. This way, the deal can be won."),),
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
        _("That frees the next card of the braid."),
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
        _("No card can go up, so draw. You can go through the stock %(passes)s times."),
        _("No card can go up."),
    ),
}


def _kinds(table: braid.Braid, move: Move) -> Kinds:
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


def _spots() -> Iterator[Spot]:
    yield Spot("s", 0, 0.6)
    yield Spot("w", 0, 1.75)
    for k in range(4):
        yield Spot(f"t{4 + k}", 1.35, k)
        yield Spot(f"t{8 + k}", 6.1, k)
    for k in range(2):
        yield Spot(f"t{k}", 2.37, 0.5 + 2 * k)
        yield Spot(f"t{2 + k}", 5.08, 0.5 + 2 * k)
    yield Spot("r", 3.725, 0, "braid", 4)
    for k in range(8):
        yield Spot(f"f{k}", 7.4 + k % 2, k // 2)


_LESSON: Final = Lesson(
    line(
        "braid",
        {
            **{f"t{cell}": f"{rank}C" for cell, rank in zip((1, 2, 3, *range(5, 12)), "3456789TJQ", strict=True)},
            "r": "KC.QH.KS",
            "w": "2C.QD.KD.QS.KH",
            **{f"f{slot}": suit(letter, "J") for slot, letter in enumerate("SHD")},
            "f3": "AC",
            **{f"f{slot}": suit(letter, "K") for slot, letter in enumerate("SHDC", 4)},
        },
        "rounds=0",
    ),
    (
        lambda table: (top(table, "r"), top(table, "w")) == ("KS", "KH"),
        goes_up,
        lambda table: top(table, "w") == "KD",
        lambda table: not goes_up(table),
    ),
)

MANIFEST: Final = Manifest(
    variants={
        "braid": VariantFacts(
            title=_("Braid"),
            summary=_("Twenty cards in a braid, twelve cells, two redeals."),
            grade_thresholds=(118.6, 122.9, 124.2, 127.7),
            median_par=284,
            looking_factor=1.5,
            delay_correlation=0.23,
            puzzle_points=-995.0,
        ),
        "braid-either": VariantFacts(
            title=_("Braid, either way"),
            summary=_("The braid with a choice before the first move: build up or build down."),
            grade_thresholds=(109.4, 121.6, 124.4, 127.3),
            median_par=288,
            looking_factor=1.5,
            delay_correlation=0.25,
            likeness=Likeness(0.83, 0.09, 0.95),
            puzzle_points=-1007.0,
        ),
        "pigtail": VariantFacts(
            title=_("Pigtail"),
            summary=_("The braid with a third redeal, for those who want to win more often."),
            grade_thresholds=(57.2, 83.6, 106.6, 126.2),
            median_par=279,
            looking_factor=1.5,
            delay_correlation=0.23,
            likeness=Likeness(0.80, 0.10, 0.95),
            puzzle_points=-951.0,
        ),
    },
    kindred=Kindred(
        _("Forty Thieves"),
        "pigtail",
        _(
            "Like Forty Thieves, you go through a stock of two decks card by card. But you build no piles: single "
            "cells hold what must wait. Start with Pigtail: it lets you go through the stock once more."
        ),
    ),
    appeal="winning",
    picture=PictureLayout(9.4, 4, tuple(_spots())),
    first_moves=FirstMoves(_TEXTS, _kinds),
    lesson=_LESSON,
)
