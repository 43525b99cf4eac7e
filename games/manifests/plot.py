"""Manifest of The Plot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext_lazy as _

from games.manifests.lesson import Lesson, line, top
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
from games.rules.cards import TWO_FRENCH
from games.rules.tokens import DRAW, TO_FOUNDATION, Move
from games.rules.variants import plot

_TEXTS: Final = {
    "up": (
        _("The first foundation takes the next rank, whatever the suit. The others can't start until it's full."),
        _("The next rank for the first foundation."),
    ),
    "reserve": (_("The top of the reserve only goes to foundations. Now it can, and the next one turns up."),),
    "base": (_("A base-rank card can't go up yet, but a space takes it from the waste."),),
    "builds": (
        _("Piles build down by one, whatever the suit."),
        _("One lower, whatever the suit."),
    ),
    "clears": (
        _("That leaves a space, for now only for base-rank cards from the waste."),
        _("That leaves another space."),
    ),
    "draw": (
        _("No card can go up, so draw. You go through the stock only once."),
        _("No card can go up."),
    ),
}


def _kinds(table: plot.Plot, move: Move) -> Kinds:
    if move.what == DRAW:
        yield "draw"
    elif move.what == TO_FOUNDATION:
        yield "reserve" if move.source == plot.RESERVE else "up"
    else:
        yield "builds" if table.piles[move.target] else "base"
    yield from left_behind(table, move)


def _spots() -> Iterator[Spot]:
    yield Spot("r", 0, 0)
    yield Spot("s", 0, 1.7)
    yield Spot("w", 0, 2.75)
    for k in range(12):
        yield Spot(f"t{k}", 1.4 + k % 4, k // 4 * 1.7, "fan", 1.66)
    for k in range(8):
        yield Spot(f"f{k}", 5.8 + k % 2, k // 2 * 1.03)


def _lesson_start() -> str:
    """Return a Plot position shortly before its first foundation, built from four, is full."""
    left = Counter(TWO_FRENCH.names[card] for card in TWO_FRENCH.cards)

    def take(*cards: str) -> str:
        left.subtract(cards)
        return ".".join(cards)

    def run(ranks: str) -> str:
        """Take cards of these ranks, each of the suit with the most cards left."""
        return ".".join(take(max((rank + letter for letter in "SHDC"), key=lambda c: (left[c], c))) for rank in ranks)

    piles = {"f0": take("4H", "5S", "6D", "7C", "8H", "9S", "TD", "JC", "QH", "KS"), "t0": take("AD")}
    waste, reserve, piles["s"] = take("9D", "2C", "4S"), take("6C", "3H"), take("9C")
    for place, ranks in enumerate(("KQJ", "AKQJ", "QJ", "2AKQJ", "KQJ", "QJ", "T98", "98", "QJT98", "T98", "98"), 1):
        piles[f"t{place}"] = run(ranks)
    rest = [card for rank in "5273A6QK948TJ" for letter in "HSDC" for card in [rank + letter] * left[rank + letter]]
    piles["r"] = ".".join([*rest[:6], reserve])
    piles["w"] = ".".join([*rest[6:], waste])
    return line("plot", piles)


_LESSON: Final = Lesson(
    _lesson_start(),
    (
        lambda table: top(table, "t0") == "AD",
        lambda table: top(table, "w") == "4S",
        lambda table: top(table, "w") == "2C",
        lambda table: top(table, "r") == "3H",
        lambda table: not table.pile("f1"),
    ),
    lambda table: bool(table.pile("f1")),
)

MANIFEST: Final = Manifest(
    variants={
        "plot": VariantFacts(
            title=_("The Plot"),
            summary=_("Fill one foundation before you may start another."),
            grade_thresholds=(109.4, 114.6, 117.2, 119.2),
            median_par=221,
            looking_factor=1.54,
            delay_correlation=0.25,
            likeness=Likeness(0.52, 0.07, 0.91),
            puzzle_points=-749.0,
        ),
    },
    kindred=Kindred(
        _("Spider"),
        "plot",
        _(
            "Like Spider, there are two decks, and piles go down whatever the suit. But cards move one at a time, "
            "and the first foundation must be full before the next may start. Start with a first game, which "
            "explains its moves."
        ),
    ),
    appeal="planning",
    picture=PictureLayout(7.8, 5.1, tuple(_spots())),
    first_moves=FirstMoves(_TEXTS, _kinds),
    lesson=_LESSON,
)
