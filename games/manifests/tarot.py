"""Manifest of Tarot Solitaire."""

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
from games.rules.cards import TAROT_RANKS
from games.rules.tokens import DRAW, TO_FOUNDATION, Move
from games.rules.variants import tarot

_TEXTS: Final = {
    "ace": (
        _("Suits go up from ace to king. Page, knight and queen follow the ten."),
        _("Another ace: its suit can start."),
    ),
    "up": (_("The next card of its suit."),),
    "trump up": (_("Trumps go up on their own foundation, in the order of their numbers."),),
    "builds": (
        _("Piles build down by one: cups and pentacles on wands and swords, or the other way round."),
        _("One lower, from the other two suits."),
    ),
    "run": (_("The cards on it come along."),),
    "trump": (
        _("A trump goes on any minor card that is one higher."),
        _("It goes on any minor card that is one higher."),
    ),
    "digits": (
        _("The gold disc says what a trump above ten plays as: the sum of its digits."),
        _("The gold disc counts: one lower than the card below."),
    ),
    "on trump": (_("A trump takes any minor card that is one lower."),),
    "fool": (
        _("The Fool goes on any card, and any card goes on him. He never goes up."),
        _("Any card goes with the Fool."),
    ),
    "ten": (_("A ten can also go on a two, as if it were an ace."),),
    "space": (_("An empty pile takes a king or the World."),),
    "waste": (_("The top of the waste can go to a pile or up at any time."),),
    "turns": (_("A hidden card turns up."),),
    "clears": (_("That empties the pile, so a king or the World can go there."),),
    "draw": (_("No move here turns up a card. Draw: %(draw)s cards turn up, and you may play the last one."),),
    "draw one": (
        _("No move here turns up a card, so draw. You can go through the stock as often as you like."),
        _("No move here turns up a card."),
    ),
}


def _kinds(table: tarot.Tarot, move: Move) -> Kinds:
    if move.what == DRAW:
        yield "draw" if table.options["draw"] != 1 else "draw one"
        return
    card = table.piles[move.source][-move.cards]
    if move.what == TO_FOUNDATION:
        yield "trump up" if tarot.is_trump(card) else "ace" if tarot.value(card) == 1 else "up"
    else:
        yield _build(card, table.piles[move.target])
        if move.cards > 1:
            yield "run"
    if move.source == tarot.WASTE:
        yield "waste"
    yield from left_behind(table, move)


def _build(card: int, onto: list[int]) -> str:
    """Return the kind of a move to a pile with these cards."""
    if not onto:
        return "space"
    if tarot.FOOL in {card, onto[-1]}:
        return "fool"
    if tarot.is_trump(card):
        return "digits" if card - tarot.FOOL > 10 else "trump"
    if (tarot.value(card), tarot.value(onto[-1])) == (10, 2):
        return "ten"
    return "on trump" if tarot.is_trump(onto[-1]) else "builds"


def _spots() -> Iterator[Spot]:
    yield Spot("s", 0, 0)
    yield Spot("w", 1, 0, "row")
    for k in range(5):
        yield Spot(f"f{k}", 4 + k, 0)
    for k in range(9):
        yield Spot(f"t{k}", k, 1.15, "fan", 4.85)


_LESSON: Final = Lesson(
    line(
        "tarot",
        {
            **{f"t{n}": pile for n, pile in enumerate(["*M0.M20", "M21", "PC", "QC.NC", "KC", "*M18.M19"])},
            **{
                f"f{slot}": suit(letter, last, TAROT_RANKS)
                for slot, (letter, last) in enumerate(zip("WCSP", "KTKK", strict=True))
            },
            "f4": ".".join(f"M{number}" for number in range(1, 18)),
        },
    ),
    (
        lambda table: top(table, "t5") == "M19",
        lambda table: any(top(table, f"t{n}") == "M19" for n in range(9)) or top(table, "t5") == "M18",
        goes_up,
    ),
)

MANIFEST: Final = Manifest(
    variants={
        "tarot": VariantFacts(
            title=_("Tarot Solitaire"),
            summary=_("Seventy-eight cards, twenty-one trumps and a wild Fool that is worth a tenth pile."),
            grade_thresholds=(109.0, 114.3, 123.0, 130.4),
            median_par=187,
            looking_factor=1.55,
            delay_correlation=0.13,
            likeness=Likeness(0.58, 0.09, 0.88),
        ),
        "tarot-novice": VariantFacts(
            title=_("Tarot Novice"),
            summary=_("No face-down first row, and you draw one card at a time."),
            grade_thresholds=(111.7, 116.9, 124.3, 132.1),
            median_par=204,
            looking_factor=1.58,
            delay_correlation=0.24,
            likeness=Likeness(0.58, 0.07, 0.85),
        ),
        "tarot-adept": VariantFacts(
            title=_("Tarot Adept"),
            summary=_("You draw three cards at a time, and the Fool goes up with the trumps."),
            grade_thresholds=(116.7, 124.8, 130.8, 137.4),
            median_par=201,
            looking_factor=1.55,
            delay_correlation=0.12,
            likeness=Likeness(0.67, 0.06, 0.91),
            puzzle_points=-240.0,
        ),
    },
    kindred=Kindred(
        _("Klondike"),
        "tarot-novice",
        _(
            "Like Klondike, there are hidden cards, a stock, and kings for empty piles. But trumps go on any suit, "
            "and the Fool on any card. Start with Tarot Novice: you draw one card at a time."
        ),
    ),
    appeal="winning",
    picture=PictureLayout(9, 6, tuple(_spots())),
    first_moves=FirstMoves(_TEXTS, _kinds),
    lesson=_LESSON,
    suit_sizes=(14, 14, 14, 14, 22),
)
