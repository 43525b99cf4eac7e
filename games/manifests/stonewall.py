"""Manifest of Stonewall."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext_lazy as _

from games.manifests.lesson import Lesson, goes_up, line, suit, top
from games.manifests.manifest import (
    FirstMoves,
    Kindred,
    Kinds,
    Likeness,
    Manifest,
    PictureLayout,
    Spot,
    VariantFacts,
    left_behind,
)
from games.rules.cards import RANK
from games.rules.tokens import TO_FOUNDATION, Move
from games.rules.variants.stonewall import Stonewall

_TEXTS: Final = {
    "ace": (
        _("Each suit goes up from ace to king, so its ace comes first."),
        _("Another ace: its suit can start."),
    ),
    "up": (_("The next card of its suit."),),
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


def _kinds(table: Stonewall, move: Move) -> Kinds:
    if move.what == TO_FOUNDATION:
        yield "up" if RANK[table.piles[move.source][-1]] else "ace"
    else:
        yield "builds" if move.source < table.TABLEAU else "reserve"
        if move.cards > 1:
            yield "run"
    yield from left_behind(table, move)


def _spots() -> Iterator[Spot]:
    for k in range(4):
        yield Spot(f"f{k}", 0, k)
    for k in range(6):
        yield Spot(f"t{k}", 1.35 + k, 0, "fan", 5.2)
    for k in range(16):
        yield Spot(f"r{k}", 7.7 + k % 4, k // 4)


_LESSON: Final = Lesson(
    line(
        "stonewall",
        {
            **{f"t{n}": pile for n, pile in enumerate(["*JH.7S", "*6S.TS", "KH", "KS", "9S", "JS"])},
            **{f"r{n}": card for n, card in enumerate(["QS", "QH", "8S"])},
            **{f"f{slot}": suit(*last) for slot, last in enumerate(("S5", "HT", "DK", "CK"))},
        },
    ),
    (
        lambda table: top(table, "t3") == "KS" and bool(table.pile("r1")),
        lambda table: top(table, "t5") == "JS",
        lambda table: top(table, "t1") == "TS",
        goes_up,
        lambda table: not goes_up(table),
    ),
)

MANIFEST: Final = Manifest(
    variants={
        "stonewall": VariantFacts(
            title=_("Stonewall"),
            summary=_("A wall of six piles with every other card face down, and sixteen cards in reserve."),
            grade_thresholds=(93.3, 95.2, 96.5, 98.0),
            median_par=83,
            looking_factor=1.66,
            delay_correlation=0.28,
            likeness=Likeness(0.62, 0.09, 0.86),
            puzzle_points=-665.0,
        ),
    },
    kindred=Kindred(
        _("FreeCell"),
        "stonewall",
        _(
            "Like FreeCell, you plan ahead and build down in alternating colours. But the sixteen single cards can't "
            "be put back, and every other card in the wall is hidden. Start with a first game, which explains its "
            "moves."
        ),
    ),
    appeal="planning",
    picture=PictureLayout(11.7, 5.2, tuple(_spots())),
    first_moves=FirstMoves(_TEXTS, _kinds),
    lesson=_LESSON,
    is_short=True,
    suit_sizes=(13,) * 4,
)
